// SPDX-License-Identifier: Apache-2.0
// Severities as they are typed, and when a run needs no encoder.
#include "sbog/job/scenario_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sbog/base/errors.h"

namespace sbog::testing_support {
namespace scenario_settings_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

job::GenerateOptions options_with(std::vector<std::string> severity) {
  job::GenerateOptions options =
      job::default_generate_options(job::Kind::kSeries);
  options.sampler.count = 10;
  options.series.severity = std::move(severity);
  return options;
}

LoadedSeries two_channels() {
  LoadedSeries loaded;
  loaded.series = make_series("two", Matrix<double>(3, 2));
  loaded.series.times = {"2024-01-01T00:00", "2024-01-01T00:05",
                         "2024-01-01T00:10"};
  loaded.report.has_readable_times = true;
  loaded.report.step = 300.0;
  return loaded;
}

TEST(ScenarioSettings, by_default_the_count_is_split_over_three_severities) {
  const job::AskedSeverities asked = job::severities_of(options_with({}));
  EXPECT_THAT(asked.list, ElementsAre(1, 2, 3));
  EXPECT_EQ(asked.count, 10u);
}

TEST(ScenarioSettings, named_severities_get_the_count_each) {
  const job::AskedSeverities asked =
      job::severities_of(options_with({"3", "1"}));
  EXPECT_THAT(asked.list, ElementsAre(3, 1));
  EXPECT_EQ(asked.count, 20u);
  EXPECT_THAT(job::severities_of(options_with({"none"})).list, IsEmpty());
}

TEST(ScenarioSettings, what_is_no_severity_is_refused) {
  for (const char* text : {"0", "7", "x", "1.5", "", "10"}) {
    EXPECT_THROW(job::severities_of(options_with({text})), InvalidArgument);
  }
  EXPECT_THROW(job::severities_of(options_with({"1", "1"})), InvalidArgument);
  job::GenerateOptions drawn = options_with({"1"});
  drawn.decoder = "vae";
  EXPECT_THROW(job::severities_of(drawn), InvalidArgument);
  drawn.series.severity.clear();
  EXPECT_THAT(job::severities_of(drawn).list, IsEmpty());
}

TEST(ScenarioSettings, only_random_edits_of_a_severity_need_no_encoder) {
  job::GenerateOptions options = options_with({"2"});
  EXPECT_TRUE(job::needs_encoder(options));
  options.series.law = "edit-first";
  EXPECT_FALSE(job::needs_encoder(options));
  options.series.outside_only = true;
  EXPECT_TRUE(job::needs_encoder(options));
  options.series.outside_only = false;
  options.model = "encoder.safetensors";
  EXPECT_TRUE(job::needs_encoder(options));
  options.model.clear();
  options.series.severity = {"none"};
  EXPECT_TRUE(job::needs_encoder(options));
}

TEST(ScenarioSettings, times_give_the_seconds_of_a_row_and_numbers_do_not) {
  LoadedSeries loaded = two_channels();
  EXPECT_EQ(job::scenario_options_of(options_with({}), loaded).row_seconds,
            300.0);
  loaded.series.times = {"0", "300", "600"};
  EXPECT_EQ(job::scenario_options_of(options_with({}), loaded).row_seconds,
            0.0);
}

TEST(ScenarioSettings, channels_that_are_not_there_are_named) {
  job::GenerateOptions options = options_with({});
  options.series.channels = {"valve"};
  const LoadedSeries loaded = two_channels();
  try {
    job::scenario_options_of(options, loaded);
    FAIL();
  } catch (const InvalidArgument& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("no channel 'valve'"), message.npos) << message;
    for (const std::string& name : loaded.series.channels) {
      EXPECT_NE(message.find("'" + name + "'"), message.npos) << message;
    }
  }
}

}  // namespace scenario_settings_test
}  // namespace sbog::testing_support
