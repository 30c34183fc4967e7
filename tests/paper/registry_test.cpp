// SPDX-License-Identifier: Apache-2.0
// The registry: names, keys that can be files, charts that use their data.
#include "paper/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>

#include "paper/image_cells.h"
#include "paper/runner.h"
#include "paper/small_run.h"
#include "sbog/base/errors.h"

namespace sbog::paper {
namespace registry_test {

TEST(Registry, names_are_distinct_and_found) {
  std::set<std::string> names;
  for (const Experiment& experiment : experiments()) {
    EXPECT_TRUE(names.insert(experiment.name).second) << experiment.name;
    EXPECT_EQ(&find_experiment(experiment.name), &experiment);
    EXPECT_TRUE(
        std::regex_match(experiment.name, std::regex("[a-z][a-z0-9-]*")));
    EXPECT_NE(experiment.title, "");
  }
  for (const char* word : {"list", "all", "cell", "readme"}) {
    EXPECT_FALSE(names.contains(word)) << word << " is a word of the command";
  }
}

TEST(Registry, an_unknown_name_is_answered_with_all_names) {
  try {
    find_experiment("nothing");
    FAIL() << "found";
  } catch (const InvalidArgument& error) {
    for (const Experiment& experiment : experiments()) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr(experiment.name));
    }
  }
}

TEST(Registry, keys_are_distinct_file_names_in_every_size) {
  for (const Experiment& experiment : experiments()) {
    for (const Size size : {Size::kSmall, Size::kFull}) {
      if (!obstacle_of(experiment, {size, {}}).empty()) {
        // The small size needs no data.
        EXPECT_TRUE(size == Size::kFull ||
                    (is_about_images(experiment.name) && !has_images()))
            << experiment.name;
        continue;
      }
      std::set<std::string> keys;
      for (const Cell& cell :
           experiment.cells(resolve(experiment, {size, {}}))) {
        EXPECT_TRUE(keys.insert(cell.key).second) << cell.key;
        EXPECT_TRUE(
            std::regex_match(cell.key, std::regex("[a-z0-9][a-z0-9._-]*")))
            << cell.key;
      }
      EXPECT_FALSE(keys.empty()) << experiment.name;
    }
  }
}

TEST(Registry, cells_follow_the_seeds_and_hold_them) {
  for (const Experiment& experiment : experiments()) {
    if (!obstacle_of(experiment, {Size::kSmall, {}}).empty()) continue;
    std::map<std::string, std::size_t> counts;
    for (const Cell& cell : experiment.cells({Size::kSmall, {41, 42}})) {
      // null: what is computed has no seed.
      const Json& seed = cell.configuration.at("seed");
      EXPECT_TRUE(seed.is_null() || seed == 41 || seed == 42) << cell.key;
      ++counts[seed.dump()];
    }
    EXPECT_EQ(counts.contains("41"), counts.contains("42")) << experiment.name;
    EXPECT_GE(counts["41"], counts["42"]) << experiment.name;
    for (const Cell& cell : experiment.cells({Size::kSmall, {41}})) {
      EXPECT_NE(cell.configuration.at("seed"), 42) << cell.key;
    }
  }
}

}  // namespace registry_test
}  // namespace sbog::paper
