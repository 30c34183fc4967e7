// SPDX-License-Identifier: Apache-2.0
#include "sbog/image/class_names.h"

#include <gtest/gtest.h>

#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "support.h"

namespace sbog {
namespace class_names_test {

using testing_support::bytes_of;
using testing_support::message_of;
using Names = std::vector<std::string>;

Names parse(const std::string& text) {
  return parse_class_names(bytes_of(text), "c.txt");
}

TEST(ClassNames, a_line_is_a_name_without_the_spaces_around_it) {
  EXPECT_EQ(parse("cat\n big dog \r\n"), (Names{"cat", "big dog"}));
  EXPECT_EQ(parse("cat\nd\xc3\xb6g"), (Names{"cat", "d\xc3\xb6g"}));
  EXPECT_EQ(parse("cat\n\n \n"), Names{"cat"});
  EXPECT_EQ(parse(""), Names{});
  EXPECT_EQ(parse(" \n\n"), Names{});
}

TEST(ClassNames, a_line_that_is_no_name_is_refused_by_its_number) {
  EXPECT_EQ(message_of<IoError>([] { parse("cat\n\ndog\n"); }),
            "c.txt: line 2 is no name of a class; 1 to 256 bytes of UTF-8 are "
            "expected");
  EXPECT_THROW(parse("\xff\xfe"), IoError);
  EXPECT_THROW(parse(std::string(257, 'x')), IoError);
  EXPECT_NO_THROW(parse(std::string(256, 'x')));
}

TEST(ClassNames, more_than_65536_names_are_refused) {
  std::string text;
  for (int k = 0; k < 65536; ++k) text += "x\n";
  EXPECT_EQ(parse(text).size(), 65536u);
  EXPECT_THROW(parse(text + "x"), IoError);
}

TEST(ClassNames, a_file_is_read_and_a_missing_one_is_named) {
  const testing_support::TemporaryFolder folder;
  testing_support::write_text(folder.file("c.txt"), "a\nb\n");
  EXPECT_EQ(read_class_names(folder.file("c.txt")), (Names{"a", "b"}));
  EXPECT_TRUE(message_of<IoError>([&] {
                read_class_names(folder.file("none"));
              }).starts_with(folder.file("none")));
}

}  // namespace class_names_test
}  // namespace sbog
