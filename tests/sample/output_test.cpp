// SPDX-License-Identifier: Apache-2.0
// What is kept of a range of outputs.
#include "sbog/sample/output.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sbog {
namespace output_test {

TEST(Output, tallies_add_up_anchor_by_anchor) {
  std::vector<AnchorTally> sums(2);
  std::vector<AnchorTally> more(2);
  more[0] = {3, 1, 0.5, {}};
  more[1] = {2, 2, 0.25, {}};
  more[1].failures.energy = 7;
  add_tallies(sums, more);
  more[1].highest_score = 0.125;
  add_tallies(sums, more);
  EXPECT_EQ(sums[0].draws, 6u);
  EXPECT_EQ(sums[0].successes, 2u);
  EXPECT_EQ(sums[0].highest_score, 0.5);
  EXPECT_EQ(sums[1].draws, 4u);
  EXPECT_EQ(sums[1].highest_score, 0.25);
  EXPECT_EQ(sums[1].failures.energy, 14u);
}

TEST(Output, every_column_of_provenance_has_its_member) {
  Output<float> output;
  output.k = 3;
  output.origin = OutputOrigin::kLangevin;
  output.anchor_row = 7;
  output.margin = 0.5;
  std::map<std::string, std::string> row;
  visit_provenance<float>([&](const char* name, auto member) {
    if constexpr (std::is_same_v<decltype(member),
                                 OutputOrigin Output<float>::*>) {
      row[name] = to_string(output.*member);
    } else {
      row[name] = std::to_string(output.*member);
    }
  });
  EXPECT_EQ(row.size(), 11u);
  EXPECT_EQ(row["k"], "3");
  EXPECT_EQ(row["origin"], "langevin");
  EXPECT_EQ(row["anchor_row"], "7");
  EXPECT_EQ(row["margin"], std::to_string(0.5));
}

TEST(Output, a_part_keeps_accepted_outputs_and_counts_their_rounds) {
  SampledRange<float> range;
  range.outputs.resize(4);
  range.tallies.resize(3);
  for (std::size_t k = 0; k < 4; ++k) {
    range.outputs[k].k = 10 + k;
    range.outputs[k].is_accepted = k != 1;
  }
  range.outputs[0].rounds = 2;
  range.outputs[1].rounds = 3;  // not accepted, so not counted
  range.outputs[2].rounds = 9;  // by splitting, after the last round
  range.outputs[3].rounds = 2;
  const OutlierPart<float> part = accepted_part(std::move(range), 3);
  ASSERT_EQ(part.outputs.size(), 3u);
  EXPECT_EQ(part.outputs[0].k, 10u);
  EXPECT_EQ(part.outputs[1].k, 12u);
  EXPECT_EQ(part.outputs[2].k, 13u);
  EXPECT_EQ(part.tallies.size(), 3u);
  EXPECT_EQ(part.rounds, (std::vector<std::size_t>{0, 2, 1}));
}

}  // namespace output_test
}  // namespace sbog
