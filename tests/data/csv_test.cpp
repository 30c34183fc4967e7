// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/csv.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <charconv>
#include <clocale>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "data/support.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"

namespace sbog {
namespace csv_test {

using testing_support::bytes_of;
using testing_support::message_of;
using Names = std::vector<std::string>;
using Values = std::vector<double>;

CsvTable parsed(const std::string& text, const CsvOptions& options = {}) {
  return parse_csv(bytes_of(text), "t.csv", options);
}

Values values_of(const CsvTable& table) {
  const auto all = table.values.elements();
  return {all.begin(), all.end()};
}

std::string refusal(const std::string& text, const CsvOptions& options = {}) {
  return message_of<IoError>([&] { parsed(text, options); });
}

std::string misuse(const std::string& text, const CsvOptions& options) {
  return message_of<InvalidArgument>([&] { parsed(text, options); });
}

TEST(Csv, numbers_are_read_in_row_order) {
  const CsvTable table = parsed("1,2,3\n-4,5.5,6e2\n");
  EXPECT_EQ(table.values.rows(), 2u);
  EXPECT_EQ(table.values.cols(), 3u);
  EXPECT_EQ(values_of(table), (Values{1, 2, 3, -4, 5.5, 600}));
  EXPECT_TRUE(table.header.empty());
}

TEST(Csv, a_quoted_text_is_read_back_as_it_was) {
  EXPECT_EQ(quote_csv(""), "\"\"");
  EXPECT_EQ(quote_csv("a,b"), "\"a,b\"");
  EXPECT_EQ(quote_csv("6\" nails"), "\"6\"\" nails\"");
  CsvOptions options;
  options.header = CsvHeader::kAbsent;
  options.text_columns = {"1"};
  for (const std::string text :
       {"plain", "", "a,b", "\"", "\"\"x\"", "one\ntwo", "one\r\ntwo", " "}) {
    const CsvTable table =
        parsed("1," + quote_csv(text) + ",2\n3,x,4\n", options);
    ASSERT_EQ(table.texts.size(), 1u) << text;
    EXPECT_EQ(table.texts[0], (Names{text, "x"}));
    EXPECT_EQ(values_of(table), (Values{1, 2, 3, 4}));
  }
}

TEST(Csv, a_first_record_without_any_number_is_a_header) {
  EXPECT_EQ(parsed("a,b\n1,2\n").header, (Names{"a", "b"}));
  EXPECT_EQ(parsed(",b\n1,2\n").header, (Names{"", "b"}));
  EXPECT_TRUE(parsed("1,2\n3,4\n").header.empty());
  // One number is enough for a row of data: a typo must not be swallowed.
  EXPECT_EQ(refusal("id,2020\n1,2\n"),
            "t.csv: row 0 (line 1), column 0 is 'id'; a finite number is "
            "expected, or other columns (--columns)");
}

TEST(Csv, a_header_can_be_forced_either_way) {
  CsvOptions options;
  options.header = CsvHeader::kPresent;
  EXPECT_EQ(parsed("2019,2020\n1,2\n", options).header,
            (Names{"2019", "2020"}));
  options.header = CsvHeader::kAbsent;
  EXPECT_EQ(refusal("a,b\n1,2\n", options),
            "t.csv: row 0 (line 1), column 0 is 'a'; a finite number is "
            "expected, or other columns (--columns)");
}

TEST(Csv, columns_are_chosen_by_name_or_index_in_the_asked_order) {
  const std::string text = "x,label,1\n10,cat,30\n11,dog,31\n";
  CsvOptions options;
  options.columns = {"2", "x"};
  const CsvTable table = parsed(text, options);
  EXPECT_EQ(table.header, (Names{"1", "x"}));
  EXPECT_EQ(values_of(table), (Values{30, 10, 31, 11}));
  options.columns = {"1"};  // the name wins over the index
  options.header = CsvHeader::kPresent;
  EXPECT_EQ(values_of(parsed(text, options)), (Values{30, 31}));
}

TEST(Csv, a_column_that_looks_like_a_number_is_data_until_asked_by_name) {
  CsvOptions options;
  options.columns = {"-5"};
  EXPECT_EQ(values_of(parsed("-5,6\n7,8\n", options)), Values{7});
  options.columns = {"0"};
  EXPECT_EQ(values_of(parsed("-5,6\n7,8\n", options)), (Values{-5, 7}));
}

TEST(Csv, a_column_that_is_not_there_is_named_with_what_is) {
  CsvOptions options;
  options.columns = {"price"};
  EXPECT_EQ(misuse("a,b\n1,2\n", options),
            "t.csv: there is no column 'price'; the table has columns 0 to 1 "
            "named 'a', 'b'");
  EXPECT_EQ(misuse("1,2\n", options),
            "t.csv: there is no column 'price'; the table has columns 0 to 1");
  for (const char* column :
       {"2", "-1", "+1", "1 ", "", "99999999999999999999"}) {
    options.columns = {column};
    EXPECT_NE(misuse("1,2\n", options).find("there is no column"),
              std::string::npos)
        << column;
  }
  options.columns = {"a"};
  EXPECT_EQ(misuse("a,a\n1,2\n", options),
            "t.csv: the column 'a' appears 2 times");
}

TEST(Csv, faults_are_named_by_row_line_and_column) {
  EXPECT_EQ(refusal("a,b\n1,2\n3,oops\n"),
            "t.csv: row 1 (line 3), column 1 ('b') is 'oops'; a finite number "
            "is expected, or other columns (--columns)");
  EXPECT_EQ(refusal("a,\"b\nc\"\n1,nan\n"),
            "t.csv: row 0 (line 3), column 1 ('b\\x0ac') is 'nan'; a finite "
            "number is expected");
  EXPECT_EQ(refusal("1,inf\n"),
            "t.csv: row 0 (line 1), column 1 is 'inf'; a finite number is "
            "expected");
  EXPECT_EQ(refusal("1, \n"),
            "t.csv: row 0 (line 1), column 1 is empty; a finite number is "
            "expected");
  EXPECT_EQ(refusal("1,1e999\n"),
            "t.csv: row 0 (line 1), column 1 is '1e999'; a number in the range "
            "of a double is expected");
  EXPECT_EQ(
      refusal("1,2\n3\n"),
      "t.csv: row 1 (line 2) has 1 columns; the first record has 2 (a comma "
      "is taken for the separator)");
  EXPECT_EQ(refusal("1,2\n\n3,4\n"),
            "t.csv: line 2 (row 1) is empty; a record is expected");
  EXPECT_EQ(refusal("a,b\n"), "t.csv: has a header but no rows");
  EXPECT_EQ(refusal(""),
            "t.csv: the first line is empty; a record is expected");
}

TEST(Csv, lines_at_the_end_may_be_empty) {
  EXPECT_EQ(values_of(parsed("1\n2\n\r\n\n")), (Values{1, 2}));
}

TEST(Csv, another_separator_can_be_asked_for) {
  CsvOptions options;
  options.separator = '\t';
  EXPECT_EQ(values_of(parsed("1\t2\n", options)), (Values{1, 2}));
  options.separator = '"';
  EXPECT_NE(misuse("1\n", options).find("the separator is '\"'"),
            std::string::npos);
}

TEST(Csv, the_separator_is_found_with_its_decimal_mark) {
  const Values expected{1.5, -2, 3, 4.25};
  for (const std::string text :
       {"a,b\n1.5,-2\n3,4.25\n", "a;b\n1.5;-2\n3;4.25\n",
        "a\tb\n1.5\t-2\n3\t4.25\n", "a;b\n1,5;-2\n3;4,25\n",
        "a\tb\n1,5\t-2\n3\t4,25\n", "1,5;-2\n3;4,25\n"}) {
    EXPECT_EQ(values_of(parsed(text)), expected) << text;
  }
}

TEST(Csv, a_table_has_one_decimal_mark) {
  EXPECT_EQ(refusal("a;b\n1,5;2\n1.5;2\n"),
            "t.csv: row 1 (line 3), column 0 ('a') is '1.5', but rows before "
            "have numbers with a decimal comma; one decimal mark is expected");
  EXPECT_NE(refusal("a;b\n1.5;2\n1,5;2\n").find("a decimal point"),
            std::string::npos);
  EXPECT_NE(refusal("a;b\n1.234,5;2\n").find("a finite number"),
            std::string::npos);
  EXPECT_NE(refusal("a,b\n\"1,5\",2\n").find("a finite number"),
            std::string::npos);
}

TEST(Csv, numbers_do_not_depend_on_the_locale) {
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  std::setlocale(LC_NUMERIC, "de_DE.UTF-8");  // where installed
  EXPECT_EQ(values_of(parsed("1.5,2\n")), (Values{1.5, 2}));
  std::setlocale(LC_NUMERIC, before.c_str());
}

TEST(Csv, a_file_is_read_like_its_bytes) {
  const testing_support::TemporaryFolder folder;
  testing_support::write_text(folder.file("t.csv"), "a\r\n1\r\n2");
  EXPECT_EQ(values_of(read_csv(folder.file("t.csv"))), (Values{1, 2}));
  const std::string missing = folder.file("missing.csv");
  EXPECT_EQ(message_of<IoError>([&] { read_csv(missing); }),
            missing + ": cannot be opened: No such file or directory");
}

RC_GTEST_PROP(Csv, every_double_comes_back_bit_for_bit,
              (const std::vector<double>& any, bool is_quoted)) {
  std::string text = "x\n";
  Values finite;
  for (const double value : any) {
    if (!std::isfinite(value)) continue;
    char digits[32];
    const auto end = std::to_chars(digits, digits + 32, value).ptr;
    const std::string field(digits, end);
    text += is_quoted ? "\"" + field + "\"\n" : field + "\n";
    finite.push_back(value);
  }
  RC_PRE(!finite.empty());
  RC_ASSERT(values_of(parsed(text)) == finite);
}

TEST(Csv, text_columns_are_kept_beside_the_numbers) {
  CsvOptions options;
  options.text_columns = {"when", "0"};
  const CsvTable table =
      parsed("who,x,when\nada,1,\"a, b\"\nbob,2,\n", options);
  EXPECT_EQ(values_of(table), (Values{1, 2}));
  EXPECT_EQ(table.header, (Names{"x"}));
  ASSERT_EQ(table.texts.size(), 2u);
  EXPECT_EQ(table.texts[0], (Names{"a, b", ""}));
  EXPECT_EQ(table.texts[1], (Names{"ada", "bob"}));
  EXPECT_NE(misuse("who,x\nada,1\n", options), "");
}

TEST(Csv, a_text_column_asked_for_by_name_makes_a_header) {
  CsvOptions options;
  options.text_columns = {"when"};
  EXPECT_EQ(parsed("when,2020\nnow,1\n", options).header, (Names{"2020"}));
}

TEST(Csv, missing_values_become_nan_when_allowed) {
  CsvOptions options;
  options.allows_missing = true;
  const CsvTable table = parsed("1,,nan\nNA, ,NaN\n", options);
  EXPECT_EQ(table.values(0, 0), 1.0);
  for (std::size_t i = 1; i < 6; ++i) {
    EXPECT_TRUE(std::isnan(table.values.elements()[i])) << i;
  }
  EXPECT_NE(refusal("1,x\n", options), "");
  EXPECT_NE(refusal("1,\n"), "");
}

TEST(Csv, lines_before_the_table_can_be_passed_over) {
  CsvOptions options;
  options.skip_lines = 2;
  EXPECT_EQ(values_of(parsed("junk\n\"more\n1,2\n", options)), (Values{1, 2}));
  EXPECT_EQ(refusal("junk\nmore\n1,2\n3,x\n", options),
            "t.csv: row 1 (line 4), column 1 is 'x'; a finite number is "
            "expected, or other columns (--columns)");
  EXPECT_NE(refusal("junk\n", options), "");
}

TEST(Csv, a_preview_shows_the_first_records_as_they_stand) {
  const testing_support::TemporaryFolder folder;
  std::ofstream(folder.file("t.csv")) << "junk\na,\"b\"\n\n1,2,3\n4\n";
  const auto records = preview_csv(folder.file("t.csv"), 2, 1);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0], (Names{"a", "b"}));
  EXPECT_EQ(records[1], (Names{"1", "2", "3"}));
  EXPECT_EQ(preview_csv(folder.file("t.csv"), 9).size(), 4u);
  std::ofstream(folder.file("s.csv")) << "a;b\n1,5;x, y\n";
  EXPECT_EQ(preview_csv(folder.file("s.csv"), 2)[1], (Names{"1.5", "x, y"}));
  EXPECT_THROW(preview_csv(folder.file("absent.csv"), 2), IoError);
}

TEST(Csv, numbers_and_missing_fields_are_told_apart) {
  EXPECT_TRUE(is_csv_number(" +1.5e3 "));
  EXPECT_FALSE(is_csv_number("inf"));
  EXPECT_FALSE(is_csv_number(""));
  EXPECT_TRUE(is_csv_missing(" nAn"));
  EXPECT_TRUE(is_csv_missing(""));
  EXPECT_FALSE(is_csv_missing("0"));
}

}  // namespace csv_test
}  // namespace sbog
