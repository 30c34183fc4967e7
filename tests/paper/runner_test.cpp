// SPDX-License-Identifier: Apache-2.0
// Runs: the same bytes however they came about, and what a failure leaves.
#include "paper/runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "oracle/temporary_folder.h"
#include "paper/cell_store.h"
#include "paper/registry.h"
#include "paper/result_file.h"
#include "sbog/base/errors.h"
#include "test_paths.h"

namespace sbog::paper {
namespace runner_test {

using testing_support::read_bytes;
using testing_support::TemporaryFolder;

RunOptions small_options(const TemporaryFolder& folder) {
  RunOptions options;
  options.out = folder.path().string();
  options.settings.size = Size::kSmall;
  options.jobs = 2;
  options.program = {SBOG_PAPER};
  return options;
}

// All files of a result, one after the other.
std::string files_of(const TemporaryFolder& folder, const std::string& name) {
  return read_bytes(folder.file(name + ".json.gz")) +
         read_bytes(folder.file(name + ".txt")) +
         read_bytes(folder.file(name + ".vl.json")) +
         read_bytes(folder.file(name + ".md"));
}

class RunnerTest : public ::testing::Test {
 protected:
  const Experiment& kde_ = find_experiment("kde");
};

TEST_F(RunnerTest, every_experiment_runs_and_charts_fields_of_its_data) {
  const TemporaryFolder folder;
  for (const Experiment& experiment : experiments()) {
    if (!obstacle_of(experiment, {Size::kSmall, {}}).empty()) continue;
    const RunResult result =
        run_experiment(experiment, small_options(folder), nullptr);
    EXPECT_EQ(result.status, SolveStatus::kDone);
    EXPECT_EQ(result.reused, 0u);
    const Json json = read_result(folder.path().string(), experiment.name);
    EXPECT_EQ(json, result.json);
    EXPECT_EQ(json["cells"].size(), result.computed);
    EXPECT_FALSE(table_from_json(json["table"]).rows.empty());
    const Json chart =
        Json::parse(read_bytes(folder.file(experiment.name + ".vl.json")));
    const Json& values = chart["data"]["values"];
    ASSERT_FALSE(values.empty()) << experiment.name;
    for (const auto& [name, encoding] : chart["encoding"].items()) {
      EXPECT_TRUE(values[0].contains(encoding["field"])) << name;
    }
  }
}

TEST_F(RunnerTest, jobs_and_a_second_run_change_no_byte) {
  const TemporaryFolder one;
  const TemporaryFolder two;
  RunOptions options = small_options(one);
  options.jobs = 1;
  run_experiment(kde_, options, nullptr);
  const std::string expected = files_of(one, "kde");
  run_experiment(kde_, small_options(two), nullptr);
  EXPECT_EQ(files_of(two, "kde"), expected);
  const RunResult again = run_experiment(kde_, small_options(two), nullptr);
  EXPECT_EQ(again.computed, 0u);
  EXPECT_EQ(files_of(two, "kde"), expected);
}

TEST_F(RunnerTest, cells_of_an_earlier_result_are_taken_over) {
  const TemporaryFolder one;
  const RunResult first = run_experiment(kde_, small_options(one), nullptr);
  const TemporaryFolder two;
  RunOptions options = small_options(two);
  options.from = one.path().string();
  options.program = {"/bin/false"};
  const RunResult second = run_experiment(kde_, options, nullptr);
  EXPECT_EQ(second.reused, first.computed);
  EXPECT_EQ(files_of(two, "kde"), files_of(one, "kde"));
}

TEST_F(RunnerTest, an_earlier_result_that_there_is_not_is_told) {
  const TemporaryFolder folder;
  RunOptions options = small_options(folder);
  options.from = folder.file("none");
  EXPECT_THROW(run_experiment(kde_, options, nullptr), IoError);
}

TEST_F(RunnerTest, what_is_missing_is_told_before_anything_is_written) {
  const TemporaryFolder folder;
  RunOptions options = small_options(folder);
  options.settings.size = Size::kFull;
  EXPECT_THROW(run_experiment(find_experiment("series"), options, nullptr),
               InvalidArgument);
  EXPECT_TRUE(folder.is_empty());
}

TEST_F(RunnerTest, a_data_folder_without_series_is_told) {
  const TemporaryFolder folder;
  RunOptions options = small_options(folder);
  options.settings.data = folder.file("none");
  options.out = folder.file("out");
  EXPECT_THROW(run_experiment(find_experiment("series"), options, nullptr),
               IoError);
}

TEST_F(RunnerTest, damaged_and_missing_cells_are_computed_again) {
  const TemporaryFolder folder;
  const RunResult first = run_experiment(kde_, small_options(folder), nullptr);
  const std::string expected = files_of(folder, "kde");
  const auto cells = kde_.cells(resolve(kde_, {Size::kSmall, {}}));
  const CellStore store(folder.path().string(), "kde");
  std::ofstream(store.path_of(cells[0].key)) << "{";
  std::filesystem::remove(store.path_of(cells[1].key));
  const RunResult second = run_experiment(kde_, small_options(folder), nullptr);
  EXPECT_EQ(second.computed, 2u);
  EXPECT_EQ(second.reused, first.computed - 2);
  EXPECT_EQ(files_of(folder, "kde"), expected);
}

TEST_F(RunnerTest, cells_of_another_size_are_not_taken) {
  const TemporaryFolder folder;
  const Cell cell = kde_.cells(resolve(kde_, {Size::kSmall, {}}))[0];
  Cell other = cell;
  other.configuration["bank"] = 7;
  const CellStore store(folder.path().string(), "kde");
  store.make_folder();
  store.save(other, {{"mean_energy", 1.0}}, "abc");
  const RunResult result = run_experiment(kde_, small_options(folder), nullptr);
  EXPECT_EQ(result.reused, 0u);
}

TEST_F(RunnerTest, a_failing_child_is_one_sentence_and_finished_cells_stay) {
  const TemporaryFolder folder;
  RunOptions options = small_options(folder);
  run_cell(kde_, options, kde_.cells(resolve(kde_, {Size::kSmall, {}}))[0].key);
  options.program = {"/bin/sh", "-c",
                     "echo 'sbog-paper: no room left' >&2; exit 3"};
  try {
    run_experiment(kde_, options, nullptr);
    FAIL() << "nothing was thrown";
  } catch (const IoError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("no room left"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("kde: the cell"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder.file("kde.json.gz")));
  const RunResult rest = run_experiment(kde_, small_options(folder), nullptr);
  EXPECT_EQ(rest.reused, 1u);
}

// Asks to stop at the first cell that is done.
class StopAtFirst : public Observer {
 public:
  bool on_progress(std::uint64_t done, std::uint64_t /*total*/) override {
    return done == 0;
  }
};

TEST_F(RunnerTest, a_run_that_was_stopped_goes_on_to_the_same_bytes) {
  const TemporaryFolder whole;
  run_experiment(kde_, small_options(whole), nullptr);
  const TemporaryFolder folder;
  RunOptions options = small_options(folder);
  options.jobs = 1;
  StopAtFirst stop;
  const RunResult stopped = run_experiment(kde_, options, &stop);
  EXPECT_EQ(stopped.status, SolveStatus::kCancelled);
  EXPECT_FALSE(std::filesystem::exists(folder.file("kde.json.gz")));
  const RunResult rest = run_experiment(kde_, options, nullptr);
  EXPECT_EQ(rest.reused, 1u);
  EXPECT_EQ(files_of(folder, "kde"), files_of(whole, "kde"));
}

TEST_F(RunnerTest, what_is_finished_can_be_shown_alone) {
  const TemporaryFolder folder;
  RunOptions options = small_options(folder);
  options.takes_finished = true;
  EXPECT_THROW(run_experiment(kde_, options, nullptr), InvalidArgument);
  options.takes_finished = false;
  options.jobs = 1;
  StopAtFirst stop;
  run_experiment(kde_, options, &stop);
  options.takes_finished = true;
  const RunResult shown = run_experiment(kde_, options, nullptr);
  EXPECT_EQ(shown.status, SolveStatus::kDone);
  EXPECT_EQ(shown.computed, 0u);
  EXPECT_EQ(shown.json["cells"].size(), 1u);
  EXPECT_TRUE(std::filesystem::exists(folder.file("kde.json.gz")));
}

TEST_F(RunnerTest, a_child_that_writes_no_cell_is_found_out) {
  const TemporaryFolder folder;
  RunOptions options = small_options(folder);
  options.program = {"/bin/true"};
  EXPECT_THROW(run_experiment(kde_, options, nullptr), IoError);
}

TEST_F(RunnerTest, a_key_that_there_is_not_is_refused) {
  const TemporaryFolder folder;
  EXPECT_THROW(run_cell(kde_, small_options(folder), "d5-s1"), InvalidArgument);
}

}  // namespace runner_test
}  // namespace sbog::paper
