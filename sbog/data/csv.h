// SPDX-License-Identifier: Apache-2.0
// Reads tables of numbers from text whose fields are separated by commas,
// semicolons or tabs, and quotes what is written into them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sbog/base/matrix.h"

namespace sbog {

/// Whether the first record holds names.
enum class CsvHeader {
  kDetect,   ///< it does when none of its fields looks like a number, or when
             ///< a column asked for by name is among them
  kPresent,  ///< it does
  kAbsent    ///< it does not
};

/// The separator is found from the first records.
inline constexpr char kAnySeparator = '\0';

/// How to read a table.
struct CsvOptions {
  /// Columns to keep, in this order, by name or by index from 0; a name wins
  /// over an index of the same spelling. Empty: all of them.
  std::vector<std::string> columns;
  CsvHeader header = CsvHeader::kDetect;
  /// kAnySeparator: comma, semicolon or tab, whichever splits the first records
  /// evenly into the most numbers.
  char separator = kAnySeparator;
  /// Lines before the first record that are passed over, whatever they hold.
  std::size_t skip_lines = 0;
  /// Columns to keep as text, named as in `columns`. When `columns` is empty,
  /// all others are numbers.
  std::vector<std::string> text_columns;
  /// An empty field, "NaN" or "NA" becomes NaN instead of an error.
  bool allows_missing = false;
};

/// The numbers of a table.
struct CsvTable {
  std::vector<std::string> header;  ///< names of the kept columns, or empty
  Matrix<double> values;            ///< one row per record
  /// One list per text column, one field per record.
  std::vector<std::vector<std::string>> texts;
};

/// Reads a table. Fields may be quoted, lines may end with LF or CRLF, and no
/// locale has a say: the decimal mark is a point or, where commas do not
/// separate the fields, a comma, and one of the two in all of a table. Only
/// kept columns need to be numbers. Throws IoError naming row (from 0, the
/// header not counted), line and column for text, NaN, infinity, an empty field
/// or a record of another length; InvalidArgument for a column that is not
/// there.
CsvTable read_csv(const std::string& path, const CsvOptions& options = {});

/// The fields of the first `records` records, for a look at what the columns
/// hold: as they stand, but for decimal commas, which are points here. Fewer
/// when the file is shorter.
std::vector<std::vector<std::string>> preview_csv(
    const std::string& path, std::size_t records, std::size_t skip_lines = 0,
    char separator = kAnySeparator);

/// A field as a finite number, as read_csv reads it; nothing when it is none.
std::optional<double> csv_number(std::string_view field);

/// Whether a field reads as a finite number, in a table as read_csv reads it.
bool is_csv_number(std::string_view field);

/// Whether a field is missing: empty, "NaN" or "NA" in any case.
bool is_csv_missing(std::string_view field);

/// A text as a field that keeps commas, quotes and line ends (RFC 4180): in
/// quotes, with quotes inside of it doubled.
std::string quote_csv(std::string_view text);

/// The same as read_csv from memory.
CsvTable parse_csv(std::span<const std::byte> bytes, const std::string& name,
                   const CsvOptions& options = {});

}  // namespace sbog
