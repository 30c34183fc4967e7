// SPDX-License-Identifier: Apache-2.0
// Reading a run folder; see finished_run.h.
#include "sbog/run/finished_run.h"

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "sbog/base/atomic_file.h"
#include "sbog/base/errors.h"
#include "sbog/base/number_text.h"
#include "sbog/data/csv.h"
#include "sbog/data/dataset.h"
#include "sbog/run/config_file.h"
#include "sbog/run/run_json.h"

namespace sbog {
namespace {

nlohmann::json read_manifest(const std::string& folder,
                             const std::string& path) {
  const auto text = read_file_if_there(path);
  if (!text) throw IoError(folder, "holds no run (no manifest.json)");
  nlohmann::json manifest = parse_stored_json(*text);
  check_manifest(manifest, path);
  for (const char* entry : {"state", "input", "seed", "input_checksum"}) {
    if (!manifest.contains(entry)) {
      throw IoError(path, std::string("has no entry '") + entry +
                              "', which the manifest of a run has");
    }
  }
  if (manifest["state"] == "running") {
    throw IoError(folder,
                  "holds an unfinished run; go on with it by sbog generate "
                  "--resume first");
  }
  return manifest;
}

void check_rows(const std::string& path, std::size_t rows, std::size_t points) {
  if (rows == points) return;
  throw IoError(path, "has " + std::to_string(rows) + " rows for " +
                          std::to_string(points) + " outliers");
}

// 2^53, up to which doubles are exact.
constexpr double kLargestWhole = 9007199254740992.0;

// A number of a table that counts something: a class, a row of the bank.
double whole_number(const std::string& path, double value, double least) {
  if (value >= least && value <= kLargestWhole && value == std::floor(value)) {
    return value;
  }
  throw IoError(
      path, "holds " + shortest(value) + " where a whole number is expected");
}

std::size_t row_number(const std::string& path, double value) {
  return static_cast<std::size_t>(whole_number(path, value, 0.0));
}

// The table of a series has a row for every scenario; decoded/edits.json has an
// entry for each of them, and says which ones were kept.
template <typename T>
void read_scenarios(const FinishedRun& run, RunOutliers<T>& outliers) {
  CsvOptions csv;
  csv.columns = {"anchor_window", "margin"};
  csv.header = CsvHeader::kPresent;
  csv.allows_missing = true;
  const CsvTable table = read_csv(run.file("outliers.csv"), csv);
  const std::string path = run.file("decoded/edits.json");
  const nlohmann::json entries =
      parse_stored_json(read_file_if_there(path).value_or(""));
  if (!entries.is_array() || entries.size() != table.values.rows()) {
    throw IoError(path, "does not fit outliers.csv");
  }
  std::set<std::size_t> tried;
  for (std::size_t i = 0; i < table.values.rows(); ++i) {
    const std::size_t anchor =
        row_number(run.file("outliers.csv"), table.values(i, 0));
    tried.insert(anchor);
    if (!entries[i].contains("window")) continue;
    outliers.classes.push_back(0);
    outliers.anchor_rows.push_back(anchor);
    outliers.margins.push_back(table.values(i, 1));
  }
  outliers.anchors_tried.assign(tried.begin(), tried.end());
  check_rows(path, outliers.margins.size(), outliers.points.rows());
}

}  // namespace

FinishedRun::FinishedRun(std::string folder)
    : folder_(std::move(folder)),
      manifest_(std::make_shared<const nlohmann::json>(
          read_manifest(folder_, file("manifest.json")))),
      kind_(manifest_->value("kind", "latent")),
      input_(manifest_->at("input").get<std::string>()),
      seed_(manifest_->at("seed").get<std::uint64_t>()) {}

std::string FinishedRun::file(const std::string& name) const {
  return (std::filesystem::path(folder_) / name).string();
}

bool FinishedRun::has_file(const std::string& name) const {
  std::error_code error;
  return std::filesystem::exists(file(name), error);
}

std::string FinishedRun::found(const std::string& spec) const {
  namespace fs = std::filesystem;
  const fs::path started = manifest_->value("started_in", "");
  if (spec.empty() || started.empty() || fs::path(spec).is_absolute()) {
    return spec;
  }
  const std::string there =
      (fs::path(folder_) / started / spec).lexically_normal().string();
  std::error_code error;
  // What follows a colon is the name of an array within the file.
  const bool is_there = fs::exists(there, error) ||
                        fs::exists(there.substr(0, there.rfind(':')), error);
  return is_there ? there : spec;
}

std::vector<Assignment> FinishedRun::config() const {
  return read_config(file("config.toml"), "generate");
}

template <typename T>
RunOutliers<T> read_outliers(const FinishedRun& run) {
  RunOutliers<T> outliers;
  outliers.points = to_matrix<T>(read_array(run.file("outliers.npy")));
  const std::size_t rows = outliers.points.rows();
  if (rows == 0) throw IoError(run.folder(), "has no outliers");
  if (run.kind() == "series") {
    read_scenarios(run, outliers);
    return outliers;
  }
  CsvOptions csv;
  csv.columns = {"class", "margin", "anchor_row"};
  csv.header = CsvHeader::kPresent;
  const std::string path = run.file("outliers.csv");
  const CsvTable table = read_csv(path, csv);
  check_rows(path, table.values.rows(), rows);
  for (std::size_t i = 0; i < rows; ++i) {
    outliers.classes.push_back(static_cast<std::int64_t>(
        whole_number(path, table.values(i, 0), -kLargestWhole)));
    outliers.margins.push_back(table.values(i, 1));
    outliers.anchor_rows.push_back(row_number(path, table.values(i, 2)));
  }
  return outliers;
}

template RunOutliers<float> read_outliers(const FinishedRun&);
template RunOutliers<double> read_outliers(const FinishedRun&);

}  // namespace sbog
