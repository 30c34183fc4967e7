// SPDX-License-Identifier: Apache-2.0
#include "sbog/job/table_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sbog/base/errors.h"
#include "sbog/job/generate.h"

namespace sbog::job {
namespace table_options_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

GenerateOptions applied(std::vector<Assignment> given) {
  given.push_back({"out", {"run"}, "--out"});
  GenerateOptions options;
  generate_option_table().apply(given, options);
  return options;
}

TEST(TableOptions, all_are_for_tables_only) {
  for (const OptionInfo& option : table_option_table().infos()) {
    EXPECT_EQ(option.kinds, kForTables) << option.name;
  }
}

TEST(TableOptions, an_option_for_tables_makes_a_csv_a_table) {
  const GenerateOptions options =
      applied({{"input", {"people.csv"}, "INPUT"},
               {"conditions", {"age=40", "job="}, "--conditions"}});
  EXPECT_EQ(options.kind, Kind::kTable);
  EXPECT_THAT(options.table.rules.conditions, ElementsAre("age=40", "job="));
  EXPECT_EQ(options.sampler.projection, Projection::kIdentity);
  EXPECT_EQ(options.sampler.energy.cost, GroundCost::kSquaredEuclidean);
  EXPECT_EQ(options.precision, "double");
  EXPECT_EQ(applied({{"input", {"people.csv"}, "INPUT"}}).kind, Kind::kSeries);
}

TEST(TableOptions, other_kinds_refuse_them) {
  EXPECT_THAT(
      [] {
        applied(
            {{"input", {"bank.npy"}, "INPUT"}, {"fixed", {"age"}, "--fixed"}});
      },
      ThrowsMessage<InvalidArgument>(HasSubstr("--fixed")));
  EXPECT_THAT(
      [] {
        applied({{"input", {"people.csv"}, "INPUT"},
                 {"kind", {"table"}, "--kind"},
                 {"width", {"100"}, "--width"}});
      },
      ThrowsMessage<InvalidArgument>(HasSubstr("--width")));
}

}  // namespace table_options_test
}  // namespace sbog::job
