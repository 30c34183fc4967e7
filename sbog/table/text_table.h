// SPDX-License-Identifier: Apache-2.0
// A table of numbers and words as it stands in its file.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace sbog::table {

/// Named columns of texts, all of one length.
struct TextTable {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> columns;

  std::size_t rows() const { return columns.empty() ? 0 : columns[0].size(); }
};

/// Reads the named columns of a CSV file, all when none is named. The first
/// record holds the names. Throws IoError for a file that is no table with at
/// least one row, InvalidArgument for a column that is not there.
TextTable read_text_table(const std::string& path,
                          const std::vector<std::string>& columns = {});

/// Takes a column out of a table. Throws InvalidArgument when it is not there.
std::vector<std::string> take_column(TextTable& table, const std::string& name);

/// The table as CSV: names, then one line per row; texts in quotes where they
/// hold a comma, a quote or a line end.
std::string to_csv(const TextTable& table);

}  // namespace sbog::table
