// SPDX-License-Identifier: Apache-2.0
// Tables in Markdown, and the page of results itself: nothing in it that a
// result does not show.
#include "paper/readme.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "oracle/temporary_folder.h"
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
          {"seeds", {1, 2}},
          {"cells", {{"a", {{"configuration", {{"trim", 0.08}}}}}}},
          {"table", to_json(table)},
          {"notes", Json::array()}};
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

// The page that lies beside the results.
TEST(Readme, the_page_of_results_says_what_the_results_say) {
  const std::string folder = SBOG_SOURCE_DIR "/paper";
  const std::string page = read_bytes(folder + "/README.md");
  EXPECT_EQ(fill_tables(page, folder + "/results"), page);
  std::vector<Json> results;
  const std::filesystem::path out = folder + "/results";
  for (const auto& file : std::filesystem::recursive_directory_iterator(out)) {
    std::filesystem::path name = file.path().lexically_relative(out);
    if (name.extension() != ".json" || name.stem().extension() == ".vl" ||
        name.string().find("cells") != std::string::npos) {
      continue;
    }
    name.replace_extension();
    results.push_back(read_result(out.string(), name.string()));
    EXPECT_EQ(results.back()["size"], "full") << name;
  }
  EXPECT_FALSE(results.empty());
  EXPECT_THAT(unfounded_numbers(page, results), ::testing::IsEmpty());
}

}  // namespace readme_test
}  // namespace sbog::paper
