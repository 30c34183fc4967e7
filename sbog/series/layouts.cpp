// SPDX-License-Identifier: Apache-2.0
// Folders of arrays and text files; see layouts.h. The two plants have their
// own file, plant_tables.cpp.
#include "sbog/series/layouts.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/data/array.h"
#include "sbog/data/csv.h"
#include "sbog/data/npy.h"
#include "sbog/series/detail/plant_tables.h"

namespace sbog {
namespace {

namespace fs = std::filesystem;

std::string join(const std::string& folder, const std::string& name) {
  return (fs::path(folder) / name).string();
}

// Names of the files in a folder that end in `ending`, without it, sorted.
std::vector<std::string> stems(const std::string& folder,
                               const std::string& ending) {
  std::error_code error;
  fs::directory_iterator files(folder, error);
  if (error) throw IoError(folder, "cannot be read as a folder");
  std::vector<std::string> found;
  for (const auto& file : files) {
    const std::string name = file.path().filename().string();
    if (name.size() > ending.size() && name.ends_with(ending)) {
      found.push_back(name.substr(0, name.size() - ending.size()));
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

// What is not finite counts as 0 in these sets.
Matrix<double> finite_copy(MatrixView<const double> values) {
  Matrix<double> copy(values.rows(), values.cols());
  for (std::size_t t = 0; t < values.rows(); ++t) {
    for (std::size_t c = 0; c < values.cols(); ++c) {
      copy(t, c) = std::isfinite(values(t, c)) ? values(t, c) : 0.0;
    }
  }
  return copy;
}

Series read_array_series(const std::string& path) {
  const LoadedMatrix<double> values = to_matrix<double>(read_npy(path));
  if (values.rows() == 0) throw IoError(path, "has no rows");
  return make_series(path, finite_copy(values.view()));
}

std::vector<std::int64_t> checked_labels(std::vector<std::int64_t> labels,
                                         const std::string& path) {
  for (std::size_t t = 0; t < labels.size(); ++t) {
    if (labels[t] != 0 && labels[t] != 1) {
      throw IoError(path, "label " + std::to_string(t) + " is " +
                              std::to_string(labels[t]) +
                              "; 0 or 1 is expected");
    }
  }
  return labels;
}

SeriesEntity read_npy_entity(const std::string& folder,
                             const std::string& name) {
  SeriesEntity entity;
  entity.train = read_array_series(join(folder, name + "_train.npy"));
  entity.test = read_array_series(join(folder, name + "_test.npy"));
  const std::string labels = join(folder, name + "_labels.npy");
  entity.labels = checked_labels(to_labels(read_npy(labels)), labels);
  return entity;
}

Matrix<double> read_text_matrix(const std::string& path, bool loses_first) {
  CsvOptions options;
  options.header = loses_first ? CsvHeader::kPresent : CsvHeader::kAbsent;
  return std::move(read_csv(path, options).values);
}

SeriesEntity read_smd_entity(const std::string& folder, const std::string& name,
                             const LayoutOptions& options) {
  const auto path = [&](const char* part) {
    return join(join(folder, part), name + ".txt");
  };
  const auto read = [&](const char* part) {
    return read_text_matrix(path(part), options.is_literal);
  };
  SeriesEntity entity;
  entity.train = make_series(path("train"), read("train"));
  entity.test = make_series(path("test"), read("test"));
  const std::string where = path("test_label");
  const Matrix<double> labels = read("test_label");
  entity.labels =
      checked_labels(to_labels(to_array(labels.clone(), where)), where);
  return entity;
}

struct LabelledRows {
  std::size_t first;
  std::size_t last;  // included
};

// "[[149, 349], [4536, 4844]]".
std::vector<LabelledRows> parse_intervals(const std::string& text,
                                          const std::string& path) {
  std::vector<std::size_t> numbers;
  const char* at = text.data();
  const char* end = at + text.size();
  while (at != end) {
    if (*at < '0' || *at > '9') {
      const bool is_known =
          std::string_view("[], ").find(*at) != std::string_view::npos;
      if (!is_known) break;
      ++at;
      continue;
    }
    std::size_t number = 0;
    const auto read = std::from_chars(at, end, number);
    if (read.ec != std::errc()) break;
    numbers.push_back(number);
    at = read.ptr;
  }
  std::vector<LabelledRows> found;
  for (std::size_t i = 0; i + 1 < numbers.size(); i += 2) {
    found.push_back({numbers[i], numbers[i + 1]});
    if (numbers[i] > numbers[i + 1]) at = nullptr;
  }
  if (at != end || numbers.size() % 2 != 0) {
    throw IoError(path, "'" + text +
                            "' is not a list of intervals such as "
                            "[[149, 349]]");
  }
  return found;
}

struct AnomalyRow {
  std::string channel;
  std::string spacecraft;
  std::vector<LabelledRows> intervals;
};

std::vector<AnomalyRow> read_anomaly_table(const std::string& folder) {
  const std::string path = join(folder, "labeled_anomalies.csv");
  CsvOptions options;
  options.header = CsvHeader::kPresent;
  options.columns = {"num_values"};
  options.text_columns = {"chan_id", "spacecraft", "anomaly_sequences"};
  const CsvTable table = read_csv(path, options);
  std::vector<AnomalyRow> rows;
  for (std::size_t i = 0; i < table.values.rows(); ++i) {
    rows.push_back({table.texts[0][i], table.texts[1][i],
                    parse_intervals(table.texts[2][i], path)});
  }
  return rows;
}

SeriesEntity read_telemanom_entity(const std::string& folder,
                                   const std::string& name,
                                   const LayoutOptions& options) {
  SeriesEntity entity;
  entity.train = read_array_series(join(join(folder, "train"), name + ".npy"));
  entity.test = read_array_series(join(join(folder, "test"), name + ".npy"));
  entity.labels.assign(entity.test.rows(), 0);
  bool is_listed = false;
  for (const AnomalyRow& row : read_anomaly_table(folder)) {
    if (row.channel != name || (is_listed && options.is_literal)) continue;
    is_listed = true;
    for (const LabelledRows& interval : row.intervals) {
      if (interval.last >= entity.labels.size()) {
        throw IoError(entity.test.name,
                      "has " + std::to_string(entity.labels.size()) +
                          " rows, but an anomaly ends at row " +
                          std::to_string(interval.last));
      }
      for (std::size_t t = interval.first; t <= interval.last; ++t) {
        entity.labels[t] = 1;
      }
    }
  }
  if (!is_listed) {
    throw IoError(join(folder, "labeled_anomalies.csv"),
                  "has no row for the channel '" + name + "'");
  }
  return entity;
}

std::vector<std::string> list_telemanom(const std::string& folder,
                                        const LayoutOptions& options) {
  std::set<std::string> listed;
  for (const AnomalyRow& row : read_anomaly_table(folder)) {
    if (options.spacecraft.empty() || row.spacecraft == options.spacecraft) {
      listed.insert(row.channel);
    }
  }
  std::vector<std::string> names;
  for (const std::string& stem : stems(join(folder, "test"), ".npy")) {
    if (listed.contains(stem)) names.push_back(stem);
  }
  return names;
}

void check_entity(const SeriesEntity& entity) {
  if (entity.train.channel_count() != entity.test.channel_count()) {
    throw IoError(entity.test.name,
                  "has " + std::to_string(entity.test.channel_count()) +
                      " channels; the training series has " +
                      std::to_string(entity.train.channel_count()));
  }
  if (entity.labels.size() != entity.test.rows()) {
    throw IoError(entity.test.name,
                  "has " + std::to_string(entity.test.rows()) + " rows, but " +
                      std::to_string(entity.labels.size()) +
                      " labels belong to it");
  }
}

// Other arrays have training parts as well, but no labels of that name.
bool has_labelled_npy(const std::string& folder) {
  return std::ranges::any_of(
      stems(folder, "_train.npy"), [&](const std::string& name) {
        return fs::exists(join(folder, name + "_labels.npy"));
      });
}

}  // namespace

const char* to_string(SeriesLayout layout) {
  switch (layout) {
    case SeriesLayout::kNpyFolder:
      return "npy";
    case SeriesLayout::kSmd:
      return "smd";
    case SeriesLayout::kTelemanom:
      return "telemanom";
    case SeriesLayout::kSwat:
      return "swat";
    case SeriesLayout::kWadi:
      return "wadi";
  }
  return "unknown";
}

SeriesLayout detect_layout(const std::string& folder) {
  if (has_labelled_npy(folder)) return SeriesLayout::kNpyFolder;
  const fs::path root(folder);
  if (fs::is_directory(root / "test_label")) return SeriesLayout::kSmd;
  if (fs::exists(root / "labeled_anomalies.csv")) {
    return SeriesLayout::kTelemanom;
  }
  if (detail::find_wadi_tables(folder)) return SeriesLayout::kWadi;
  if (detail::find_swat_tables(folder)) return SeriesLayout::kSwat;
  throw IoError(folder,
                "no known layout of series is in this folder: *_train.npy with "
                "*_labels.npy, test_label/, labeled_anomalies.csv, SWaT or "
                "WADI tables are "
                "looked for");
}

std::vector<std::string> list_entities(const std::string& folder,
                                       SeriesLayout layout,
                                       const LayoutOptions& options) {
  switch (layout) {
    case SeriesLayout::kNpyFolder:
      return stems(folder, "_train.npy");
    case SeriesLayout::kSmd:
      return stems(join(folder, "train"), ".txt");
    case SeriesLayout::kTelemanom:
      return list_telemanom(folder, options);
    case SeriesLayout::kSwat:
    case SeriesLayout::kWadi:
      return {to_string(layout)};
  }
  throw InvalidArgument("list_entities: a known layout is expected");
}

SeriesEntity read_entity(const std::string& folder, SeriesLayout layout,
                         const std::string& name,
                         const LayoutOptions& options) {
  SeriesEntity entity;
  switch (layout) {
    case SeriesLayout::kNpyFolder:
      entity = read_npy_entity(folder, name);
      break;
    case SeriesLayout::kSmd:
      entity = read_smd_entity(folder, name, options);
      break;
    case SeriesLayout::kTelemanom:
      entity = read_telemanom_entity(folder, name, options);
      break;
    case SeriesLayout::kSwat:
      entity = detail::read_swat(folder);
      break;
    case SeriesLayout::kWadi:
      entity = detail::read_wadi(folder, options.is_literal);
      break;
  }
  entity.name = name;
  check_entity(entity);
  return entity;
}

}  // namespace sbog
