// SPDX-License-Identifier: Apache-2.0
// Windows of a run as cases, and the choice of controls.
#include "sbog/job/stress_windows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "job/stress_world.h"
#include "sbog/base/errors.h"

namespace sbog::job {
namespace stress_windows_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing_support::TemporaryFolder;

TEST(StressWindows, edits_are_groups_and_changes_have_a_first_row) {
  const TemporaryFolder folder;
  testing_support::make_edited_run(folder.file("run"));
  Events events;
  const StressInputs inputs =
      load_stress_inputs(FinishedRun(folder.file("run")), {}, events);
  EXPECT_EQ(inputs.sorted.count, testing_support::kMadeCases);
  std::vector<std::string> names;
  for (const auto& grouping : inputs.sorted.groupings) {
    names.push_back(grouping.name);
  }
  EXPECT_THAT(names,
              ElementsAre("kind", "channel", "kind x channel", "region"));
  EXPECT_EQ(inputs.sorted.groupings[2].levels.size(), 12u);
  for (std::size_t i = 0; i < inputs.sorted.count; ++i) {
    EXPECT_EQ(inputs.sorted.first_changed[i], 8u);
    EXPECT_EQ(inputs.sorted.severities[i],
              testing_support::made_edit(i).severity);
  }
  EXPECT_EQ(inputs.facts[3].channels, "channel-1");
  // Controls are recorded windows, where they say.
  const auto controls = to_matrix<double>(inputs.controls);
  const auto recording = testing_support::made_recording();
  ASSERT_EQ(controls.rows(), inputs.control_starts.size());
  for (std::size_t i = 0; i < controls.rows(); ++i) {
    const std::size_t at =
        inputs.control_starts[i] * testing_support::kMadeChannels;
    EXPECT_EQ(controls.view()(i, 5), recording[at + 5]);
  }
}

TEST(StressWindows, scenarios_without_an_encoder_have_no_regions) {
  const TemporaryFolder folder;
  testing_support::make_edited_run(folder.file("run"));
  std::filesystem::remove(folder.file("run") + "/outliers.npy");
  Events events;
  const StressInputs inputs =
      load_stress_inputs(FinishedRun(folder.file("run")), {}, events);
  EXPECT_EQ(inputs.sorted.count, testing_support::kMadeCases);
  for (const auto& grouping : inputs.sorted.groupings) {
    EXPECT_NE(grouping.name, "region");
  }
}

TEST(StressWindows, a_series_of_its_own_gives_controls) {
  const TemporaryFolder folder;
  testing_support::make_edited_run(folder.file("run"));
  StressInputOptions options;
  options.controls = folder.file("run") + ".csv";
  options.control_count = 7;
  Events events;
  const StressInputs inputs =
      load_stress_inputs(FinishedRun(folder.file("run")), options, events);
  EXPECT_EQ(inputs.control_starts.size(), 7u);
  ASSERT_TRUE(inputs.control_recording.has_value());
  EXPECT_THAT(inputs.control_words, HasSubstr("7 windows of"));
  options.controls = "demo:series";
  options.controls = folder.file("run") + "/outliers.csv";
  EXPECT_ANY_THROW(
      load_stress_inputs(FinishedRun(folder.file("run")), options, events));
}

TEST(StressWindows, without_the_recording_the_sources_are_the_controls) {
  const TemporaryFolder folder;
  testing_support::make_edited_run(folder.file("run"));
  std::filesystem::remove(folder.file("run") + ".csv");
  Events events;
  StressInputOptions options;
  const StressInputs inputs =
      load_stress_inputs(FinishedRun(folder.file("run")), options, events);
  EXPECT_FALSE(inputs.recording.has_value());
  EXPECT_EQ(inputs.controls.shape()[0], testing_support::kMadeCases);
  options.needs_recording = true;
  EXPECT_THROW(
      load_stress_inputs(FinishedRun(folder.file("run")), options, events),
      IoError);
}

TEST(StressWindows, controls_are_half_sources_and_the_rest_others) {
  StressInputOptions options;
  options.control_count = 10;
  const std::vector<std::size_t> sources = {2, 4, 6, 8, 10, 12, 14, 16};
  const ControlChoice choice = choose_controls(sources, 100, options);
  EXPECT_EQ(choice.sources.size(), 5u);
  EXPECT_EQ(choice.others.size(), 5u);
  const std::set<std::size_t> known(sources.begin(), sources.end());
  for (const std::size_t i : choice.sources) EXPECT_TRUE(known.contains(i));
  for (const std::size_t i : choice.others) EXPECT_FALSE(known.contains(i));
  // More of one where there are too few of the other.
  EXPECT_EQ(choose_controls({3}, 100, options).others.size(), 9u);
  EXPECT_EQ(choose_controls(sources, 17, options).sources.size(), 5u);
  EXPECT_EQ(choose_controls({0, 1, 2, 3, 4, 5, 6}, 9, options).sources.size(),
            7u);
  options.seed = 1;
  EXPECT_NE(choose_controls(sources, 100, options).others, choice.others);
}

}  // namespace stress_windows_test
}  // namespace sbog::job
