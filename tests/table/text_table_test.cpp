// SPDX-License-Identifier: Apache-2.0
#include "sbog/table/text_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"

namespace sbog::table {
namespace text_table_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using testing_support::TemporaryFolder;

std::string file_with(const TemporaryFolder& folder, const std::string& text) {
  std::ofstream(folder.file("t.csv"), std::ios::binary) << text;
  return folder.file("t.csv");
}

TEST(TextTable, fields_stay_as_they_stand) {
  const TemporaryFolder folder;
  const TextTable table = read_text_table(
      file_with(folder, "age,job\r\n40,\"cook, old\"\r\n,NA\r\n"));
  EXPECT_THAT(table.names, ElementsAre("age", "job"));
  EXPECT_EQ(table.rows(), 2u);
  EXPECT_THAT(table.columns[0], ElementsAre("40", ""));
  EXPECT_THAT(table.columns[1], ElementsAre("cook, old", "NA"));
}

TEST(TextTable, columns_are_chosen_and_ordered_by_name) {
  const TemporaryFolder folder;
  const std::string path = file_with(folder, "a,b,c\n1,2,3\n4,5,6\n");
  const TextTable table = read_text_table(path, {"c", "a"});
  EXPECT_THAT(table.names, ElementsAre("c", "a"));
  EXPECT_THAT(table.columns[0], ElementsAre("3", "6"));
  EXPECT_THAT([&] { read_text_table(path, {"d"}); },
              ThrowsMessage<InvalidArgument>(HasSubstr("there is no column")));
}

TEST(TextTable, what_is_no_table_is_refused) {
  const TemporaryFolder folder;
  EXPECT_THROW(read_text_table(file_with(folder, "")), IoError);
  EXPECT_THROW(read_text_table(file_with(folder, "a,b\n")), IoError);
  EXPECT_THROW(read_text_table(file_with(folder, "a,b\n1\n")), IoError);
  EXPECT_THROW(read_text_table(folder.file("none.csv")), IoError);
}

TEST(TextTable, a_column_is_taken_out) {
  TextTable table{{"a", "b", "c"}, {{"1"}, {"2"}, {"3"}}};
  EXPECT_THAT(take_column(table, "b"), ElementsAre("2"));
  EXPECT_THAT(table.names, ElementsAre("a", "c"));
  EXPECT_THAT(table.columns[1], ElementsAre("3"));
  EXPECT_THAT([&] { take_column(table, "b"); },
              ThrowsMessage<InvalidArgument>(HasSubstr("a, c")));
}

TEST(TextTable, a_written_table_reads_back) {
  const TemporaryFolder folder;
  const TextTable table{{"a,1", "b"}, {{"say \"x\"", ""}, {"2", "two\nlines"}}};
  const TextTable again = read_text_table(file_with(folder, to_csv(table)));
  EXPECT_EQ(again.names, table.names);
  EXPECT_EQ(again.columns, table.columns);
}

}  // namespace text_table_test
}  // namespace sbog::table
