// SPDX-License-Identifier: Apache-2.0
// The options of a run on a series, by their table.
#include "sbog/job/series_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sbog/base/errors.h"

namespace sbog::job {
namespace series_options_test {

TEST(SeriesOptions, are_set_by_name_and_for_series_only) {
  const OptionTable<SeriesSettings> table = series_option_table();
  SeriesSettings settings;
  table.apply(std::vector<Assignment>{{"width", {"64"}, "--width"},
                                      {"kinds", {"level", "noise"}, "--kinds"},
                                      {"law", {"tangent"}, "--law"},
                                      {"outside_only", {"true"}, "--x"}},
              settings);
  EXPECT_EQ(settings.width, 64u);
  EXPECT_THAT(settings.kinds, ::testing::ElementsAre("level", "noise"));
  EXPECT_EQ(settings.law, "tangent");
  EXPECT_TRUE(settings.outside_only);
  for (const OptionInfo& info : table.infos()) {
    EXPECT_EQ(info.kinds, kForSeries) << info.name;
    EXPECT_FALSE(info.help.empty()) << info.name;
  }
  EXPECT_THROW(
      table.apply(std::vector<Assignment>{{"law", {"sideways"}, "--law"}},
                  settings),
      InvalidArgument);
}

TEST(SeriesOptions, values_read_back_to_the_same_settings) {
  const OptionTable<SeriesSettings> table = series_option_table();
  SeriesSettings settings;
  settings.time = "when";
  settings.channels = {"a", "b"};
  settings.redraws = 9;
  std::vector<Assignment> given;
  for (const BoundOption& option : table.values(settings)) {
    if (option.values) given.push_back({option.info.name, *option.values, ""});
  }
  SeriesSettings back;
  table.apply(given, back);
  EXPECT_EQ(back.time, "when");
  EXPECT_EQ(back.channels, settings.channels);
  EXPECT_EQ(back.redraws, 9u);
}

}  // namespace series_options_test
}  // namespace sbog::job
