// SPDX-License-Identifier: Apache-2.0
// Tables in Markdown, and the page of results itself: nothing in it that a
// result does not show.
#include "paper/readme.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "oracle/temporary_folder.h"
#include "paper/result_file.h"
#include "sbog/base/errors.h"
#include "test_paths.h"

namespace sbog::paper {
namespace readme_test {

using testing_support::read_bytes;
using testing_support::TemporaryFolder;

Json small_result() {
  Table table;
  table.columns = {{"n", Style::kGeneral, 6}, {"share", Style::kFixed, 3}};
  table.rows = {{256, 0.0514}};
  return {{"title", "At 95 %"},
          {"version", "0.1.0"},
          {"cell_commits", {"abc", "def"}},
          {"size", "small"},
          {"seeds", {1, 2}},
          {"cells", {{"a", {{"configuration", {{"trim", 0.08}}}}}}},
          {"table", to_json(table)},
          {"notes", {"Mean over the seeds."}}};
}

TEST(Readme, tables_are_replaced_and_the_rest_is_left) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("x.json")) << small_result().dump();
  const std::string text = "a\n<!-- table x -->\nold\n<!-- end -->\nb\n";
  const std::string filled = fill_tables(text, folder.path().string());
  EXPECT_EQ(filled,
            "a\n<!-- table x -->\n\n| n | share |\n|---:|---:|\n| 256 | 0.051 "
            "|\n\n<!-- end -->\nb\n");
  EXPECT_EQ(fill_tables(filled, folder.path().string()), filled);
}

TEST(Readme, notes_tell_seeds_and_commits) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("x.json")) << small_result().dump();
  EXPECT_EQ(
      fill_tables("<!-- notes x -->\n<!-- end -->\n", folder.path().string()),
      "<!-- notes x -->\n\nMean over the seeds.\n\nSize small, seeds 1,2, "
      "sbog 0.1.0. Cells are of the commits `abc`, `def`.\n\n<!-- end "
      "-->\n");
}

TEST(Readme, a_page_is_made_and_then_keeps_its_sentences) {
  const TemporaryFolder folder;
  const std::string out = folder.path().string();
  std::ofstream(folder.file("x.json")) << small_result().dump();
  update_page(out, "x");
  const std::string made = read_bytes(folder.file("x.md"));
  EXPECT_THAT(made, ::testing::StartsWith("# x: At 95 %\n"));
  EXPECT_THAT(made, ::testing::HasSubstr("| 256 | 0.051 |"));
  EXPECT_THAT(made, ::testing::HasSubstr("Mean over the seeds."));
  std::ofstream(folder.file("x.md"), std::ios::app) << "Holds.\n";
  Json other = small_result();
  other["table"]["rows"][0][0] = 512;
  std::ofstream(folder.file("x.json")) << other.dump();
  update_page(out, "x");
  const std::string updated = read_bytes(folder.file("x.md"));
  EXPECT_THAT(updated, ::testing::HasSubstr("| 512 | 0.051 |"));
  EXPECT_THAT(updated, ::testing::EndsWith("Holds.\n"));
}

TEST(Readme, a_result_may_lie_in_a_folder_of_its_own) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "more");
  std::ofstream(folder.file("more/x.json")) << small_result().dump();
  const std::string filled = fill_tables("<!-- table more/x -->\n<!-- end -->",
                                         folder.path().string());
  EXPECT_THAT(filled, ::testing::HasSubstr("|"));
}

TEST(Readme, what_cannot_be_filled_is_told) {
  const TemporaryFolder folder;
  const std::string out = folder.path().string();
  EXPECT_THROW(fill_tables("<!-- table x -->\n<!-- end -->", out), IoError);
  std::ofstream(folder.file("x.json")) << small_result().dump();
  EXPECT_THROW(fill_tables("<!-- table x -->\n", out), InvalidArgument);
  EXPECT_THROW(
      fill_tables("<!-- table x -->\n<!-- table x -->\n<!-- end -->", out),
      InvalidArgument);
  std::ofstream(folder.file("x.json")) << "{}";
  EXPECT_THROW(fill_tables("<!-- table x -->\n<!-- end -->", out), IoError);
}

TEST(Readme, numbers_that_no_result_shows_are_found) {
  const std::vector<Json> results = {small_result()};
  EXPECT_TRUE(unfounded_numbers("0.051 of 256, trim 0.08 at 95 %, `7`\n"
                                "```sh\nsbog 99\n```\n",
                                results)
                  .empty());
  EXPECT_EQ(unfounded_numbers("0.052 and 0.0514 and 3", results),
            (std::vector<std::string>{"0.052", "0.0514", "3"}));
}

// The page that lies beside the results, and the pages among them.
TEST(Readme, the_pages_of_results_say_what_the_results_say) {
  namespace fs = std::filesystem;
  const fs::path folder = SBOG_SOURCE_DIR "/paper";
  std::vector<fs::path> pages = {folder / "README.md"};
  std::vector<Json> results;
  for (const auto& file :
       fs::recursive_directory_iterator(folder / "results")) {
    fs::path name = file.path().filename();
    if (name.extension() != ".gz") continue;
    name = name.stem().stem();  // without .json.gz
    const std::string out = file.path().parent_path().string();
    results.push_back(read_result(out, name.string()));
    EXPECT_EQ(results.back()["size"], "full") << file.path();
    pages.push_back(file.path().parent_path() / (name.string() + ".md"));
  }
  EXPECT_FALSE(results.empty());
  for (const fs::path& path : pages) {
    const std::string page = read_bytes(path.string());
    EXPECT_NE(page, "") << path;
    EXPECT_EQ(fill_tables(page, path.parent_path().string()), page) << path;
    EXPECT_THAT(unfounded_numbers(page, results), ::testing::IsEmpty()) << path;
  }
}

}  // namespace readme_test
}  // namespace sbog::paper
