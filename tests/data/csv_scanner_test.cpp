// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/detail/csv_scanner.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "data/support.h"
#include "sbog/base/errors.h"

namespace sbog::detail {
namespace csv_scanner_test {

using testing_support::message_of;
using Records = std::vector<std::vector<std::string>>;

Records scanned(const std::string& text, char separator = ',') {
  CsvScanner scanner(text, separator, "t.csv");
  std::vector<std::string_view> fields;
  Records records;
  while (scanner.next(fields)) {
    records.emplace_back(fields.begin(), fields.end());
  }
  return records;
}

std::string refusal(const std::string& text) {
  return message_of<IoError>([&] { scanned(text); });
}

TEST(CsvScanner, plain_records_split_at_separators_and_line_ends) {
  EXPECT_EQ(scanned(""), Records{});
  EXPECT_EQ(scanned("a"), (Records{{"a"}}));
  EXPECT_EQ(scanned("a,b\nc,d\n"), (Records{{"a", "b"}, {"c", "d"}}));
  EXPECT_EQ(scanned("a,b\r\nc,d"), (Records{{"a", "b"}, {"c", "d"}}));
  EXPECT_EQ(scanned("a;b", ';'), (Records{{"a", "b"}}));
  EXPECT_EQ(scanned(",\n"), (Records{{"", ""}}));
  EXPECT_EQ(scanned("a,"), (Records{{"a", ""}}));
  EXPECT_EQ(scanned("a\r"), (Records{{"a"}}));
  EXPECT_EQ(scanned("a\rb\n"), (Records{{"a\rb"}}));
}

TEST(CsvScanner, quoted_fields_hold_separators_line_ends_and_quotes) {
  EXPECT_EQ(scanned("\"a,b\",\"c\nd\"\n"), (Records{{"a,b", "c\nd"}}));
  EXPECT_EQ(scanned("\"say \"\"x\"\"\",\"\"\"\"\r\n"),
            (Records{{"say \"x\"", "\""}}));
  EXPECT_EQ(scanned("\"\""), (Records{{""}}));
}

TEST(CsvScanner, lines_are_counted_through_quoted_line_ends) {
  const std::string text = "\"a\nb\"\nc\n\nd\n";
  CsvScanner scanner(text, ',', "t.csv");
  std::vector<std::string_view> fields;
  std::vector<std::size_t> lines;
  std::vector<bool> blanks;
  while (scanner.next(fields)) {
    lines.push_back(scanner.line());
    blanks.push_back(scanner.is_blank());
  }
  EXPECT_EQ(lines, (std::vector<std::size_t>{1, 3, 4, 5}));
  EXPECT_EQ(blanks, (std::vector<bool>{false, false, true, false}));
}

TEST(CsvScanner, malformed_quoting_is_refused_by_line_and_column) {
  EXPECT_EQ(refusal("a\nb,\"c"),
            "t.csv: line 2, column 1 opens a quote that is never closed");
  EXPECT_EQ(refusal("a,b\"c\n"),
            "t.csv: line 1, column 1 has a quote inside an unquoted field");
  EXPECT_EQ(refusal("\"a\"b\n"),
            "t.csv: line 1, column 0 has text after its closing quote");
  EXPECT_EQ(refusal("\"a\"\"\n"),
            "t.csv: line 1, column 0 opens a quote that is never closed");
}

TEST(CsvScanner, more_than_2_to_20_columns_are_refused) {
  const std::size_t limit = std::size_t{1} << 20;
  EXPECT_EQ(scanned(std::string(limit - 1, ',')).at(0).size(), limit);
  EXPECT_NE(refusal(std::string(limit, ',')).find("1,048,576"),
            std::string::npos);
}

// Every field quoted: the plainest correct writer.
std::string written(const Records& records, const char* line_end) {
  std::string out;
  for (const auto& record : records) {
    for (std::size_t j = 0; j < record.size(); ++j) {
      out += j == 0 ? "\"" : ",\"";
      for (const char c : record[j]) out += c == '"' ? "\"\"" : std::string{c};
      out += '"';
    }
    out += line_end;
  }
  return out;
}

RC_GTEST_PROP(CsvScanner, quoted_records_come_back_whatever_they_hold,
              (const std::vector<std::vector<std::string>>& any)) {
  Records records;
  for (const auto& record : any) {
    if (!record.empty()) records.push_back(record);
  }
  RC_ASSERT(scanned(written(records, "\n")) == records);
  RC_ASSERT(scanned(written(records, "\r\n")) == records);
}

}  // namespace csv_scanner_test
}  // namespace sbog::detail
