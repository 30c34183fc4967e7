// SPDX-License-Identifier: Apache-2.0
// The man page: what it says, and that groff accepts it where it is installed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/about/man_page_support.h"
#include "cli/tool.h"

namespace sbog::testing_support {
namespace man_page_test {

using ::testing::HasSubstr;

TEST(ManPage, says_defaults_choices_and_examples) {
  const TemporaryFolder folder;
  const std::string page = run_tool(folder, "man").out;
  EXPECT_THAT(section_of(page, "sbog demo"),
              HasSubstr("one of \\fBlatent\\fR, \\fBseries\\fR, "));
  EXPECT_THAT(section_of(page, "sbog score"), HasSubstr("default auto"));
  EXPECT_THAT(section_of(page, "sbog dro"), HasSubstr("required"));
  EXPECT_THAT(section_of(page, "sbog doctor"),
              HasSubstr("  sbog doctor \\-\\-json\n"));
}

TEST(ManPage, groff_has_nothing_to_complain_about) {
  const TemporaryFolder folder;
  if (run_line(folder, "command -v groff").exit_code != 0) return;
  ASSERT_EQ(run_tool(folder, "man >sbog.1").exit_code, 0);
  const ToolResult run = run_line(folder, "groff -man -Tutf8 -ww sbog.1");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err, "");
  EXPECT_THAT(run.out, HasSubstr("sbog detect train"));
}

}  // namespace man_page_test
}  // namespace sbog::testing_support
