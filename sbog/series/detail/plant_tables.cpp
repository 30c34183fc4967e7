// SPDX-License-Identifier: Apache-2.0
// SWaT and WADI; see plant_tables.h.
#include "sbog/series/detail/plant_tables.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <utility>
#include <vector>

#include "sbog/base/errors.h"
#include "sbog/data/csv.h"

namespace sbog::detail {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostJunkLines = 10;
constexpr std::size_t kWadiLiteralTags = 120;
const std::array<std::string, 4> kWadiEmptyTags = {
    "2_LS_001_AL", "2_LS_002_AL", "2_P_001_STATUS", "2_P_002_STATUS"};

std::string without_blanks(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\t'; });
  return text;
}

// The tag behind a path such as \\WIN-25J4RO10SBF\LOG_DATA\1_AIT_001_PV.
std::string tag_name(const std::string& text) {
  const std::size_t slash = text.find_last_of('\\');
  return without_blanks(slash == std::string::npos ? text
                                                   : text.substr(slash + 1));
}

// The one file of a folder whose name begins and ends so and holds `word`.
std::string find_table(const std::string& folder, const std::string& begin,
                       const std::string& word, const std::string& ending) {
  std::error_code error;
  std::vector<std::string> found;
  for (const auto& file : fs::directory_iterator(folder, error)) {
    const std::string name = file.path().filename().string();
    if (name.starts_with(begin) && name.ends_with(ending) &&
        name.find(word) != std::string::npos) {
      found.push_back(file.path().string());
    }
  }
  std::sort(found.begin(), found.end());
  // Of several versions the last by name.
  return found.empty() ? std::string() : found.back();
}

std::optional<PlantFiles> pair_of(std::string normal, std::string attack) {
  if (normal.empty() || attack.empty()) return std::nullopt;
  return PlantFiles{std::move(normal), std::move(attack)};
}

// Lines before the record whose first field is `first`.
std::size_t lines_before_header(const std::string& path,
                                const std::vector<std::string>& first) {
  const auto head = preview_csv(path, kMostJunkLines);
  for (std::size_t i = 0; i < head.size(); ++i) {
    const std::string name = without_blanks(head[i].front());
    if (std::find(first.begin(), first.end(), name) != first.end()) return i;
  }
  throw IoError(path, "no header that begins with '" + first.front() +
                          "' is among the first lines");
}

struct PlantTable {
  std::vector<std::string> names;  // of all columns
  Matrix<double> values;           // of all numeric columns
  std::vector<std::vector<std::string>> texts;
};

// All columns but those of `texts`, which are given by position.
PlantTable read_table(const std::string& path, std::size_t skip,
                      const std::vector<std::size_t>& texts) {
  CsvOptions options;
  options.header = CsvHeader::kPresent;
  options.skip_lines = skip;
  options.allows_missing = true;
  for (const std::size_t column : texts) {
    options.text_columns.push_back(std::to_string(column));
  }
  CsvTable table = read_csv(path, options);
  return {std::move(table.header), std::move(table.values),
          std::move(table.texts)};
}

// NaN takes the value before it, 0 at the start.
void fill_forward(Matrix<double>& values) {
  for (std::size_t t = 0; t < values.rows(); ++t) {
    for (std::size_t c = 0; c < values.cols(); ++c) {
      if (std::isnan(values(t, c))) {
        values(t, c) = t == 0 ? 0.0 : values(t - 1, c);
      }
    }
  }
}

std::int64_t swat_label(const std::string& text, const std::string& path) {
  const std::string word = without_blanks(text);
  if (word == "Normal" || word == "0" || word == "0.0") return 0;
  if (word == "Attack" || word == "1" || word == "1.0") return 1;
  throw IoError(path, "the label '" + text + "' is neither Normal nor Attack");
}

struct LabelledSeries {
  Series series;
  std::vector<std::int64_t> labels;
};

LabelledSeries read_swat_table(const std::string& path) {
  const auto head = preview_csv(path, 2);
  // Group names (P1 ... P6) stand above the header.
  const bool has_groups =
      head.size() > 1 && without_blanks(head[1].front()) == "Timestamp";
  const std::size_t skip = has_groups ? 1 : 0;
  const std::vector<std::string>& header = head.at(skip);
  std::vector<std::size_t> texts = {0};
  for (std::size_t c = 1; c < header.size(); ++c) {
    const std::string name = without_blanks(header[c]);
    if (name == "Normal/Attack" || name == "attack") texts.push_back(c);
  }
  if (texts.size() > 2) throw IoError(path, "has two columns of labels");
  PlantTable table = read_table(path, skip, texts);
  LabelledSeries result;
  result.series.name = path;
  for (const std::string& name : table.names) {
    result.series.channels.push_back(without_blanks(name));
  }
  fill_forward(table.values);
  result.series.values = std::move(table.values);
  result.series.times = std::move(table.texts[0]);
  if (texts.size() == 2) {
    for (const std::string& text : table.texts[1]) {
      result.labels.push_back(swat_label(text, path));
    }
  }
  return result;
}

bool is_label_name(const std::string& name) {
  return name.find("LABLE") != std::string::npos ||
         name.find("LABEL") != std::string::npos || name == "Attack";
}

LabelledSeries read_wadi_table(const std::string& path, bool is_literal) {
  const std::size_t skip = lines_before_header(path, {"Row"});
  PlantTable table = read_table(path, skip, {1, 2});
  std::vector<std::size_t> kept;
  std::size_t label = table.names.size();
  for (std::size_t c = 1; c < table.names.size(); ++c) {  // 0 is Row
    const std::string name = tag_name(table.names[c]);
    const bool is_empty =
        std::find(kWadiEmptyTags.begin(), kWadiEmptyTags.end(), name) !=
        kWadiEmptyTags.end();
    if (is_label_name(name)) {
      label = c;
    } else if (is_literal ? kept.size() < kWadiLiteralTags : !is_empty) {
      kept.push_back(c);
    }
  }
  const bool has_labels = label < table.names.size();
  LabelledSeries result;
  std::vector<std::size_t> rows;
  for (std::size_t t = 0; t < table.values.rows(); ++t) {
    const double value = has_labels ? table.values(t, label) : 1.0;
    if (!is_literal && std::isnan(value)) continue;
    if (!is_literal && value != 1.0 && value != -1.0) {
      throw IoError(path, "row " + std::to_string(t) +
                              " has another label than 1 and -1");
    }
    rows.push_back(t);
    if (has_labels) result.labels.push_back(value != 1.0 ? 1 : 0);
  }
  result.series.name = path;
  result.series.values = Matrix<double>(rows.size(), kept.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    result.series.times.push_back(table.texts[0][rows[i]] + " " +
                                  table.texts[1][rows[i]]);
    for (std::size_t k = 0; k < kept.size(); ++k) {
      result.series.values(i, k) = table.values(rows[i], kept[k]);
    }
  }
  fill_forward(result.series.values);
  for (const std::size_t c : kept) {
    result.series.channels.push_back(tag_name(table.names[c]));
  }
  return result;
}

SeriesEntity make_entity(LabelledSeries normal, LabelledSeries attack) {
  if (attack.labels.empty()) {
    throw IoError(attack.series.name, "has no column of labels");
  }
  SeriesEntity entity;
  entity.train = std::move(normal.series);
  entity.test = std::move(attack.series);
  entity.labels = std::move(attack.labels);
  return entity;
}

PlantFiles required(std::optional<PlantFiles> files, const std::string& folder,
                    const std::string& plant) {
  if (!files) {
    throw IoError(folder, "the two tables of " + plant + " are not there");
  }
  return *files;
}

}  // namespace

std::optional<PlantFiles> find_swat_tables(const std::string& folder) {
  auto original = pair_of(find_table(folder, "SWaT", "Normal", ".csv"),
                          find_table(folder, "SWaT", "Attack", ".csv"));
  if (original) return original;
  return pair_of(find_table(folder, "", "", "_train.csv"),
                 find_table(folder, "", "", "_test.csv"));
}

std::optional<PlantFiles> find_wadi_tables(const std::string& folder) {
  return pair_of(find_table(folder, "WADI", "14days", ".csv"),
                 find_table(folder, "WADI", "attackdata", ".csv"));
}

SeriesEntity read_swat(const std::string& folder) {
  const PlantFiles files = required(find_swat_tables(folder), folder, "SWaT");
  return make_entity(read_swat_table(files.normal),
                     read_swat_table(files.attack));
}

SeriesEntity read_wadi(const std::string& folder, bool is_literal) {
  const PlantFiles files = required(find_wadi_tables(folder), folder, "WADI");
  return make_entity(read_wadi_table(files.normal, is_literal),
                     read_wadi_table(files.attack, is_literal));
}

}  // namespace sbog::detail
