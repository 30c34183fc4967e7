// SPDX-License-Identifier: Apache-2.0
// Series by name: files, embedded ones, and what is told about them.
#include "sbog/job/series_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "job/recorded_events.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"

namespace sbog::testing_support {
namespace series_input_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(SeriesInput, embedded_series_are_read_by_name) {
  job::Events events;
  EXPECT_EQ(job::load_series({"demo:series", {}, {}}, events).series.rows(),
            1200u);
  const LoadedSeries plant = job::load_series({"demo:plant", {}, {}}, events);
  EXPECT_EQ(plant.series.rows(), 20000u);
  EXPECT_EQ(plant.series.times.size(), 20000u);
  EXPECT_THROW(job::load_series({"demo:none", {}, {}}, events),
               InvalidArgument);
}

TEST(SeriesInput, columns_and_times_of_a_table_are_chosen) {
  const TemporaryFolder folder;
  const std::string path = folder.file("t.csv");
  std::ofstream(path) << "when,a,b,c\n5,1,2,3\n6,1,,4\n7,2,3,5\n";
  RecordedEvents events;
  const LoadedSeries loaded =
      job::load_series({path, "when", {"c", "b"}}, events);
  EXPECT_THAT(loaded.series.channels, ElementsAre("c", "b"));
  EXPECT_THAT(loaded.series.times, ElementsAre("5", "6", "7"));
  // What was mended is a note that names the file.
  EXPECT_THAT(events.notes,
              ElementsAre(::testing::AllOf(::testing::StartsWith(path + ": "),
                                           HasSubstr("1 missing value"))));
}

TEST(SeriesInput, its_table_sets_every_member) {
  job::SeriesInput input;
  job::series_input_table().apply(
      std::vector<Assignment>{{"data", {"x.csv"}, "DATA"},
                              {"time", {"none"}, "--time"},
                              {"columns", {"a", "b"}, "--columns"}},
      input);
  EXPECT_EQ(input.data, "x.csv");
  EXPECT_EQ(input.time, "none");
  EXPECT_THAT(input.columns, ElementsAre("a", "b"));
}

TEST(SeriesInput, an_input_that_may_be_images_says_so) {
  const auto help = [](OptionTable<job::SeriesInput> table) {
    return table.find("data")->info().help;
  };
  EXPECT_THAT(help(job::series_or_images_table()), HasSubstr("images"));
  EXPECT_THAT(help(job::series_input_table()),
              ::testing::Not(HasSubstr("images")));
}

}  // namespace series_input_test
}  // namespace sbog::testing_support
