// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/detail/csv_scanner.h"

#include <algorithm>
#include <utility>

#include "sbog/base/errors.h"

namespace sbog::detail {
namespace {

// A field costs more memory than the one byte it may have in the file.
constexpr std::size_t kMaxColumns = std::size_t{1} << 20;

}  // namespace

CsvScanner::CsvScanner(std::string_view text, char separator, std::string name)
    : text_(text), separator_(separator), name_(std::move(name)) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text_.starts_with(kByteOrderMark)) {
    text_.remove_prefix(kByteOrderMark.size());
  }
}

bool CsvScanner::next(std::vector<std::string_view>& fields) {
  fields.clear();
  unescaped_.clear();
  if (position_ >= text_.size()) return false;
  record_line_ = line_;
  is_blank_ = at_record_end();
  for (;;) {
    if (fields.size() == kMaxColumns) {
      fail(fields.size(), "is one more than the 1,048,576 accepted");
    }
    const bool is_quoted = position_ < text_.size() && text_[position_] == '"';
    fields.push_back(is_quoted ? quoted_field(fields.size())
                               : plain_field(fields.size()));
    if (at_record_end()) break;
    ++position_;  // the separator
  }
  skip_record_end();
  return true;
}

std::string_view CsvScanner::plain_field(std::size_t column) {
  const std::size_t begin = position_;
  while (!at_record_end() && text_[position_] != separator_) {
    if (text_[position_] == '"') {
      fail(column, "has a quote inside an unquoted field");
    }
    ++position_;
  }
  return text_.substr(begin, position_ - begin);
}

std::string_view CsvScanner::quoted_field(std::size_t column) {
  const std::size_t begin = ++position_;
  bool has_doubled = false;
  for (;;) {
    position_ = text_.find('"', position_);
    if (position_ == std::string_view::npos) {
      fail(column, "opens a quote that is never closed");
    }
    if (text_.substr(position_ + 1, 1) != "\"") break;
    has_doubled = true;
    position_ += 2;
  }
  const std::string_view raw = text_.substr(begin, position_ - begin);
  line_ += static_cast<std::size_t>(std::count(raw.begin(), raw.end(), '\n'));
  ++position_;
  if (!at_record_end() && text_[position_] != separator_) {
    fail(column, "has text after its closing quote");
  }
  return has_doubled ? unescaped(raw) : raw;
}

std::string_view CsvScanner::unescaped(std::string_view raw) {
  std::string& out = unescaped_.emplace_back();
  for (std::size_t i = 0; i < raw.size(); ++i) {
    out += raw[i];
    if (raw[i] == '"') ++i;  // quotes come in pairs here
  }
  return out;
}

bool CsvScanner::at_record_end() const {
  if (position_ >= text_.size() || text_[position_] == '\n') return true;
  if (text_[position_] != '\r') return false;
  return position_ + 1 == text_.size() || text_[position_ + 1] == '\n';
}

void CsvScanner::skip_record_end() {
  if (position_ < text_.size() && text_[position_] == '\r') ++position_;
  if (position_ < text_.size()) ++position_;
  ++line_;
}

void CsvScanner::fail(std::size_t column, const char* what) const {
  throw IoError(name_, "line " + std::to_string(record_line_) + ", column " +
                           std::to_string(column) + " " + what);
}

}  // namespace sbog::detail
