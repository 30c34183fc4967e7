// SPDX-License-Identifier: Apache-2.0
// Tables: formats, the three forms, what does not fit.
#include "paper/table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sbog/base/errors.h"

namespace sbog::paper {
namespace table_test {

Table example() {
  Table table;
  table.columns = {{"rule", Style::kText},
                   {"share", Style::kFixed, 3},
                   {"n", Style::kGeneral, 3},
                   {"gap", Style::kMeanSd, 2},
                   {"share", Style::kFixed, 2, Source::kPaper}};
  table.rows = {{"a", 0.12345, 1.5e9, Json{1.0, 0.25}, 0.63},
                {"long", nullptr, "inf", Json{2.0, nullptr}, nullptr}};
  return table;
}

TEST(Table, text_is_aligned_and_the_papers_columns_are_named_so) {
  EXPECT_EQ(to_text(example()),
            "rule  share        n          gap  paper: share\n"
            "a     0.123  1.5e+09  1.00 (0.25)          0.63\n"
            "long      -      inf         2.00             -\n");
}

TEST(Table, markdown_has_a_rule_below_the_headings) {
  EXPECT_EQ(to_markdown(example()),
            "| rule | share | n | gap | paper: share |\n"
            "|---|---:|---:|---:|---:|\n"
            "| a | 0.123 | 1.5e+09 | 1.00 (0.25) | 0.63 |\n"
            "| long | - | inf | 2.00 | - |\n");
}

TEST(Table, a_bar_in_a_heading_begins_no_column) {
  Table table;
  table.columns = {{"max |E|", Style::kGeneral, 2}};
  EXPECT_EQ(to_markdown(table), "| max \\|E\\| |\n|---:|\n");
}

TEST(Table, json_gives_the_same_table_back) {
  const Table again = table_from_json(Json::parse(to_json(example()).dump()));
  EXPECT_EQ(to_text(again), to_text(example()));
  EXPECT_EQ(to_json(again), to_json(example()));
}

TEST(Table, numbers_that_json_lacks_become_words_or_null) {
  EXPECT_EQ(number(0.5), Json(0.5));
  EXPECT_EQ(number(HUGE_VAL), Json("inf"));
  EXPECT_EQ(number(-HUGE_VAL), Json("-inf"));
  EXPECT_TRUE(number(std::numeric_limits<double>::quiet_NaN()).is_null());
  EXPECT_EQ(number(std::optional(0.5)), Json(0.5));
  EXPECT_TRUE(number(std::nullopt).is_null());
}

TEST(Table, what_does_not_fit_is_refused) {
  EXPECT_THROW(format_value("words", {"n", Style::kFixed, 2}), InvalidArgument);
  EXPECT_THROW(format_value(1.0, {"name", Style::kText}), InvalidArgument);
  EXPECT_THROW(format_value(1.0, {"gap", Style::kMeanSd, 2}), InvalidArgument);
  Table table = example();
  table.rows[1].pop_back();
  EXPECT_THROW(to_text(table), InvalidArgument);
  EXPECT_THROW(table_from_json(Json::object()), InvalidArgument);
  EXPECT_THROW(table_from_json(Json(3)), InvalidArgument);
}

TEST(Chart, is_a_complete_specification) {
  const Json values = Json::array({{{"x", 1}, {"y", 2}}});
  const Json json = chart("title", values, "line",
                          {{"x", log_channel("x", "n")},
                           {"y", channel("y", "quantitative", "rate")}});
  EXPECT_EQ(json["$schema"], "https://vega.github.io/schema/vega-lite/v5.json");
  EXPECT_EQ(json["data"]["values"], values);
  EXPECT_EQ(json["encoding"]["x"]["scale"]["type"], "log");
  EXPECT_EQ(json["encoding"]["y"]["field"], "y");
  EXPECT_EQ(json["mark"], "line");
}

}  // namespace table_test
}  // namespace sbog::paper
