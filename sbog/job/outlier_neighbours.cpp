// SPDX-License-Identifier: Apache-2.0
// See outlier_neighbours.h.
#include "sbog/job/outlier_neighbours.h"

#include <algorithm>
#include <fstream>
#include <set>

#include "sbog/base/atomic_file.h"
#include "sbog/base/errors.h"
#include "sbog/data/csv.h"
#include "sbog/image/class_names.h"
#include "sbog/job/point_train.h"

namespace sbog::job {
namespace {

constexpr const char* kFirstColumn = ",near_1";

std::map<std::int64_t, std::string> names_of_labels(
    const std::string& path, std::span<const std::int64_t> labels) {
  if (labels.empty()) {
    throw InvalidArgument("--class-names: names go with --labels only");
  }
  const std::vector<std::string> lines = read_class_names(path);
  std::map<std::int64_t, std::string> names;
  for (const std::int64_t label :
       std::set<std::int64_t>(labels.begin(), labels.end())) {
    if (label < 0 || static_cast<std::size_t>(label) >= lines.size()) {
      throw InvalidArgument(
          "--class-names: " + path + " has " + std::to_string(lines.size()) +
          " lines, none of them for the class " + std::to_string(label));
    }
    names[label] = lines[static_cast<std::size_t>(label)];
  }
  return names;
}

std::string column_titles(bool has_names) {
  std::string titles;
  for (std::size_t k = 1; k <= kToldRows; ++k) {
    const std::string number = std::to_string(k);
    titles += ",near_";
    titles += number;
    titles += ",item_";
    titles += number;
  }
  return titles + ",taken_for" + (has_names ? ",taken_for_name" : "");
}

std::string column_values(std::span<const std::size_t> rows,
                          std::span<const std::int64_t> labels,
                          const BankWords& words) {
  std::string values;
  for (std::size_t k = 0; k < kToldRows; ++k) {
    values += k < rows.size() ? "," + std::to_string(rows[k]) + "," +
                                    quote_csv(words.items[rows[k]])
                              : ",,";
  }
  const std::int64_t label = labels.empty() ? 0 : labels[rows[0]];
  values += "," + std::to_string(label);
  if (!words.class_names.empty()) {
    values += "," + quote_csv(words.class_names.at(label));
  }
  return values;
}

// The first `count` fields of a line; those before ours have no quotes.
std::string first_fields(const std::string& line, std::size_t count) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < count && at != std::string::npos; ++i) {
    at = line.find(',', i == 0 ? 0 : at + 1);
  }
  return line.substr(0, at);
}

}  // namespace

BankWords load_bank_words(const GenerateOptions& options, std::size_t rows,
                          std::span<const std::int64_t> labels) {
  BankWords words;
  if (!options.items.empty()) words.items = load_items(options.items, rows);
  if (!options.images.input.class_names.empty()) {
    words.class_names =
        names_of_labels(options.images.input.class_names, labels);
  }
  return words;
}

template <typename T>
Neighbours nearest_told_rows(MatrixView<const T> bank,
                             MatrixView<const T> points,
                             const EnergyOptions& energy,
                             const Context& context) {
  EnergyOptions options = energy;
  options.epsilon = 1.0;  // neighbours do not depend on it
  const EnergyModel<T> model(ReferenceMeasure<T>{bank, {}, {}}, options);
  return nearest_atoms<T>(model, points, std::min(kToldRows, bank.rows()), {},
                          context);
}

template <typename T>
SolveStatus add_neighbour_columns(const std::string& path,
                                  MatrixView<const T> outliers,
                                  MatrixView<const T> bank,
                                  std::span<const std::int64_t> labels,
                                  const BankWords& words,
                                  const EnergyOptions& energy,
                                  const Context& context) {
  const Neighbours near = nearest_told_rows<T>(bank, outliers, energy, context);
  if (near.status != SolveStatus::kDone) return near.status;
  std::ifstream table(path, std::ios::binary);
  std::string line;
  if (!std::getline(table, line)) throw IoError(path, "has no header");
  line.resize(std::min(line.size(), line.find(kFirstColumn)));
  const auto fields =
      static_cast<std::size_t>(std::ranges::count(line, ',')) + 1;
  AtomicFile wider(path);
  wider.write(line + column_titles(!words.class_names.empty()) + "\n");
  std::size_t rows = 0;
  for (; std::getline(table, line); ++rows) {
    if (rows == outliers.rows()) break;
    wider.write(first_fields(line, fields) +
                column_values(near.rows.row(rows), labels, words) + "\n");
  }
  if (rows != outliers.rows() || !table.eof()) {
    throw IoError(path, "has another number of rows than outliers.npy (" +
                            std::to_string(outliers.rows()) + ")");
  }
  wider.commit();
  return SolveStatus::kDone;
}

void write_items(const std::string& path,
                 const std::vector<std::string>& items) {
  AtomicFile file(path);
  for (const std::string& item : items) {
    file.write(item);
    file.write("\n");
  }
  file.commit();
}

template Neighbours nearest_told_rows(MatrixView<const float>,
                                      MatrixView<const float>,
                                      const EnergyOptions&, const Context&);
template Neighbours nearest_told_rows(MatrixView<const double>,
                                      MatrixView<const double>,
                                      const EnergyOptions&, const Context&);
template SolveStatus add_neighbour_columns(
    const std::string&, MatrixView<const float>, MatrixView<const float>,
    std::span<const std::int64_t>, const BankWords&, const EnergyOptions&,
    const Context&);
template SolveStatus add_neighbour_columns(
    const std::string&, MatrixView<const double>, MatrixView<const double>,
    std::span<const std::int64_t>, const BankWords&, const EnergyOptions&,
    const Context&);

}  // namespace sbog::job
