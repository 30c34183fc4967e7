// SPDX-License-Identifier: Apache-2.0
// sbog-paper from the outside: names, files, resume, kill, failures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/tool.h"
#include "paper/result_file.h"
#include "sbog/base/build_info.h"

namespace sbog::testing_support {
namespace main_test {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

// Lets a shell find the built program by its name.
const std::string kPath = "PATH=\"$(dirname '" SBOG_PAPER "'):$PATH\"; ";

ToolResult run_paper(const TemporaryFolder& folder,
                     const std::string& arguments) {
  return run_line(folder, kPath + "sbog-paper " + arguments);
}

TEST(Main, help_ends_with_two_examples_that_work_as_typed) {
  const TemporaryFolder folder;
  const ToolResult help = run_paper(folder, "--help");
  ASSERT_EQ(help.exit_code, 0);
  const std::vector<std::string> examples = examples_of(help.out);
  EXPECT_EQ(examples.size(), 2u);
  for (const std::string& example : examples) {
    const ToolResult run = run_line(folder, kPath + example);
    EXPECT_EQ(run.exit_code, 0) << example << "\n" << run.err;
    EXPECT_NE(run.out, "") << example;
  }
}

TEST(Main, version_and_commit_are_told) {
  const TemporaryFolder folder;
  const ToolResult run = run_paper(folder, "--version");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.out, ::testing::StartsWith("sbog-paper "));
  EXPECT_THAT(run.out, HasSubstr(build_commit()));
}

TEST(Main, list_names_every_table) {
  const TemporaryFolder folder;
  const ToolResult run = run_paper(folder, "list");
  EXPECT_EQ(run.exit_code, 0);
  for (const char* name :
       {"kde", "selfterm", "certificates", "stability", "energy-ablation"}) {
    EXPECT_THAT(run.out, HasSubstr(name));
  }
  EXPECT_TRUE(folder.is_empty());
}

TEST(Main, prints_what_it_writes) {
  const TemporaryFolder folder;
  const ToolResult run = run_paper(folder, "kde --size small --out d --quiet");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(run.out, read_bytes(folder.file("d/kde.txt")));
  const ToolResult json =
      run_paper(folder, "kde --size small --out d --quiet --json");
  EXPECT_EQ(json.out,
            paper::result_text(paper::read_result(folder.file("d"), "kde")));
  EXPECT_TRUE(nlohmann::json::parse(json.out).contains("commit"));
  EXPECT_TRUE(fs::exists(folder.file("d/kde.vl.json")));
}

TEST(Main, several_tables_come_one_after_the_other) {
  const TemporaryFolder folder;
  const ToolResult run =
      run_paper(folder, "selfterm kde --size small --out d --quiet");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, read_bytes(folder.file("d/selfterm.txt")) + "\n" +
                         read_bytes(folder.file("d/kde.txt")));
}

TEST(Main, seeds_are_taken) {
  const TemporaryFolder folder;
  const ToolResult run = run_paper(
      folder, "kde --size small --seeds 5,9-10 --out d --json --quiet");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(nlohmann::json::parse(run.out)["seeds"],
            nlohmann::json({5, 9, 10}));
}

TEST(Main, wrong_use_is_told_in_one_sentence) {
  const TemporaryFolder folder;
  const auto expect = [&](const std::string& arguments, const char* part) {
    const ToolResult run = run_paper(folder, "" + arguments);
    EXPECT_EQ(run.exit_code, 2) << arguments << "\n" << run.err;
    EXPECT_THAT(run.err, HasSubstr(part)) << arguments;
    EXPECT_EQ(told_lines(run.err), 1u) << run.err;
    EXPECT_TRUE(folder.is_empty()) << arguments;
  };
  expect("", "name");
  expect("tables", "stability, certificates");
  expect("kde tables --size small", "stability, certificates");
  expect("list kde", "0 further words");
  expect("kde --size huge", "--size");
  expect("kde --seeds x", "--seeds");
  expect("kde --seed 3", "--seeds");
  expect("series", "--data");
  expect("cell kde", "2 further words");
  expect("cell kde nothing --size small", "nothing");
}

TEST(Main, a_child_that_cannot_write_gives_one_sentence_and_exit_3) {
  const TemporaryFolder folder;
  // A folder where the file of a cell should be.
  fs::create_directories(folder.file("d/cells/kde/d768-s1.json"));
  const ToolResult run = run_paper(folder, "kde --size small --out d --jobs 1");
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.err, HasSubstr("the cell d768-s1 failed"));
  EXPECT_EQ(told_lines(run.err), 1u) << run.err;
  EXPECT_TRUE(fs::exists(folder.file("d/cells/kde/d4-s1.json")));
  EXPECT_FALSE(fs::exists(folder.file("d/kde.json.gz")));
}

TEST(Main, an_output_folder_that_is_a_file_is_told) {
  const TemporaryFolder folder;
  const ToolResult run = run_line(
      folder, kPath + "touch d; sbog-paper kde --size small --out d --quiet");
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.err, HasSubstr("cannot be made"));
}

// Runs the tool in the background and sends it a signal once `d` holds a
// finished cell; ends with the tool's own exit status.
std::string signalled(const std::string& arguments, const char* signal) {
  return "'" SBOG_PAPER "' " + arguments +
         "d & pid=$!; while ! ls d/cells/selfterm 2>/dev/null | grep -q "
         "'json$'; do :; done; kill -" +
         signal + " $pid; wait $pid";
}

TEST(Main, a_killed_run_resumes_to_the_same_bytes) {
  const TemporaryFolder folder;
  const std::string arguments =
      "selfterm --size small --seeds 6 --quiet --jobs 2 --out ";
  ASSERT_EQ(run_paper(folder, arguments + "whole").exit_code, 0);
  const ToolResult killed = run_line(folder, signalled(arguments, "KILL"));
  ASSERT_EQ(killed.exit_code, 128 + 9) << killed.err;
  ASSERT_FALSE(fs::exists(folder.file("d/selfterm.json.gz")));
  ASSERT_EQ(run_paper(folder, arguments + "d").exit_code, 0);
  EXPECT_EQ(read_bytes(folder.file("d/selfterm.json.gz")),
            read_bytes(folder.file("whole/selfterm.json.gz")));
}

TEST(Main, an_interrupt_ends_cleanly_and_keeps_finished_cells) {
  const TemporaryFolder folder;
  const ToolResult run = run_line(
      folder, signalled("selfterm --seeds 200 --jobs 2 --out ", "INT"));
  EXPECT_EQ(run.exit_code, 1) << run.err;
  EXPECT_EQ(run.err, "interrupted; finished cells are kept in d\n");
  EXPECT_FALSE(fs::exists(folder.file("d/selfterm.json.gz")));
  EXPECT_FALSE(fs::is_empty(folder.file("d/cells/selfterm")));
}

}  // namespace main_test
}  // namespace sbog::testing_support
