// SPDX-License-Identifier: Apache-2.0
// See table_input.h.
#include "sbog/job/table_input.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "sbog/base/atomic_file.h"
#include "sbog/base/errors.h"
#include "sbog/data/csv.h"
#include "sbog/job/embedded_data.h"
#include "sbog/table/text_table.h"

namespace sbog::job {
namespace {

table::TextTable read_table(const GenerateOptions& options) {
  std::vector<std::string> names = options.columns;
  const bool is_told = std::ranges::find(names, options.labels) != names.end();
  if (!names.empty() && !options.labels.empty() && !is_told) {
    names.push_back(options.labels);
  }
  return table::read_text_table(options.input, names);
}

// Classes are numbered in the order of their names.
template <typename T>
void set_classes(const std::vector<std::string>& fields,
                 const std::string& column, RunInputs<T>& inputs) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (!is_csv_missing(fields[i])) continue;
    throw InvalidArgument("--labels: row " + std::to_string(i) +
                          " has nothing in the column '" + column +
                          "'; the name of a class is expected");
  }
  const std::set<std::string> names(fields.begin(), fields.end());
  inputs.class_names.assign(names.begin(), names.end());
  for (const std::string& field : fields) {
    const auto place = std::ranges::lower_bound(inputs.class_names, field);
    inputs.labels.push_back(place - inputs.class_names.begin());
  }
}

}  // namespace

template <typename T>
RunInputs<T> load_table_inputs(const GenerateOptions& options) {
  table::TextTable rows = read_table(options);
  RunInputs<T> inputs;
  if (!options.labels.empty()) {
    set_classes(table::take_column(rows, options.labels), options.labels,
                inputs);
  }
  inputs.table = std::make_shared<const table::TableCode>(
      rows, options.table.categories, options.table.rules);
  inputs.bank =
      to_matrix<T>(to_array(inputs.table->encode(rows), options.input));
  return inputs;
}

template <typename T>
void write_table_rows(const RunFolder& folder, const GenerateOptions& options,
                      const RunInputs<T>& inputs) {
  const auto points =
      to_matrix<double>(load_array(folder.file("outliers.npy")));
  table::TextTable rows;
  for (const table::Column& column : inputs.table->columns()) {
    rows.names.push_back(column.name);
  }
  rows.columns.resize(rows.names.size());
  for (std::size_t i = 0; i < points.rows(); ++i) {
    std::vector<std::string> fields =
        inputs.table->decode(points.view().row(i));
    for (std::size_t c = 0; c < fields.size(); ++c) {
      rows.columns[c].push_back(std::move(fields[c]));
    }
  }
  if (!inputs.class_names.empty()) {
    CsvOptions read;
    read.columns = {"class"};
    const CsvTable table = read_csv(folder.file("outliers.csv"), read);
    rows.names.push_back(options.labels);
    rows.columns.emplace_back();
    for (std::size_t i = 0; i < points.rows(); ++i) {
      rows.columns.back().push_back(
          inputs.class_names.at(static_cast<std::size_t>(table.values(i, 0))));
    }
  }
  std::error_code error;
  std::filesystem::create_directories(folder.file("decoded"), error);
  AtomicFile file(folder.file(kRowsFile));
  file.write(table::to_csv(rows));
  file.commit();
}

template RunInputs<float> load_table_inputs(const GenerateOptions&);
template RunInputs<double> load_table_inputs(const GenerateOptions&);
template void write_table_rows(const RunFolder&, const GenerateOptions&,
                               const RunInputs<float>&);
template void write_table_rows(const RunFolder&, const GenerateOptions&,
                               const RunInputs<double>&);

}  // namespace sbog::job
