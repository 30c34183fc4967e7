// SPDX-License-Identifier: Apache-2.0
// Reads tables of numbers from comma-separated text.
#pragma once

#include <cstddef>
#include <span>
#include <string>
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

/// How to read a table.
struct CsvOptions {
  /// Columns to keep, in this order, by name or by index from 0; a name wins
  /// over an index of the same spelling. Empty: all of them.
  std::vector<std::string> columns;
  CsvHeader header = CsvHeader::kDetect;
  char separator = ',';
};

/// The numbers of a table.
struct CsvTable {
  std::vector<std::string> header;  ///< names of the kept columns, or empty
  Matrix<double> values;            ///< one row per record
};

/// Reads a table. Fields may be quoted, lines may end with LF or CRLF, and the
/// decimal point is a point in every locale. Only kept columns need to be
/// numbers. Throws IoError naming row (from 0, the header not counted), line
/// and column for text, NaN, infinity, an empty field or a record of another
/// length; InvalidArgument for a column that is not there.
CsvTable read_csv(const std::string& path, const CsvOptions& options = {});

/// The same from memory.
CsvTable parse_csv(std::span<const std::byte> bytes, const std::string& name,
                   const CsvOptions& options = {});

}  // namespace sbog
