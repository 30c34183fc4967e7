// SPDX-License-Identifier: Apache-2.0
// The reading of pages, and that a page which is out of date is noticed.
#include "docs/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "docs/check_document.h"

namespace sbog::testing_support {
namespace document_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> faults_of(const std::string& page,
                                   const DocumentWorld& world = {}) {
  const TemporaryFolder folder;
  return DocumentCheck(folder, world).run(page);
}

TEST(Document, blocks_are_found_with_their_remarks) {
  const std::vector<Block> blocks = blocks_of(
      "# Title\n```sh\nls\n```\ntext\n<!-- exit 1 -->\n```text\na\n\nb\n```\n");
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(blocks[0].language, "sh");
  EXPECT_THAT(blocks[0].lines, ElementsAre("ls"));
  EXPECT_EQ(blocks[0].line, 2u);
  EXPECT_EQ(blocks[0].remark, "");
  EXPECT_THAT(blocks[1].lines, ElementsAre("a", "", "b"));
  EXPECT_EQ(blocks[1].remark, "exit 1");
}

TEST(Document, commands_are_joined_and_comments_left_out) {
  const Block block{
      "sh", {"# a comment", "one \\", "  more", "", "two  # why"}, "", 1};
  EXPECT_THAT(commands_of(block), ElementsAre("one   more", "two"));
}

TEST(Document, dots_stand_for_any_text_and_any_lines) {
  EXPECT_TRUE(fits_line("in ... s", "in 3.1 s"));
  EXPECT_TRUE(fits_line("...", ""));
  EXPECT_FALSE(fits_line("in ... s", "in 3.1 ms, slow"));
  EXPECT_TRUE(holds_lines("a\nb\nc\n", {"b", "c"}));
  EXPECT_FALSE(holds_lines("a\nb\nc\n", {"a", "c"}));
  EXPECT_TRUE(holds_lines("a\nb\nc\n", {"a", "...", "c"}));
  EXPECT_FALSE(holds_lines("a\nb\nc\n", {"c", "...", "a"}));
}

TEST(Document, a_page_that_is_right_has_no_faults) {
  EXPECT_THAT(faults_of("```sh\necho one; echo two\n```\nprints\n\n"
                        "```text\none\ntwo\n```\n"),
              IsEmpty());
  EXPECT_THAT(faults_of("<!-- exit 3 -->\n```sh\nexit 3\n```\n"), IsEmpty());
  EXPECT_THAT(faults_of("<!-- not run: it installs -->\n```sh\nfalse\n```\n"),
              IsEmpty());
}

TEST(Document, an_output_that_changed_is_a_fault) {
  const auto faults =
      faults_of("```sh\necho 0.512\n```\n```text\n0.513\n```\n");
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_THAT(faults[0], HasSubstr("line 4"));
  EXPECT_THAT(faults[0], HasSubstr("0.512"));
}

TEST(Document, a_command_that_fails_is_a_fault) {
  EXPECT_EQ(faults_of("```sh\nfalse\n```\n").size(), 1u);
  EXPECT_EQ(faults_of("```sh\nfalse\ntrue\n```\n").size(), 1u);
  EXPECT_EQ(faults_of("<!-- exit 1 -->\n```sh\ntrue\n```\n").size(), 1u);
  EXPECT_EQ(faults_of("```sh\nsbog no-such-command\n```\n").size(), 1u);
}

TEST(Document, code_must_be_in_a_program_that_is_built) {
  const DocumentWorld world{
      {"int main() {\n  run();\n\n  stop();\n}\n"}, {}, false};
  EXPECT_THAT(faults_of("```cpp\nrun();\nstop();\n```\n", world), IsEmpty());
  EXPECT_EQ(faults_of("```cpp\nstop();\nrun();\n```\n", world).size(), 1u);
  EXPECT_EQ(faults_of("```cpp\n```\n", world).size(), 1u);
  EXPECT_EQ(faults_of("```rust\nrun()\n```\n", world).size(), 1u);
}

TEST(Document, python_is_left_to_its_own_tests) {
  const TemporaryFolder folder;
  const DocumentWorld nothing;
  DocumentCheck check(folder, nothing);
  const std::string page = "```python\nprint(1)\n```\n```text\nnot ours\n```\n";
  EXPECT_THAT(check.run(page), ::testing::IsEmpty());
  EXPECT_EQ(check.command_count(), 0u);
}

TEST(Document, a_script_is_there_for_the_commands_after_it) {
  EXPECT_THAT(faults_of("```python\n# one.py\nprint(1)\n```\n"
                        "```sh\ncat one.py\n```\n```text\nprint(1)\n```\n"),
              IsEmpty());
}

TEST(Document, what_needs_libtorch_waits_for_it) {
  const std::string page =
      "<!-- needs LibTorch -->\n```sh\nfalse\n```\n```text\nx\n```\n";
  EXPECT_THAT(faults_of(page, {{}, {}, false}), IsEmpty());
  EXPECT_EQ(faults_of(page, {{}, {}, true}).size(), 2u);
}

}  // namespace document_test
}  // namespace sbog::testing_support
