// SPDX-License-Identifier: Apache-2.0
// Cells of a result of before: which are taken, and which are not.
#include "paper/earlier_result.h"

#include <gtest/gtest.h>

#include "oracle/temporary_folder.h"

namespace sbog::paper {
namespace earlier_result_test {

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

}  // namespace earlier_result_test
}  // namespace sbog::paper
