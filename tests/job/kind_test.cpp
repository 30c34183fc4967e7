// SPDX-License-Identifier: Apache-2.0
#include "sbog/job/kind.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sbog/base/errors.h"

namespace sbog::job {
namespace kind_test {

TEST(Kind, names_translate_both_ways) {
  for (const Kind kind : {Kind::kAuto, Kind::kPoints, Kind::kSeries,
                          Kind::kImages, Kind::kTable}) {
    EXPECT_EQ(parse_kind(to_string(kind)), kind);
  }
  EXPECT_EQ(parse_kind("points"), Kind::kPoints);
  EXPECT_EQ(parse_kind("images"), Kind::kImages);
  EXPECT_EQ(parse_kind("tables"), Kind::kTable);
  EXPECT_THROW(parse_kind("sound"), InvalidArgument);
  for (const std::string& name : kind_names()) {
    EXPECT_EQ(to_string(parse_kind(name)), name);
  }
}

TEST(Kind, an_option_is_for_its_kinds) {
  EXPECT_EQ(option_kinds(Kind::kPoints), kForPoints);
  EXPECT_EQ(option_kinds(Kind::kSeries), kForSeries);
  EXPECT_EQ(option_kinds(Kind::kImages), kForImages);
  EXPECT_EQ(option_kinds(Kind::kTable), kForPoints | kForTables);
  EXPECT_EQ(option_kinds(Kind::kAuto), kForAll);
}

TEST(Kind, a_refused_option_is_told_as_its_giver_spelled_it) {
  OptionInfo of_series;
  of_series.name = "time";
  of_series.kinds = kForSeries;
  EXPECT_THAT(
      [&] {
        refuse_foreign_options(std::vector{of_series},
                               {{"time", "c.toml: time"}}, Kind::kPoints);
      },
      ::testing::ThrowsMessage<InvalidArgument>(
          "c.toml: time: this option is for series only"));
}

TEST(Kind, an_option_for_others_is_refused_when_given) {
  OptionInfo shared;
  shared.name = "out";
  OptionInfo of_images;
  of_images.name = "held_out";
  of_images.kinds = kForImages;
  OptionInfo of_series;
  of_series.name = "time";
  of_series.kinds = kForSeries;
  const std::vector<OptionInfo> options = {shared, of_images, of_series};
  EXPECT_NO_THROW(
      refuse_foreign_options(options, {{"out", "--out"}}, Kind::kSeries));
  EXPECT_NO_THROW(refuse_foreign_options(
      options, {{"out", "--out"}, {"time", "--time"}}, Kind::kSeries));
  EXPECT_THAT(
      [&] {
        refuse_foreign_options(options, {{"held_out", "--held-out"}},
                               Kind::kSeries);
      },
      ::testing::ThrowsMessage<InvalidArgument>(
          "--held-out: this option is for images only"));
  EXPECT_THAT(
      [&] {
        refuse_foreign_options(options, {{"time", "--time"}}, Kind::kImages);
      },
      ::testing::ThrowsMessage<InvalidArgument>(
          "--time: this option is not for images"));
  EXPECT_THAT(
      [&] {
        refuse_foreign_options(options, {{"time", "--time"}}, Kind::kPoints);
      },
      ::testing::ThrowsMessage<InvalidArgument>(
          "--time: this option is for series only"));
  OptionInfo of_two;
  of_two.name = "score";
  of_two.kinds = kForPoints | kForImages;
  const std::vector<OptionInfo> two = {of_two};
  EXPECT_NO_THROW(
      refuse_foreign_options(two, {{"score", "--score"}}, Kind::kPoints));
  EXPECT_THAT(
      [&] {
        refuse_foreign_options(two, {{"score", "--score"}}, Kind::kSeries);
      },
      ::testing::ThrowsMessage<InvalidArgument>(
          "--score: this option is not for series"));
}

TEST(Kind, a_table_finds_out_the_kind_and_refuses_what_is_not_for_it) {
  struct Choices {
    std::string data;
    std::string time;
    Kind kind = Kind::kAuto;
  };
  OptionTable<Choices> table;
  table.add("data", &Choices::data, "Data");
  table.add("time", &Choices::time, "Column of the times").kinds(kForSeries);
  settle_kind(table, [](Choices& o) {
    o.kind = o.data == "photos" ? Kind::kImages : Kind::kSeries;
    return o.kind;
  });
  const auto apply = [&](const std::string& data) {
    Choices choices;
    table.apply(std::vector<Assignment>{{"data", {data}, "--data"},
                                        {"time", {"t"}, "--time"}},
                choices);
    return choices.kind;
  };
  EXPECT_EQ(apply("table"), Kind::kSeries);
  EXPECT_THROW(apply("photos"), InvalidArgument);
}

}  // namespace kind_test
}  // namespace sbog::job
