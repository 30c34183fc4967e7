// SPDX-License-Identifier: Apache-2.0
// Sampler options as JSON: differences are found and nothing else.
#include "paper/options_json.h"

#include <gtest/gtest.h>

namespace sbog::paper {
namespace options_json_test {

TEST(OptionsJson, equal_options_have_no_difference) {
  EXPECT_TRUE(options_difference(SamplerOptions(), SamplerOptions()).empty());
}

TEST(OptionsJson, a_changed_field_is_the_difference) {
  SamplerOptions options;
  options.pick = PickRule::kLevel;
  options.ceiling = 0.03;
  EXPECT_EQ(options_difference(options, SamplerOptions()),
            Json({{"ceiling", 0.03}, {"pick", "level"}}));
}

TEST(OptionsJson, the_profiles_of_the_tool_differ) {
  std::vector<std::string> texts;
  for (const std::string_view name : profile_names()) {
    texts.push_back(options_json(profile_options(name)).dump());
  }
  std::sort(texts.begin(), texts.end());
  EXPECT_EQ(std::adjacent_find(texts.begin(), texts.end()), texts.end());
}

}  // namespace options_json_test
}  // namespace sbog::paper
