// SPDX-License-Identifier: Apache-2.0
// Splits comma-separated text into records and fields.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace sbog::detail {

/// Reads one record at a time. A field may be quoted; inside the quotes the
/// separator and line ends stand for themselves and "" for one quote. Records
/// end with LF, CRLF or the end of the text. Malformed quoting and more than
/// 2^20 columns are IoErrors that begin with `name` and give line and column.
class CsvScanner {
 public:
  CsvScanner(std::string_view text, char separator, std::string name);

  /// The fields of the next record, valid until the next call; false at the
  /// end of the text.
  bool next(std::vector<std::string_view>& fields);

  /// Line (from 1) on which the last record began.
  std::size_t line() const { return record_line_; }

  /// True when the last record was a line without any character.
  bool is_blank() const { return is_blank_; }

 private:
  std::string_view plain_field(std::size_t column);
  std::string_view quoted_field(std::size_t column);
  std::string_view unescaped(std::string_view raw);
  bool at_record_end() const;
  void skip_record_end();
  [[noreturn]] void fail(std::size_t column, const char* what) const;

  std::string_view text_;
  char separator_;
  std::string name_;
  std::size_t position_ = 0;
  std::size_t line_ = 1;
  std::size_t record_line_ = 0;
  bool is_blank_ = false;
  std::deque<std::string> unescaped_;  // stable homes of rewritten fields
};

}  // namespace sbog::detail
