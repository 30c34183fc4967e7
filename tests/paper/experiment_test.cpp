// SPDX-License-Identifier: Apache-2.0
// Seeds, sizes, groups and means.
#include "paper/experiment.h"

#include <gtest/gtest.h>

#include "sbog/base/errors.h"

namespace sbog::paper {
namespace experiment_test {

using Seeds = std::vector<std::uint64_t>;

TEST(Seeds, a_count_a_list_and_ranges_are_read) {
  EXPECT_EQ(parse_seeds("3"), (Seeds{1, 2, 3}));
  EXPECT_EQ(parse_seeds("7-7"), (Seeds{7}));
  EXPECT_EQ(parse_seeds("5,2,101-103"), (Seeds{5, 2, 101, 102, 103}));
}

TEST(Seeds, what_is_written_is_read_back) {
  for (const Seeds& seeds : {Seeds{7}, Seeds{1, 2}, Seeds{9, 3, 100000}}) {
    EXPECT_EQ(parse_seeds(to_string(seeds)), seeds);
  }
}

TEST(Seeds, anything_else_is_refused) {
  for (const char* text :
       {"", "0", "x", "1,", ",1", "1,,2", "3-1", "1-", "-1", "1.5", "1,1",
        "1-3,2", "10001", "1-20000", "99999999999999999999"}) {
    EXPECT_THROW(parse_seeds(text), InvalidArgument) << text;
  }
}

TEST(Size, is_read_back) {
  EXPECT_EQ(parse_size(to_string(Size::kSmall)), Size::kSmall);
  EXPECT_EQ(parse_size(to_string(Size::kFull)), Size::kFull);
  EXPECT_THROW(parse_size("huge"), InvalidArgument);
}

std::vector<FinishedCell> three_cells() {
  return {{"a", {{"eps", 0.1}, {"seed", 1}}, {{"x", 1.0}}},
          {"b", {{"eps", 0.2}, {"seed", 1}}, {{"x", 5.0}, {"y", "inf"}}},
          {"c", {{"eps", 0.1}, {"seed", 2}}, {{"x", 4.0}}}};
}

TEST(Groups, hold_cells_that_agree_in_order_of_their_first) {
  const auto groups = group_by(three_cells(), {"eps"});
  ASSERT_EQ(groups.size(), 2u);
  ASSERT_EQ(groups[0].size(), 2u);
  EXPECT_EQ(groups[0][1].key, "c");
  EXPECT_EQ(groups[1][0].key, "b");
}

TEST(Means, are_those_of_the_numbers_that_are_there) {
  const auto cells = three_cells();
  EXPECT_EQ(mean_of(cells, "/x"), Json(10.0 / 3.0));
  EXPECT_TRUE(mean_of(cells, "/missing").is_null());
  EXPECT_EQ(mean_of(cells, "/y"), Json("inf"));
}

TEST(Means, can_be_geometric) {
  const auto groups = group_by(three_cells(), {"eps"});
  EXPECT_DOUBLE_EQ(geometric_mean_of(groups[0], "/x").get<double>(), 2.0);
  EXPECT_EQ(geometric_mean_of(groups[1], "/y"), Json("inf"));
  EXPECT_TRUE(geometric_mean_of(groups[0], "/y").is_null());
}

TEST(Means, have_the_spread_of_a_sample) {
  const auto groups = group_by(three_cells(), {"eps"});
  const Json two = mean_sd_of(groups[0], "/x");  // 1 and 4
  EXPECT_DOUBLE_EQ(two[0].get<double>(), 2.5);
  EXPECT_DOUBLE_EQ(two[1].get<double>(), std::sqrt(4.5));
  const Json one = mean_sd_of(groups[1], "/x");
  EXPECT_EQ(one[0], Json(5.0));
  EXPECT_TRUE(one[1].is_null());
  EXPECT_TRUE(mean_sd_of(groups[0], "/y").is_null());
}

TEST(Experiment, asked_sets_keep_their_order_and_unknown_ones_are_named) {
  Settings settings;
  settings.data = "folder";
  EXPECT_EQ(wanted_sets(settings, {"b", "a"}),
            (std::vector<std::string>{"b", "a"}));
  settings.sets = {"a", "c"};
  EXPECT_EQ(wanted_sets(settings, {"c", "b", "a"}),
            (std::vector<std::string>{"c", "a"}));
  try {
    wanted_sets(settings, {"b", "a"});
    FAIL() << "an unknown set was taken";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(),
                 "--sets: 'c' is not among the sets of folder for this table: "
                 "b a");
  }
}

}  // namespace experiment_test
}  // namespace sbog::paper
