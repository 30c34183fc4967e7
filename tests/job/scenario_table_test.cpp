// SPDX-License-Identifier: Apache-2.0
// The table of scenarios: the input's own columns and times, and labels that
// agree with the windows.
#include "sbog/job/scenario_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog/data/csv.h"

namespace sbog::testing_support {
namespace scenario_table_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Series two_channels() {
  Series series;
  series.name = "two";
  series.channels = {"flow, left", "tank"};
  series.values = Matrix<double>(8, 2);
  for (std::size_t t = 0; t < 8; ++t) {
    series.values(t, 0) = 0.1 * static_cast<double>(t);
    series.values(t, 1) = 10.0;
    series.times.push_back("2024-01-0" + std::to_string(t + 1));
  }
  return series;
}

// Rows 2 to 6 of the series; `flow` differs in samples 1 and 3, too little to
// count in sample 0.
series::Scenario some_scenario(const Series& series) {
  series::Scenario s;
  s.anchor_start = 2;
  s.source = Matrix<double>(5, 2);
  for (std::size_t t = 0; t < 5; ++t) {
    for (std::size_t c = 0; c < 2; ++c) {
      s.source(t, c) = series.values(t + 2, c);
    }
  }
  s.window = s.source.clone();
  s.window(0, 0) += 0.013;  // the range is 0.7, 2 % of it 0.014
  s.window(1, 0) += 0.3;
  s.window(3, 0) -= 0.3;
  return s;
}

TEST(ScenarioTable, has_the_columns_of_the_input_and_a_label_per_row) {
  const TemporaryFolder folder;
  const Series series = two_channels();
  const series::Scenario s = some_scenario(series);
  const std::string path = folder.file("scenarios.csv");
  job::write_scenario_table(path, {&s, &s}, series, "when",
                            {{0.0, 0.7}, {10.0, 10.0}});
  const std::string text = read_bytes(path);
  EXPECT_THAT(text, StartsWith("when,\"flow, left\",tank,scenario,row,label,"
                               "edited\n2024-01-03,"));
  EXPECT_THAT(text, HasSubstr(",1,3,1,\"flow, left\"\n"));
  CsvOptions options;
  options.text_columns = {"when", "edited"};
  const CsvTable table = read_csv(path, options);
  ASSERT_EQ(table.values.rows(), 10u);
  ASSERT_THAT(table.header,
              ElementsAre("flow, left", "tank", "scenario", "row", "label"));
  const double labels[] = {0, 1, 1, 1, 0};
  for (std::size_t i = 0; i < 10; ++i) {
    const std::size_t t = i % 5;
    EXPECT_EQ(table.values(i, 0), s.window(t, 0));
    EXPECT_EQ(table.values(i, 1), s.window(t, 1));
    EXPECT_EQ(table.values(i, 2), static_cast<double>(i / 5));
    EXPECT_EQ(table.values(i, 3), static_cast<double>(t + 2));
    EXPECT_EQ(table.values(i, 4), labels[t]);
    EXPECT_EQ(table.texts[0][i], series.times[t + 2]);
    EXPECT_EQ(table.texts[1][i], labels[t] == 1.0 ? "flow, left" : "");
  }
}

TEST(ScenarioTable, a_series_without_times_has_no_column_of_them) {
  const TemporaryFolder folder;
  Series series = two_channels();
  series.times.clear();
  const std::string path = folder.file("scenarios.csv");
  job::write_scenario_table(path, {}, series, "", {{0.0, 0.7}, {10.0, 10.0}});
  EXPECT_EQ(read_bytes(path),
            "\"flow, left\",tank,scenario,row,label,edited\n");
}

TEST(ScenarioTable, names_that_the_input_has_are_made_different) {
  EXPECT_THAT(job::scenario_columns({"a", "label", "row", "sbog_row"}),
              ElementsAre("scenario", "sbog_sbog_row", "sbog_label", "edited"));
}

TEST(ScenarioTable, a_place_that_cannot_be_written_is_named) {
  EXPECT_THROW(job::write_scenario_table("/no/such/folder/x.csv", {},
                                         two_channels(), "", {{0, 1}, {0, 1}}),
               IoError);
}

}  // namespace scenario_table_test
}  // namespace sbog::testing_support
