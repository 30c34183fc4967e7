// SPDX-License-Identifier: Apache-2.0
// Every field of SamplerOptions has its place in the table.
#include "sbog/sample/sampler_option_table.h"

#include <gtest/gtest.h>

#include <set>

namespace sbog {
namespace sampler_option_table_test {

TEST(SamplerOptionTable, values_of_every_profile_read_back) {
  const OptionTable<SamplerOptions>& table = sampler_option_table();
  for (const std::string_view profile : profile_names()) {
    const SamplerOptions first = profile_options(profile);
    std::vector<Assignment> given;
    for (const BoundOption& option : table.values(first)) {
      if (option.values) {
        given.push_back({option.info.name, *option.values, option.info.name});
      }
    }
    SamplerOptions second;
    table.apply(given, second);
    const auto texts = [&](const SamplerOptions& options) {
      std::string all;
      for (const BoundOption& option : table.values(options)) {
        all +=
            option.info.name + "=" + option_text::joined(option.values) + ";";
      }
      return all;
    };
    EXPECT_EQ(texts(second), texts(first)) << profile;
  }
}

TEST(SamplerOptionTable, every_option_changes_something) {
  const OptionTable<SamplerOptions>& table = sampler_option_table();
  const SamplerOptions plain;
  for (const auto& entry : table.entries()) {
    const OptionInfo& info = entry.info();
    const std::string before = option_text::joined(entry.get(plain));
    std::string other = "0.625";
    if (info.type == OptionType::kInteger) other = "77";
    if (info.type == OptionType::kSwitch) {
      other = before == "true" ? "false" : "true";
    }
    if (!info.choices.empty()) {
      other = info.choices.front() == before ? info.choices.back()
                                             : info.choices.front();
    }
    SamplerOptions changed;
    entry.set(changed, std::vector<std::string>{other});
    EXPECT_EQ(option_text::joined(entry.get(changed)), other) << info.name;
    std::size_t differing = 0;
    for (const auto& each : table.entries()) {
      if (each.get(changed) != each.get(plain)) ++differing;
    }
    // A sigma stands in for the radius.
    EXPECT_EQ(differing, info.name == "sigma" ? 2u : 1u) << info.name;
  }
}

TEST(SamplerOptionTable, names_are_unique) {
  std::set<std::string> seen;
  for (const OptionInfo& info : sampler_option_table().infos()) {
    EXPECT_TRUE(seen.insert(info.name).second) << info.name;
  }
}

}  // namespace sampler_option_table_test
}  // namespace sbog
