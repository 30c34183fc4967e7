// SPDX-License-Identifier: Apache-2.0
// Neighbours of outliers in words: against the plain loop over the bank, and as
// columns of a run.
#include "sbog/job/outlier_neighbours.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "job/made_runs.h"
#include "job/recorded_events.h"
#include "sbog/base/errors.h"
#include "sbog/data/csv.h"

namespace sbog::job {
namespace outlier_neighbours_test {

using testing::HasSubstr;
using testing_support::points_options;
using testing_support::read_bytes;
using testing_support::read_json;
using testing_support::RecordedEvents;
using testing_support::TemporaryFolder;

constexpr std::size_t kRows = 600;
constexpr std::size_t kOwnColumns = 20;

std::string item_of(std::size_t row) {
  return "item \"" + std::to_string(row) + "\", <b>";
}

std::string write_lines(const TemporaryFolder& folder, std::size_t rows) {
  std::ofstream file(folder.file("lines.txt"));
  for (std::size_t i = 0; i < rows; ++i) file << item_of(i) << '\n';
  return folder.file("lines.txt");
}

GenerateOptions with_items(const TemporaryFolder& folder) {
  GenerateOptions options = points_options(folder.file("run"));
  options.items = write_lines(folder, kRows);
  return options;
}

// The rows by cosine cost, nearest first, as slow and plain as can be.
std::vector<std::size_t> rows_by_cost(MatrixView<const float> bank,
                                      std::span<const float> point) {
  const auto norm = [](std::span<const float> x) {
    double sum = 0.0;
    for (const float value : x) sum += double{value} * value;
    return std::sqrt(sum);
  };
  std::vector<double> costs(bank.rows());
  for (std::size_t i = 0; i < bank.rows(); ++i) {
    double dot = 0.0;
    for (std::size_t k = 0; k < bank.cols(); ++k) {
      dot += double{bank(i, k)} * point[k];
    }
    costs[i] = 1.0 - dot / (norm(bank.row(i)) * norm(point));
  }
  std::vector<std::size_t> rows(bank.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::ranges::stable_sort(
      rows, [&](std::size_t a, std::size_t b) { return costs[a] < costs[b]; });
  return rows;
}

CsvTable neighbours_of(const std::string& path) {
  CsvOptions csv;
  csv.header = CsvHeader::kPresent;
  csv.columns = {"near_1", "near_2", "near_3", "taken_for"};
  csv.text_columns = {"item_1", "item_2", "item_3"};
  return read_csv(path, csv);
}

TEST(OutlierNeighbours, a_run_names_the_nearest_rows_of_the_plain_loop) {
  const TemporaryFolder folder;
  RecordedEvents events;
  const GenerateOptions options = with_items(folder);
  run(options, events);
  EXPECT_THAT(events.stages, testing::Contains("finding neighbours"));
  const CsvTable table = neighbours_of(folder.file("run/outliers.csv"));
  const RunInputs<float> inputs = load_inputs<float>(options);
  const auto outliers =
      to_matrix<float>(load_array(folder.file("run/outliers.npy")));
  ASSERT_EQ(table.values.rows(), outliers.rows());
  for (std::size_t i = 0; i < outliers.rows(); ++i) {
    const auto rows = rows_by_cost(inputs.bank.view(), outliers.view().row(i));
    for (std::size_t k = 0; k < kToldRows; ++k) {
      EXPECT_EQ(table.values(i, k), static_cast<double>(rows[k])) << i;
      EXPECT_EQ(table.texts[k][i], item_of(rows[k]));
    }
    EXPECT_EQ(table.values(i, 3), static_cast<double>(inputs.labels[rows[0]]));
  }
}

TEST(OutlierNeighbours, items_change_no_outlier_and_no_other_column) {
  const TemporaryFolder folder;
  Events events;
  run(with_items(folder), events);
  run(points_options(folder.file("plain")), events);
  for (const char* name : {"outliers.npy", "config.toml"}) {
    EXPECT_EQ(read_bytes(folder.file(std::string("run/") + name)),
              read_bytes(folder.file(std::string("plain/") + name)));
  }
  std::istringstream wide(read_bytes(folder.file("run/outliers.csv")));
  std::istringstream plain(read_bytes(folder.file("plain/outliers.csv")));
  std::string left;
  std::string right;
  while (std::getline(plain, right)) {
    ASSERT_TRUE(std::getline(wide, left));
    EXPECT_TRUE(left.starts_with(right + ","));
    EXPECT_EQ(std::ranges::count(right, ',') + 1, kOwnColumns);
  }
  EXPECT_FALSE(std::filesystem::exists(folder.file("plain/items.txt")));
  EXPECT_EQ(read_bytes(folder.file("run/items.txt")),
            read_bytes(folder.file("lines.txt")));
}

TEST(OutlierNeighbours, a_finished_run_gets_them_later_and_only_once) {
  const TemporaryFolder folder;
  RecordedEvents events;
  run(points_options(folder.file("run")), events);
  GenerateOptions again = with_items(folder);
  again.resume = true;
  EXPECT_TRUE(run(again, events).was_finished);
  const std::string first = read_bytes(folder.file("run/outliers.csv"));
  EXPECT_THAT(first, HasSubstr(",near_1,item_1,"));
  run(again, events);
  EXPECT_EQ(read_bytes(folder.file("run/outliers.csv")), first);
}

TEST(OutlierNeighbours, names_of_classes_are_in_table_and_manifest) {
  const TemporaryFolder folder;
  Events events;
  GenerateOptions options = with_items(folder);
  std::ofstream(folder.file("names.txt")) << "calm\nloaded, \"x\"\nlate\n";
  options.images.input.class_names = folder.file("names.txt");
  run(options, events);
  CsvOptions csv;
  csv.header = CsvHeader::kPresent;
  csv.columns = {"taken_for"};
  csv.text_columns = {"taken_for_name"};
  const CsvTable table = read_csv(folder.file("run/outliers.csv"), csv);
  const std::vector<std::string> names = {"calm", "loaded, \"x\"", "late"};
  std::set<std::string> seen;
  for (std::size_t i = 0; i < table.values.rows(); ++i) {
    EXPECT_EQ(table.texts[0][i],
              names[static_cast<std::size_t>(table.values(i, 0))]);
    seen.insert(table.texts[0][i]);
  }
  EXPECT_EQ(seen.size(), 3u);
  const auto manifest = read_json(folder.file("run/manifest.json"));
  EXPECT_EQ(manifest["classes"][1]["name"], names[1]);
  EXPECT_EQ(manifest["items"], options.items);
}

TEST(OutlierNeighbours, files_that_do_not_fit_are_told_before_the_work) {
  const TemporaryFolder folder;
  Events events;
  GenerateOptions options = points_options(folder.file("run"));
  options.items = write_lines(folder, kRows - 1);
  try {
    run(options, events);
    FAIL() << "599 lines for 600 rows were taken";
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("(600)"));
    EXPECT_THAT(error.what(), HasSubstr("has 599"));
  }
  options.items = folder.file("none.txt");
  EXPECT_THROW(run(options, events), IoError);
  options.items.clear();
  std::ofstream(folder.file("names.txt")) << "calm\nloaded\n";
  options.images.input.class_names = folder.file("names.txt");
  EXPECT_THROW(run(options, events), InvalidArgument);
  options.labels.clear();
  EXPECT_THROW(run(options, events), InvalidArgument);
  EXPECT_FALSE(std::filesystem::exists(folder.file("run")));
}

TEST(OutlierNeighbours, a_bank_of_two_rows_has_two_neighbours) {
  const TemporaryFolder folder;
  const float values[] = {1, 0, 0, 1};
  const MatrixView<const float> bank(values, 2, 2);
  const float point[] = {0.6F, 0.8F};
  write_file_atomically(folder.file("table.csv"), "index\n0\n");
  const BankWords words{{"x", "y"}, {}};
  ASSERT_EQ(
      add_neighbour_columns<float>(folder.file("table.csv"), {point, 1, 2},
                                   bank, {}, words, {}, {}),
      SolveStatus::kDone);
  EXPECT_EQ(read_bytes(folder.file("table.csv")),
            "index,near_1,item_1,near_2,item_2,near_3,item_3,taken_for\n"
            "0,1,\"y\",0,\"x\",,,0\n");
}

TEST(OutlierNeighbours, a_table_of_another_length_is_refused_and_left) {
  const TemporaryFolder folder;
  const float values[] = {1, 0, 0, 1};
  const MatrixView<const float> bank(values, 2, 2);
  const BankWords words{{"x", "y"}, {}};
  for (const char* text : {"index\n0\n", "index\n0\n1\n2\n"}) {
    write_file_atomically(folder.file("table.csv"), text);
    EXPECT_THROW(static_cast<void>(add_neighbour_columns<float>(
                     folder.file("table.csv"), bank, bank, {}, words, {}, {})),
                 IoError);
    EXPECT_EQ(read_bytes(folder.file("table.csv")), text);
  }
}

}  // namespace outlier_neighbours_test
}  // namespace sbog::job
