// SPDX-License-Identifier: Apache-2.0
// Steps towards a level: nearer on average, never past a test.
#include "sbog/sample/langevin.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sample/support.h"

namespace sbog {
namespace langevin_test {

using testing_support::run_class;
using testing_support::small_options;
using testing_support::sphere_bank;
using testing_support::unit;

template <typename T>
void expect_nearer_to_the_level() {
  const Matrix<T> bank = sphere_bank<T>(200, 4, 3);
  const std::vector<double> t = unit({1.0, 0.0, 0.1, 0.0});
  SamplerOptions options = small_options();
  options.sigma = 0.03;
  options.band = 0.06;
  const auto prepared = prepare_class<T>({bank.view(), t, {}, 0}, options);
  double before = 0.0;
  double after = 0.0;
  std::size_t moved = 0;
  for (const Output<T>& start : run_class(*prepared, 60).outputs) {
    if (!start.is_accepted) continue;
    const RoundKey key{options.seed, 0, static_cast<std::uint32_t>(start.round),
                       static_cast<std::uint32_t>(start.k)};
    const double level = prepared->plan.threshold + 0.002 * (start.k % 30);
    Output<T> end = start;
    move_to_level(*prepared, key, level, end);
    before += std::abs(start.energy - level);
    after += std::abs(end.energy - level);
    moved += end.point != start.point ? 1 : 0;
    EXPECT_EQ(end.origin == OutputOrigin::kLangevin, end.point != start.point);
    EXPECT_EQ(end.anchor, start.anchor);
    Output<T> again = end;
    EXPECT_TRUE(verify_output(*prepared, again));
    EXPECT_EQ(again.energy, end.energy);
  }
  EXPECT_GT(moved, 20u);
  EXPECT_LT(after, 0.7 * before);
}

TEST(Langevin, ends_nearer_to_the_level_and_passes_every_test) {
  expect_nearer_to_the_level<double>();
  expect_nearer_to_the_level<float>();
}

TEST(Langevin, no_steps_leave_the_output_alone) {
  const Matrix<double> bank = sphere_bank<double>(100, 4, 3);
  SamplerOptions options = small_options();
  options.langevin_steps = 0;
  options.pick = PickRule::kLangevin;
  const auto moved = prepare_class<double>({bank.view(), {}, {}, 0}, options);
  options.pick = PickRule::kLevel;
  const auto level = prepare_class<double>({bank.view(), {}, {}, 0}, options);
  testing_support::expect_same_outputs(run_class(*moved, 20).outputs,
                                       run_class(*level, 20).outputs);
}

TEST(Langevin, works_on_a_local_reference_and_without_a_sphere) {
  const Matrix<double> bank = sphere_bank<double>(100, 4, 3);
  SamplerOptions options = small_options();
  options.pick = PickRule::kLangevin;
  options.local = 10;
  auto prepared = prepare_class<double>({bank.view(), {}, {}, 0}, options);
  for (Output<double> output : run_class(*prepared, 20).outputs) {
    if (output.is_accepted) {
      EXPECT_TRUE(verify_output(*prepared, output));
    }
  }
  options.local = 0;
  options.energy.cost = GroundCost::kSquaredEuclidean;
  options.projection = Projection::kIdentity;
  prepared = prepare_class<double>({bank.view(), {}, {}, 0}, options);
  std::size_t accepted = 0;
  for (Output<double> output : run_class(*prepared, 20).outputs) {
    if (!output.is_accepted) continue;
    ++accepted;
    EXPECT_TRUE(verify_output(*prepared, output));
  }
  EXPECT_GT(accepted, 5u);
}

}  // namespace langevin_test
}  // namespace sbog
