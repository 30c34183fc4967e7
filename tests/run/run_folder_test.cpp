// SPDX-License-Identifier: Apache-2.0
// The folder of a run: who may take it up, manifest, outliers.
#include "sbog/run/run_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "oracle/temporary_folder.h"
#include "sbog/base/atomic_file.h"
#include "sbog/base/errors.h"
#include "sbog/data/array.h"
#include "sbog/data/npy.h"

namespace sbog {
namespace run_folder_test {

using testing_support::read_bytes;
using testing_support::TemporaryFolder;

template <typename Body>
std::string refusal(const Body& body) {
  try {
    body();
  } catch (const IoError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(RunFolder, a_new_folder_holds_the_configuration) {
  const TemporaryFolder place;
  const RunFolder folder(place.file("run"), "a = 1\n", 7, false);
  EXPECT_EQ(read_bytes(folder.file("config.toml")), "a = 1\n");
  EXPECT_TRUE(std::filesystem::is_directory(folder.file("parts")));
  EXPECT_TRUE(folder.finished_manifest().is_null());
}

TEST(RunFolder, it_is_taken_up_only_by_the_same_run_and_when_asked) {
  const TemporaryFolder place;
  const std::string path = place.file("run");
  std::uint64_t identity = 0;
  {
    const RunFolder first(path, "a = 1\n", 7, false);
    first.write_manifest({{"seed", 1}}, "running");
    identity = first.identity();
  }
  EXPECT_EQ(RunFolder(path, "a = 1\n", 7, true).identity(), identity);
  EXPECT_THAT(refusal([&] { RunFolder(path, "a = 1\n", 7, false); }),
              testing::HasSubstr("already holds a run"));
  EXPECT_THAT(refusal([&] { RunFolder(path, "a = 2\n", 7, true); }),
              testing::HasSubstr("other options"));
  EXPECT_THAT(refusal([&] { RunFolder(path, "a = 1\n", 8, true); }),
              testing::HasSubstr("other inputs"));
}

TEST(RunFolder, a_folder_of_other_files_is_left_alone) {
  const TemporaryFolder place;
  write_file_atomically(place.file("mine.txt"), "mine");
  const std::string path = place.path().string();
  EXPECT_THAT(refusal([&] { RunFolder(path, "a = 1\n", 7, true); }),
              testing::HasSubstr("holds other files"));
  EXPECT_FALSE(std::filesystem::exists(place.file("parts")));
}

TEST(RunFolder, only_an_ended_run_has_a_finished_manifest) {
  const TemporaryFolder place;
  const RunFolder folder(place.file("run"), "a = 1\n", 7, false);
  folder.write_manifest({{"seed", 1}}, "running");
  EXPECT_TRUE(folder.finished_manifest().is_null());
  folder.write_manifest({{"seed", 1}}, "partial");
  EXPECT_EQ(folder.finished_manifest().at("state"), "partial");
  folder.remove_parts();
  EXPECT_FALSE(std::filesystem::exists(folder.file("parts")));
}

TEST(RunFolder, a_second_process_is_refused) {
  const TemporaryFolder place;
  const std::string path = place.file("run");
  const RunFolder first(path, "a = 1\n", 7, false);
  first.write_manifest({{"seed", 1}}, "running");
  EXPECT_THAT(refusal([&] { RunFolder(path, "a = 1\n", 7, true); }),
              testing::HasSubstr("in use by another process"));
}

TEST(RunFolder, a_start_that_failed_leaves_nothing) {
  const TemporaryFolder place;
  { const RunFolder folder(place.file("run"), "a = 1\n", 7, false); }
  EXPECT_TRUE(place.is_empty());
  std::filesystem::create_directory(place.file("mine"));
  { const RunFolder folder(place.file("mine"), "a = 1\n", 7, false); }
  EXPECT_TRUE(std::filesystem::is_empty(place.file("mine")));
  {
    const RunFolder folder(place.file("run"), "a = 1\n", 7, false);
    folder.write_manifest({{"seed", 1}}, "running");
  }
  EXPECT_TRUE(std::filesystem::exists(place.file("run/config.toml")));
}

TEST(RunFolder, links_in_place_of_its_folders_are_refused) {
  const TemporaryFolder place;
  std::filesystem::create_directory(place.file("elsewhere"));
  std::filesystem::create_directory_symlink(place.file("elsewhere"),
                                            place.file("link"));
  EXPECT_THAT(refusal([&] { RunFolder(place.file("link"), "", 7, false); }),
              testing::HasSubstr("symbolic link"));
  for (const char* inner : {"parts", "decoded", "model"}) {
    const std::string path = place.file(std::string("run-") + inner);
    {
      const RunFolder folder(path, "", 7, false);
      folder.write_manifest({{"seed", 1}}, "running");
      std::filesystem::remove(folder.file("parts"));
      std::filesystem::create_directory_symlink(place.file("elsewhere"),
                                                folder.file(inner));
    }
    EXPECT_THAT(refusal([&] { RunFolder(path, "", 7, true); }),
                testing::HasSubstr("symbolic link"));
  }
  EXPECT_TRUE(std::filesystem::is_empty(place.file("elsewhere")));
}

TEST(RunFolder, what_a_killed_process_left_half_written_is_removed) {
  const TemporaryFolder place;
  const std::string path = place.file("run");
  { RunFolder(path, "", 7, false).write_manifest({{"seed", 1}}, "running"); }
  const std::string left = ".sbog-0123456789abcdef.tmp";
  write_file_atomically(path + "/" + left, "half");
  write_file_atomically(path + "/parts/" + left, "half");
  std::filesystem::create_directory(path + "/model");
  write_file_atomically(path + "/model/" + left, "half");
  write_file_atomically(path + "/user.tmp", "kept");
  const RunFolder resumed(path, "", 7, true);
  EXPECT_FALSE(std::filesystem::exists(path + "/" + left));
  EXPECT_FALSE(std::filesystem::exists(path + "/parts/" + left));
  EXPECT_FALSE(std::filesystem::exists(path + "/model/" + left));
  EXPECT_TRUE(std::filesystem::exists(path + "/user.tmp"));
}

TEST(RunFolder, a_manifest_of_wrong_types_is_told_in_one_sentence) {
  const TemporaryFolder place;
  const std::string path = place.file("run");
  { RunFolder(path, "", 7, false).write_manifest({{"seed", 1}}, "running"); }
  write_file_atomically(path + "/manifest.json", R"({"state": 3})");
  const RunFolder resumed(path, "", 7, true);
  EXPECT_THAT(refusal([&] { resumed.finished_manifest(); }),
              testing::EndsWith("manifest.json: 'state' is not a text"));
}

TEST(OutlierWriter, points_and_table_have_one_row_for_each_output) {
  const TemporaryFolder place;
  const RunFolder folder(place.file("run"), "", 0, false);
  OutlierPart<float> part;
  for (std::size_t k = 0; k < 2; ++k) {
    Output<float> output;
    output.k = k;
    output.is_accepted = true;
    output.energy = 0.25;
    output.point = {1.0f, static_cast<float>(k), 3.0f};
    part.outputs.push_back(output);
  }
  OutlierWriter<float> writer(folder, 4, 3);
  writer.add(5, part);
  const std::vector<OutlierVerdict> verdicts = {{0.5, true}, {0.25, false}};
  // The first has a bound only.
  const std::vector<OutlierRarity> rarities = {
      {{0.5, {}, 0.0, 1.0, false}, 0}, {{0.5, 0.125, 0.0625, 0.25, false}, 1}};
  writer.add(6, part, verdicts, rarities);
  writer.finish();
  const auto points = to_matrix<float>(read_npy(folder.file("outliers.npy")));
  ASSERT_EQ(points.rows(), 4u);
  EXPECT_EQ(points.view()(3, 1), 1.0f);
  const std::string table = read_bytes(folder.file("outliers.csv"));
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 5);
  EXPECT_THAT(table, testing::HasSubstr("\n2,6,0,round,"));
  EXPECT_THAT(table, testing::HasSubstr(",0.5,1,,,,0.5,0\n"));
  EXPECT_THAT(table, testing::HasSubstr(",0.25,0,0.125,0.0625,0.25,0.5,1\n"));
}

}  // namespace run_folder_test
}  // namespace sbog
