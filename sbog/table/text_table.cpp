// SPDX-License-Identifier: Apache-2.0
// See text_table.h.
#include "sbog/table/text_table.h"

#include <algorithm>

#include "sbog/base/errors.h"
#include "sbog/data/csv.h"

namespace sbog::table {
namespace {

std::string names_of(const TextTable& table) {
  std::string names;
  for (const std::string& name : table.names) {
    names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

void add_field(std::string& text, const std::string& field) {
  const bool is_plain = field.find_first_of(",\"\r\n") == std::string::npos;
  text += is_plain ? field : quote_csv(field);
}

}  // namespace

TextTable read_text_table(const std::string& path,
                          const std::vector<std::string>& columns) {
  CsvOptions options;
  options.header = CsvHeader::kPresent;
  options.text_columns = columns;
  TextTable table{columns, {}};
  if (columns.empty()) {
    const auto first = preview_csv(path, 1);
    if (first.empty()) throw IoError(path, "is empty; a table is expected");
    table.names = options.text_columns = first[0];
  }
  table.columns = read_csv(path, options).texts;
  return table;
}

std::vector<std::string> take_column(TextTable& table,
                                     const std::string& name) {
  const auto found = std::ranges::find(table.names, name);
  if (found == table.names.end()) {
    throw InvalidArgument("there is no column '" + name + "'; the table has " +
                          names_of(table));
  }
  const auto place = found - table.names.begin();
  std::vector<std::string> column = std::move(table.columns[place]);
  table.names.erase(found);
  table.columns.erase(table.columns.begin() + place);
  return column;
}

std::string to_csv(const TextTable& table) {
  std::string text;
  for (std::size_t c = 0; c < table.names.size(); ++c) {
    if (c > 0) text += ',';
    add_field(text, table.names[c]);
  }
  text += '\n';
  for (std::size_t i = 0; i < table.rows(); ++i) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (c > 0) text += ',';
      add_field(text, table.columns[c][i]);
    }
    text += '\n';
  }
  return text;
}

}  // namespace sbog::table
