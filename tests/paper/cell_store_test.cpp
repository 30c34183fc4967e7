// SPDX-License-Identifier: Apache-2.0
// Cell files: read back, damaged, stale, half written.
#include "paper/cell_store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"

namespace sbog::paper {
namespace cell_store_test {

using testing_support::read_bytes;
using testing_support::TemporaryFolder;

void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

class CellStoreTest : public ::testing::Test {
 protected:
  CellStoreTest() : store_(folder_.path().string(), "table") {
    store_.make_folder();
    store_.save(cell_, result_, "abc");
  }

  TemporaryFolder folder_;
  CellStore store_;
  Cell cell_{"e20-s1", {{"epsilon", 0.02}, {"seed", 1}}};
  Json result_ = {{"gap", 0.1}, {"n", 3}, {"flips", {{"64", 1.0}}}};
};

TEST_F(CellStoreTest, a_result_is_read_back_with_its_commit) {
  const auto stored = store_.load(cell_);
  ASSERT_TRUE(stored.has_value());
  EXPECT_EQ(stored->result.dump(), result_.dump());
  EXPECT_EQ(stored->commit, "abc");
}

TEST_F(CellStoreTest, fractions_have_six_digits_and_integers_all) {
  store_.save(cell_, {{"gap", 2.0 / 3.0}, {"list", {1e-9 / 7.0, 123456789}}},
              "abc");
  const auto stored = store_.load(cell_);
  ASSERT_TRUE(stored.has_value());
  EXPECT_EQ(stored->result["gap"], 0.666667);
  EXPECT_EQ(stored->result["list"], (Json{1.42857e-10, 123456789}));
}

TEST_F(CellStoreTest, seconds_stand_beside_the_result) {
  EXPECT_TRUE(store_.load(cell_)->seconds.is_null());
  store_.save(cell_, result_, "abc", {{"encoder", 1.5}});
  const auto stored = store_.load(cell_);
  EXPECT_EQ(stored->result.dump(), result_.dump());
  EXPECT_EQ(stored->seconds["encoder"], 1.5);
}

TEST_F(CellStoreTest, another_configuration_is_not_taken) {
  Cell other = cell_;
  other.configuration["epsilon"] = 0.05;
  EXPECT_FALSE(store_.load(other).has_value());
  other = cell_;
  other.configuration["trim"] = 0.08;
  EXPECT_FALSE(store_.load(other).has_value());
}

TEST_F(CellStoreTest, another_key_or_experiment_is_not_taken) {
  const std::string bytes = read_bytes(store_.path_of(cell_.key));
  Cell other = cell_;
  other.key = "e20-s2";
  EXPECT_FALSE(store_.load(other).has_value());
  write_bytes(store_.path_of(other.key), bytes);
  EXPECT_FALSE(store_.load(other).has_value());
  const CellStore elsewhere(folder_.path().string(), "other");
  elsewhere.make_folder();
  write_bytes(elsewhere.path_of(cell_.key), bytes);
  EXPECT_FALSE(elsewhere.load(cell_).has_value());
}

TEST_F(CellStoreTest, every_cut_of_the_file_is_not_taken) {
  const std::string path = store_.path_of(cell_.key);
  const std::string bytes = read_bytes(path);
  // The last byte is a newline, which JSON can do without.
  for (std::size_t size = 0; size + 1 < bytes.size(); ++size) {
    write_bytes(path, bytes.substr(0, size));
    EXPECT_FALSE(store_.load(cell_).has_value()) << size;
  }
}

TEST_F(CellStoreTest, a_changed_result_is_not_taken) {
  const std::string path = store_.path_of(cell_.key);
  std::string bytes = read_bytes(path);
  const std::size_t place = bytes.find("\"gap\": 0.1");
  ASSERT_NE(place, std::string::npos);
  bytes.replace(place, 10, "\"gap\": 0.2");
  write_bytes(path, bytes);
  EXPECT_FALSE(store_.load(cell_).has_value());
}

TEST_F(CellStoreTest, fields_of_another_kind_are_not_taken) {
  const std::string path = store_.path_of(cell_.key);
  const Json whole = Json::parse(read_bytes(path));
  for (const auto& [field, value] : whole.items()) {
    if (field == "configuration") continue;  // for people; its hash counts
    Json json = whole;
    json[field] = Json::array({1});
    write_bytes(path, json.dump());
    EXPECT_FALSE(store_.load(cell_).has_value()) << field;
    json.erase(field);
    write_bytes(path, json.dump());
    EXPECT_FALSE(store_.load(cell_).has_value()) << field;
  }
}

TEST_F(CellStoreTest, a_half_written_file_beside_it_changes_nothing) {
  const std::filesystem::path path = store_.path_of(cell_.key);
  write_bytes((path.parent_path() / ".sbog-0123456789abcdef.tmp").string(),
              "{\"experiment\": \"ta");
  EXPECT_TRUE(store_.load(cell_).has_value());
  store_.save(cell_, result_, "def");
  EXPECT_EQ(store_.load(cell_)->commit, "def");
}

TEST_F(CellStoreTest, a_folder_that_cannot_be_made_is_told) {
  write_bytes(folder_.file("file"), "");
  EXPECT_THROW(CellStore(folder_.file("file"), "table").make_folder(), IoError);
}

class EarlierResultTest : public ::testing::Test {
 protected:
  EarlierResultTest() : store_(folder_.path().string(), "table") {
    store_.make_folder();
  }

  std::size_t taken(const Json& held) const {
    return take_over({{"cells", {{cell_.key, held}}}}, {cell_}, store_);
  }

  testing_support::TemporaryFolder folder_;
  CellStore store_;
  Cell cell_{"e20-s1", {{"epsilon", 0.02}, {"seed", 1}}};
  Json held_ = {{"configuration", {{"epsilon", 0.02}, {"seed", 1}}},
                {"result", {{"gap", 0.1}}},
                {"commit", "abc"},
                {"seconds", {{"cell", 2.5}}}};
};

TEST_F(EarlierResultTest, a_cell_comes_over_with_its_commit_and_seconds) {
  EXPECT_EQ(taken(held_), 1u);
  const auto stored = store_.load(cell_);
  ASSERT_TRUE(stored.has_value());
  EXPECT_EQ(stored->result, held_["result"]);
  EXPECT_EQ(stored->commit, "abc");
  EXPECT_EQ(stored->seconds["cell"], 2.5);
}

TEST_F(EarlierResultTest, commits_may_be_named_once_for_all_cells) {
  held_.erase("commit");
  const Json cells = {{cell_.key, held_}};
  EXPECT_EQ(take_over({{"cells", cells}}, {cell_}, store_), 0u);
  EXPECT_EQ(take_over({{"cells", cells}, {"cell_commits", {"abc", 5}}}, {cell_},
                      store_),
            0u);
  EXPECT_EQ(take_over({{"cells", cells}, {"cell_commits", {"abc", "def"}}},
                      {cell_}, store_),
            1u);
  EXPECT_EQ(store_.load(cell_)->commit, "abc or def");
}

TEST_F(EarlierResultTest, a_cell_that_is_there_already_stays) {
  store_.save(cell_, {{"gap", 0.7}}, "def");
  EXPECT_EQ(taken(held_), 0u);
  EXPECT_EQ(store_.load(cell_)->commit, "def");
}

TEST_F(EarlierResultTest, another_configuration_or_a_missing_field_is_left) {
  Json other = held_;
  other["configuration"]["epsilon"] = 0.05;
  EXPECT_EQ(taken(other), 0u);
  for (const char* field : {"configuration", "result", "commit"}) {
    other = held_;
    other.erase(field);
    EXPECT_EQ(taken(other), 0u) << field;
  }
  other = held_;
  other["commit"] = 7;
  EXPECT_EQ(taken(other), 0u);
  EXPECT_EQ(taken(Json::array()), 0u);
  EXPECT_EQ(take_over(Json::object(), {cell_}, store_), 0u);
  EXPECT_FALSE(store_.load(cell_).has_value());
}

}  // namespace cell_store_test
}  // namespace sbog::paper
