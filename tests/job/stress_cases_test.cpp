// SPDX-License-Identifier: Apache-2.0
// Cases and controls of runs on points.
#include "sbog/job/stress_cases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "job/recorded_events.h"
#include "job/stress_world.h"
#include "sbog/base/errors.h"

namespace sbog::job {
namespace stress_cases_test {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing_support::make_points_run;
using testing_support::RecordedEvents;
using testing_support::TemporaryFolder;

TEST(StressPoints, outliers_are_cases_and_bank_rows_controls) {
  const TemporaryFolder folder;
  make_points_run(folder.file("run"));
  RecordedEvents events;
  StressInputOptions options;
  options.control_count = 40;
  const FinishedRun run(folder.file("run"));
  const StressInputs inputs = load_stress_inputs(run, options, events);
  EXPECT_EQ(inputs.sorted.count, 18u);
  EXPECT_THAT(inputs.labels, ElementsAre(0, 1, 2));
  ASSERT_EQ(inputs.sorted.groupings.size(), 1u);
  EXPECT_EQ(inputs.sorted.groupings[0].name, "class");
  EXPECT_THAT(inputs.sorted.groupings[0].levels, ElementsAre("0", "1", "2"));
  EXPECT_EQ(inputs.controls.shape()[0], 40u);
  EXPECT_EQ(inputs.sorted.severities.size(), 18u);
  const auto cases = to_matrix<float>(inputs.cases);
  const auto stored = to_matrix<float>(read_npy(run.file("outliers.npy")));
  EXPECT_EQ(cases.view()(7, 2), stored.view()(7, 2));
}

TEST(StressPoints, the_cases_of_a_run_on_images_may_be_its_latents) {
  const TemporaryFolder folder;
  testing_support::make_image_run(folder.file("run"));
  Events events;
  StressInputOptions options;
  options.kind = Kind::kPoints;
  const StressInputs inputs =
      load_stress_inputs(FinishedRun(folder.file("run")), options, events);
  EXPECT_EQ(inputs.kind, Kind::kPoints);
  EXPECT_EQ(inputs.cases.shape(), (std::vector<std::size_t>{18, 4}));
  EXPECT_EQ(inputs.controls.shape()[1], 4u);
  EXPECT_THAT(inputs.labels, ElementsAre(0, 1, 2));
}

TEST(StressPoints, severities_come_from_the_table) {
  const TemporaryFolder folder;
  make_points_run(folder.file("run"));
  const std::string path = folder.file("run") + "/outliers.csv";
  std::istringstream old(testing_support::read_bytes(path));
  std::string table;
  std::size_t row = 0;
  for (std::string line; std::getline(old, line); ++row) {
    line.resize(line.rfind(',') + 1);  // the severity comes last
    table += line + (row == 0   ? "severity\n"
                     : row == 5 ? "beyond\n"
                                : std::to_string(row % 3) + "\n");
  }
  write_file_atomically(path, table);
  RecordedEvents events;
  const StressInputs inputs =
      load_stress_inputs(FinishedRun(folder.file("run")), {}, events);
  ASSERT_EQ(inputs.sorted.severities.size(), 18u);
  EXPECT_EQ(inputs.sorted.severities[0], 1);
  EXPECT_FALSE(inputs.sorted.severities[4].has_value());
  EXPECT_EQ(inputs.facts[4].severity, "beyond");
  EXPECT_THAT(events.notes, Contains(HasSubstr("1 of 18 cases")));
}

TEST(StressPoints, runs_of_before_have_no_severities) {
  const TemporaryFolder folder;
  make_points_run(folder.file("run"));
  const std::string path = folder.file("run") + "/outliers.csv";
  std::string table = testing_support::read_bytes(path);
  table.replace(table.find(",severity"), 9, ",unknown");
  write_file_atomically(path, table);
  RecordedEvents events;
  const StressInputs inputs =
      load_stress_inputs(FinishedRun(folder.file("run")), {}, events);
  EXPECT_TRUE(inputs.sorted.severities.empty());
  EXPECT_THAT(events.notes, Contains(HasSubstr("no severities")));
}

TEST(StressPoints, a_bank_that_is_not_of_unit_length_is_scaled) {
  const TemporaryFolder folder;
  const auto bank = to_matrix<float>(load_array("demo:bank"));
  Matrix<float> longer(bank.rows(), bank.cols());
  for (std::size_t k = 0; k < longer.size(); ++k) {
    longer.data()[k] = 3.0F * bank.view().data()[k];
  }
  write_npy(folder.file("bank.npy"), std::as_const(longer).view());
  GenerateOptions made = testing_support::points_options(folder.file("run"));
  made.input = folder.file("bank.npy");
  RecordedEvents events;
  run(made, events);
  const StressInputs inputs =
      load_stress_inputs(FinishedRun(folder.file("run")), {}, events);
  const auto controls = to_matrix<float>(inputs.controls);
  for (std::size_t i = 0; i < controls.rows(); ++i) {
    double square = 0.0;
    for (const float x : controls.view().row(i)) square += double{x} * x;
    EXPECT_NEAR(square, 1.0, 1e-5);
  }
  EXPECT_THAT(events.notes, Contains(HasSubstr("unit length")));
}

TEST(StressPoints, controls_of_a_file_must_fit) {
  const TemporaryFolder folder;
  make_points_run(folder.file("run"));
  const FinishedRun run(folder.file("run"));
  Events events;
  StressInputOptions options;
  options.controls = "demo:queries";
  EXPECT_EQ(load_stress_inputs(run, options, events).controls.shape()[0], 9u);
  options.controls = "demo:series";
  Matrix<float> narrow(3, 2);
  write_npy(folder.file("narrow.npy"), std::as_const(narrow).view());
  options.controls = folder.file("narrow.npy");
  EXPECT_THROW(load_stress_inputs(run, options, events), InvalidArgument);
  options = {};
  options.control_count = 0;
  EXPECT_THROW(load_stress_inputs(run, options, events), InvalidArgument);
  options = {};
  options.wants_controls = false;
  EXPECT_EQ(load_stress_inputs(run, options, events).controls.size(), 0u);
}

TEST(StressPoints, labels_are_columns_or_are_ranked) {
  StressInputs inputs;
  inputs.facts.resize(2);
  inputs.facts[0].label = 5;
  inputs.facts[1].label = 9;
  inputs.labels = {5, 7, 9};
  EXPECT_THAT(class_columns(inputs, 3), ElementsAre(0u, 2u));
  EXPECT_THAT(class_columns(inputs, 10), ElementsAre(5u, 9u));
  EXPECT_THAT(class_columns(inputs, 4), ElementsAre());
  inputs.labels.clear();
  EXPECT_THAT(class_columns(inputs, 3), ElementsAre());
}

TEST(StressPoints, a_severity_is_a_whole_number) {
  EXPECT_EQ(severity_of_text("2"), 2);
  for (const char* text : {"", "beyond", "2.5", "-1", "2 "}) {
    EXPECT_FALSE(severity_of_text(text).has_value()) << text;
  }
}

}  // namespace stress_cases_test
}  // namespace sbog::job
