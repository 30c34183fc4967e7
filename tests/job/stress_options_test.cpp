// SPDX-License-Identifier: Apache-2.0
// The options of the job stress, those of the run that it makes among them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sbog/base/errors.h"
#include "sbog/job/stress.h"

namespace sbog::job {
namespace stress_options_test {

using ::testing::ElementsAre;

StressOptions applied(const std::vector<Assignment>& given) {
  StressOptions options;
  stress_option_table().apply(given, options);
  return options;
}

TEST(StressOptions, those_of_generate_are_kept_as_they_were_given) {
  const StressOptions options = applied({{"input", {"x.csv"}, "INPUT"},
                                         {"count", {"12"}, "--count"},
                                         {"columns", {"a,b"}, "--columns"},
                                         {"count", {"13"}, "--count"},
                                         {"budget", {"77"}, "--budget"}});
  ASSERT_EQ(options.made_with.size(), 2u);
  EXPECT_EQ(options.made_with[0].name, "columns");
  EXPECT_THAT(options.made_with[0].values, ElementsAre("a", "b"));
  EXPECT_EQ(options.made_with[1].values.front(), "13");
  EXPECT_EQ(options.made_with[1].spelling, "--count");
  EXPECT_EQ(options.seek.budget, 77u);
}

TEST(StressOptions, names_are_unique_and_defaults_are_told) {
  std::set<std::string> names;
  for (const OptionInfo& info : stress_option_table().infos()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_TRUE(info.is_required || info.type == OptionType::kFlag ||
                !info.default_text.empty())
        << info.name;
  }
  EXPECT_TRUE(names.contains("labels"));
  EXPECT_TRUE(names.contains("count"));
}

TEST(StressOptions, wrong_values_are_refused) {
  EXPECT_THROW(applied({{"task", {"regressor"}, "--task"}}), InvalidArgument);
  EXPECT_THROW(applied({{"failure", {"none"}, "--failure"}}), InvalidArgument);
  EXPECT_THROW(applied({{"timeout", {"soon"}, "--timeout"}}), InvalidArgument);
}

}  // namespace stress_options_test
}  // namespace sbog::job
