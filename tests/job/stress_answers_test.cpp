// SPDX-License-Identifier: Apache-2.0
// Answers in batches and from files.
#include "sbog/job/stress_answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "job/stress_world.h"
#include "sbog/base/errors.h"

namespace sbog::job {
namespace stress_answers_test {

using ::testing::HasSubstr;
using testing_support::TemporaryFolder;
using testing_support::write_values;

StressInputs inputs_of(const TemporaryFolder& folder) {
  StressInputs inputs;
  write_values(folder.file("cases.npy"), ElementType::kFloat64, {5, 2, 1},
               std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  inputs.cases = read_npy(folder.file("cases.npy"));
  write_values(folder.file("controls.npy"), ElementType::kFloat64, {2, 2, 1},
               std::vector<double>{20, 21, 22, 23});
  inputs.controls = read_npy(folder.file("controls.npy"));
  inputs.sorted.count = 5;
  inputs.case_starts = {4, 5, 6, 7, 8};
  inputs.control_starts = {1, 2};
  inputs.recording = make_series("r", Matrix<double>(10, 1));
  return inputs;
}

TEST(StressAnswers, batches_come_in_order_with_their_places) {
  const TemporaryFolder folder;
  const StressInputs inputs = inputs_of(folder);
  const AnswerParts parts(folder.file("stress"), 1);
  Events events;
  std::vector<std::size_t> starts;
  const StressModel model = [&](const StressBatch& batch) {
    EXPECT_EQ(batch.places.recording, &*inputs.recording);
    starts.insert(starts.end(), batch.places.starts.begin(),
                  batch.places.starts.end());
    const auto values = to_matrix<double>(batch.values);
    Matrix<double> said(values.rows(), 1);
    for (std::size_t i = 0; i < values.rows(); ++i) {
      said(i, 0) = values.view()(i, 1);
    }
    return said;
  };
  const StressAnswers answers =
      ask_model(model, "--model", inputs, 2, &parts, events, {});
  EXPECT_FALSE(answers.is_stopped);
  ASSERT_EQ(answers.cases.rows(), 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(answers.cases(i, 0), 2.0 * static_cast<double>(i) + 1.0);
  }
  ASSERT_EQ(answers.controls.rows(), 2u);
  EXPECT_EQ(answers.controls(1, 0), 23.0);
  EXPECT_THAT(starts, ::testing::ElementsAre(4, 5, 6, 7, 8, 1, 2));
}

TEST(StressAnswers, answers_that_do_not_fit_each_other_are_refused) {
  const TemporaryFolder folder;
  const StressInputs inputs = inputs_of(folder);
  const AnswerParts parts(folder.file("stress"), 1);
  Events events;
  std::size_t calls = 0;
  const StressModel growing = [&](const StressBatch& batch) {
    return Matrix<double>(batch.values.shape()[0], ++calls);
  };
  EXPECT_THROW(ask_model(growing, "--model", inputs, 2, &parts, events, {}),
               IoError);
  const AnswerParts others(folder.file("other"), 2);
  const StressModel few = [](const StressBatch&) {
    return Matrix<double>(1, 1);
  };
  EXPECT_THROW(ask_model(few, "--model", inputs, 2, &others, events, {}),
               IoError);
}

TEST(StressAnswers, files_hold_one_number_for_each_window_or_row) {
  const TemporaryFolder folder;
  const StressInputs inputs = inputs_of(folder);
  write_values(folder.file("windows.npy"), ElementType::kFloat64, {5},
               std::vector<double>{1, 2, 3, 4, 5});
  write_values(folder.file("rows.npy"), ElementType::kFloat64, {10},
               std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  write_values(folder.file("table.npy"), ElementType::kFloat64, {2, 2},
               std::vector<double>{1, 2, 3, 4});
  EXPECT_EQ(
      read_predictions(folder.file("windows.npy"), "", inputs).cases.cols(),
      1u);
  const StressAnswers rows = read_predictions(folder.file("rows.npy"),
                                              folder.file("table.npy"), inputs);
  ASSERT_EQ(rows.cases.cols(), 2u);
  EXPECT_EQ(rows.cases(4, 1), 10.0);
  EXPECT_EQ(rows.controls.rows(), 2u);
  EXPECT_THROW(read_predictions(folder.file("table.npy"), "", inputs), IoError);
  EXPECT_THROW(read_predictions(folder.file("windows.npy"),
                                folder.file("table.npy"), inputs),
               IoError);
  write_values(folder.file("nan.npy"), ElementType::kFloat64, {5},
               std::vector<double>{1, NAN, 3, 4, 5});
  EXPECT_THROW(read_predictions(folder.file("nan.npy"), "", inputs), IoError);
}

TEST(StressAnswers, the_task_follows_from_the_shape) {
  const TemporaryFolder folder;
  const StressInputs windows = inputs_of(folder);
  EXPECT_EQ(guess_task(windows, 1), stress::Task::kDetector);
  EXPECT_EQ(guess_task(windows, 2), stress::Task::kDetector);
  EXPECT_EQ(guess_task(windows, 3), stress::Task::kClassifier);
  check_answer_columns("m", stress::Task::kDetector, windows, 2);
  for (const auto& [task, columns] : {std::pair{stress::Task::kDetector, 3},
                                      {stress::Task::kClassifier, 1},
                                      {stress::Task::kLoss, 2}}) {
    try {
      check_answer_columns("m", task, windows,
                           static_cast<std::size_t>(columns));
      FAIL() << "nothing was thrown";
    } catch (const IoError& error) {
      EXPECT_THAT(error.what(), HasSubstr("m: gave "));
    }
  }
}

TEST(StressAnswers, the_identity_is_that_of_model_cases_and_batch) {
  const TemporaryFolder folder;
  StressInputs inputs = inputs_of(folder);
  const auto identity = answers_identity(inputs, "a {cases} {out}", 2);
  EXPECT_EQ(answers_identity(inputs, "a {cases} {out}", 2), identity);
  EXPECT_NE(answers_identity(inputs, "b {cases} {out}", 2), identity);
  EXPECT_NE(answers_identity(inputs, "a {cases} {out}", 3), identity);
  std::swap(inputs.cases, inputs.controls);
  EXPECT_NE(answers_identity(inputs, "a {cases} {out}", 2), identity);
}

}  // namespace stress_answers_test
}  // namespace sbog::job
