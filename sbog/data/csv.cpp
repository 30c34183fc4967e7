// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <system_error>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/data/detail/csv_scanner.h"
#include "sbog/data/detail/csv_separator.h"
#include "sbog/data/detail/mapped_file.h"
#include "sbog/data/detail/text.h"

namespace sbog {
namespace {

using Fields = std::vector<std::string_view>;

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

// How a field reads as a number; NaN and infinity count as numbers here.
struct Number {
  double value = 0.0;
  bool is_number = false;
  bool is_out_of_range = false;
};

Number parse_number(std::string_view field) {
  std::string_view text = trimmed(field);
  // from_chars takes no plus sign, but many writers give one.
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') {
    text.remove_prefix(1);
  }
  Number number;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number.value);
  number.is_out_of_range = error == std::errc::result_out_of_range;
  const bool was_read = error == std::errc() || number.is_out_of_range;
  number.is_number = was_read && stop == end && !text.empty();
  return number;
}

// The text after the first `lines` lines.
std::string_view without_lines(std::string_view text, std::size_t lines) {
  for (; lines > 0; --lines) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text;
}

bool is_index(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

// One pass over a table: header, choice of columns, rows.
class Table {
 public:
  Table(std::string name, const CsvOptions& options)
      : name_(std::move(name)), options_(options) {}

  CsvTable read(std::string_view text) {
    text = without_lines(text, options_.skip_lines);
    separator_ = options_.separator == kAnySeparator
                     ? detail::find_separator(text)
                     : options_.separator;
    detail::CsvScanner scanner(text, separator_, name_);
    Fields fields;
    if (!scanner.next(fields) || scanner.is_blank()) {
      throw IoError(name_, "the first line is empty; a record is expected");
    }
    width_ = fields.size();
    const bool has_header = begins_with_header(fields);
    if (has_header) header_.assign(fields.begin(), fields.end());
    choose_columns();
    if (!has_header) add_row(fields, line_of(scanner));
    read_rows(scanner, fields);
    if (rows_ == 0) throw IoError(name_, "has a header but no rows");
    return finish();
  }

 private:
  bool begins_with_header(const Fields& fields) const {
    if (options_.header != CsvHeader::kDetect) {
      return options_.header == CsvHeader::kPresent;
    }
    const auto is_named = [&](const std::string& column) {
      return !is_index(column) &&
             std::find(fields.begin(), fields.end(), column) != fields.end();
    };
    const auto is_number = [this](std::string_view field) {
      return parse_number(field).is_number ||
             (separator_ != ',' && detail::has_decimal_comma(field));
    };
    return std::any_of(options_.columns.begin(), options_.columns.end(),
                       is_named) ||
           std::any_of(options_.text_columns.begin(),
                       options_.text_columns.end(), is_named) ||
           std::none_of(fields.begin(), fields.end(), is_number);
  }

  void choose_columns() {
    for (const auto& column : options_.text_columns) {
      text_chosen_.push_back(find_column(column));
    }
    texts_.resize(text_chosen_.size());
    if (options_.columns.empty()) {
      for (std::size_t j = 0; j < width_; ++j) {
        const bool is_text = std::find(text_chosen_.begin(), text_chosen_.end(),
                                       j) != text_chosen_.end();
        if (!is_text) chosen_.push_back(j);
      }
    }
    for (const auto& column : options_.columns) {
      chosen_.push_back(find_column(column));
    }
  }

  std::size_t find_column(const std::string& column) const {
    const auto count = std::count(header_.begin(), header_.end(), column);
    if (count > 1) {
      throw InvalidArgument(name_ + ": the column " + detail::quote(column) +
                            " appears " + std::to_string(count) + " times");
    }
    if (count == 1) {
      const auto at = std::find(header_.begin(), header_.end(), column);
      return static_cast<std::size_t>(at - header_.begin());
    }
    std::size_t index = 0;
    const auto error =
        std::from_chars(column.data(), column.data() + column.size(), index).ec;
    if (is_index(column) && error == std::errc() && index < width_) {
      return index;
    }
    refuse_column(column);
  }

  [[noreturn]] void refuse_column(const std::string& column) const {
    std::string known = "columns 0 to " + std::to_string(width_ - 1);
    if (!header_.empty()) known += " named " + detail::name_list(header_);
    throw InvalidArgument(name_ + ": there is no column " +
                          detail::quote(column) + "; the table has " + known);
  }

  void read_rows(detail::CsvScanner& scanner, Fields& fields) {
    std::size_t blank_line = 0;
    while (scanner.next(fields)) {
      if (scanner.is_blank()) {
        if (blank_line == 0) blank_line = line_of(scanner);
        continue;
      }
      // Blank lines are forgiven at the end of the file only.
      if (blank_line != 0) {
        throw IoError(name_, "line " + std::to_string(blank_line) + " (row " +
                                 std::to_string(rows_) +
                                 ") is empty; a record is expected");
      }
      add_row(fields, line_of(scanner));
    }
  }

  std::size_t line_of(const detail::CsvScanner& scanner) const {
    return options_.skip_lines + scanner.line();
  }

  void add_row(const Fields& fields, std::size_t line) {
    if (fields.size() != width_) {
      throw IoError(name_, "row " + std::to_string(rows_) + " (line " +
                               std::to_string(line) + ") has " +
                               std::to_string(fields.size()) +
                               " columns; the first record has " +
                               std::to_string(width_) + " (" +
                               detail::separator_name(separator_) +
                               " is taken for the separator)");
    }
    for (std::size_t k = 0; k < text_chosen_.size(); ++k) {
      texts_[k].emplace_back(fields[text_chosen_[k]]);
    }
    for (const std::size_t j : chosen_) {
      if (options_.allows_missing && is_csv_missing(fields[j])) {
        values_.push_back(std::numeric_limits<double>::quiet_NaN());
        continue;
      }
      const Number number = number_of(fields[j], line, j);
      const bool is_good = number.is_number && !number.is_out_of_range &&
                           std::isfinite(number.value);
      if (!is_good) refuse_field(fields[j], number, line, j);
      values_.push_back(number.value);
    }
    ++rows_;
  }

  // In a table with decimal commas a point may separate thousands, and the
  // other way round, so that one table has one decimal mark.
  Number number_of(std::string_view field, std::size_t line, std::size_t j) {
    if (separator_ == ',') return parse_number(field);
    const bool has_comma = detail::has_decimal_comma(field);
    const bool has_mark = has_comma || field.find('.') != field.npos;
    if (has_mark) {
      const char mark = has_comma ? ',' : '.';
      if (decimal_mark_ == '\0') decimal_mark_ = mark;
      if (decimal_mark_ != mark) {
        throw IoError(name_, place_of(line, j) + " is " + detail::quote(field) +
                                 ", but rows before have numbers with a "
                                 "decimal " +
                                 (has_comma ? "point" : "comma") +
                                 "; one decimal mark is expected");
      }
    }
    if (!has_comma) return parse_number(field);
    std::string with_point(field);
    with_point[with_point.find(',')] = '.';
    return parse_number(with_point);
  }

  std::string place_of(std::size_t line, std::size_t j) const {
    std::string where = "row " + std::to_string(rows_) + " (line " +
                        std::to_string(line) + "), column " + std::to_string(j);
    if (!header_.empty()) where += " (" + detail::quote(header_[j]) + ")";
    return where;
  }

  [[noreturn]] void refuse_field(std::string_view field, const Number& number,
                                 std::size_t line, std::size_t j) const {
    const std::string where = place_of(line, j);
    const std::string what =
        trimmed(field).empty() ? "empty" : detail::quote(field);
    const bool is_text = !number.is_number && what != "empty";
    throw IoError(
        name_,
        where + " is " + what +
            (number.is_out_of_range ? "; a number in the range of a double"
                                    : "; a finite number") +
            " is expected" +
            (!is_text     ? ""
             : width_ > 1 ? ", or other columns (--columns)"
                          : " (" + detail::separator_name(separator_) +
                                " is taken for the separator)"));
  }

  CsvTable finish() {
    CsvTable table;
    table.texts = std::move(texts_);
    table.values = Matrix<double>(rows_, chosen_.size());
    std::copy(values_.begin(), values_.end(), table.values.data());
    if (header_.empty()) return table;
    for (const std::size_t j : chosen_) table.header.push_back(header_[j]);
    return table;
  }

  std::string name_;
  const CsvOptions& options_;
  char separator_ = ',';
  char decimal_mark_ = '\0';  // none was met yet
  std::size_t width_ = 0;
  std::size_t rows_ = 0;
  std::vector<std::string> header_;
  std::vector<std::size_t> chosen_;
  std::vector<std::size_t> text_chosen_;
  std::vector<double> values_;
  std::vector<std::vector<std::string>> texts_;
};

CsvTable parse_text(std::string_view text, const std::string& name,
                    const CsvOptions& options) {
  if (std::string_view("\"\r\n").find(options.separator) !=
      std::string_view::npos) {
    throw InvalidArgument("read_csv: the separator is " +
                          detail::quote({&options.separator, 1}) +
                          "; a character other than quote, CR and LF is "
                          "expected");
  }
  return Table(name, options).read(text);
}

}  // namespace

std::optional<double> csv_number(std::string_view field) {
  const Number number = parse_number(field);
  const bool is_good = number.is_number && !number.is_out_of_range &&
                       std::isfinite(number.value);
  return is_good ? std::optional(number.value) : std::nullopt;
}

bool is_csv_number(std::string_view field) {
  return csv_number(field).has_value();
}

bool is_csv_missing(std::string_view field) {
  std::string lower(trimmed(field));
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower.empty() || lower == "nan" || lower == "na";
}

std::string quote_csv(std::string_view text) {
  std::string field = "\"";
  for (const char c : text) {
    if (c == '"') field += '"';
    field += c;
  }
  return field + '"';
}

std::vector<std::vector<std::string>> preview_csv(const std::string& path,
                                                  std::size_t records,
                                                  std::size_t skip_lines,
                                                  char separator) {
  const detail::FileBytes file = detail::map_file(path);
  const std::string_view text =
      without_lines(detail::as_text(file.bytes), skip_lines);
  if (separator == kAnySeparator) separator = detail::find_separator(text);
  detail::CsvScanner scanner(text, separator, path);
  std::vector<std::vector<std::string>> found;
  Fields fields;
  while (found.size() < records && scanner.next(fields)) {
    if (scanner.is_blank()) continue;
    found.emplace_back(fields.begin(), fields.end());
    if (separator != ',') detail::write_decimal_points(found.back());
  }
  return found;
}

CsvTable read_csv(const std::string& path, const CsvOptions& options) {
  const detail::FileBytes file = detail::map_file(path);
  return parse_text(detail::as_text(file.bytes), path, options);
}

CsvTable parse_csv(std::span<const std::byte> bytes, const std::string& name,
                   const CsvOptions& options) {
  return parse_text(detail::as_text(bytes), name, options);
}

}  // namespace sbog
