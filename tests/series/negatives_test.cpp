// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/negatives.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sbog/base/errors.h"
#include "sbog/base/inner_product.h"
#include "sbog/base/thread_pool.h"
#include "sbog/energy/energy_model.h"
#include "series/window_support.h"

namespace sbog::series {
namespace negatives_test {

using testing_support::largest_difference;
using testing_support::normals;

// Two caps of the sphere with a few stragglers between them.
Matrix<float> make_bank(std::size_t count) {
  Matrix<float> points = normals(count, 4, 1);
  for (std::size_t i = 0; i < count; ++i) {
    for (float& value : points.row(i)) {
      value *= i % 20 == 0 ? 0.5F : 0.1F;
    }
    points(i, i % 2) += 1.0F;
    const double length = norm_of<float>(points.row(i));
    for (float& value : points.row(i)) {
      value = static_cast<float>(value / length);
    }
  }
  return points;
}

constexpr NegativeRule kDrawn[] = {
    NegativeRule::kRandom,      NegativeRule::kKnn,
    NegativeRule::kKde,         NegativeRule::kSbogPaper,
    NegativeRule::kSbogDefault, NegativeRule::kSbogExposure};

TEST(Negatives, every_rule_fills_every_row_with_a_unit_vector) {
  const Matrix<float> bank = make_bank(300);
  for (const NegativeRule rule : kDrawn) {
    const NegativeSet set = draw_negatives(rule, bank, 60, 4);
    ASSERT_EQ(set.points.rows(), 60u);
    for (std::size_t i = 0; i < 60; ++i) {
      EXPECT_NEAR(norm_of<float>(set.points.row(i)), 1.0, 1e-5)
          << to_string(rule);
    }
    EXPECT_EQ(set.status == SolveStatus::kDone, set.feasible == 60u);
  }
}

TEST(Negatives, the_same_seed_gives_the_same_bits_for_any_thread_count) {
  const Matrix<float> bank = make_bank(200);
  ThreadPool pool(3);
  for (const NegativeRule rule : kDrawn) {
    const NegativeSet alone = draw_negatives(rule, bank, 30, 4);
    const NegativeSet together =
        draw_negatives(rule, bank, 30, 4, {&pool, nullptr});
    EXPECT_EQ(
        largest_difference(alone.points.elements(), together.points.elements()),
        0.0);
    const NegativeSet other = draw_negatives(rule, bank, 30, 5);
    EXPECT_GT(
        largest_difference(alone.points.elements(), other.points.elements()),
        0.0);
  }
}

TEST(Negatives, points_that_coincide_give_negatives_by_every_rule) {
  Matrix<float> bank(60, 4);
  for (std::size_t i = 0; i < bank.rows(); ++i) bank(i, 2) = 1.0F;
  for (const NegativeRule rule : kDrawn) {
    const NegativeSet set = draw_negatives(rule, bank, 10, 4);
    EXPECT_EQ(set.points.rows(), 10u) << to_string(rule);
    EXPECT_NEAR(norm_of<float>(set.points.row(9)), 1.0, 1e-5);
  }
}

TEST(Negatives, the_energy_of_sbog_is_above_that_of_random_ones) {
  const Matrix<float> bank = make_bank(300);
  const EnergyModel<float> model({bank, {}, {}},
                                 {GroundCost::kCosine, 0.02, {}});
  const auto mean_energy = [&](NegativeRule rule) {
    const NegativeSet set = draw_negatives(rule, bank, 60, 4);
    double sum = 0.0;
    for (const double e : model.evaluate(set.points).energies) sum += e;
    return sum / 60.0;
  };
  EXPECT_GT(mean_energy(NegativeRule::kSbogPaper),
            1.5 * mean_energy(NegativeRule::kRandom));
}

TEST(Negatives, a_collapsed_bank_ends_and_is_partial) {
  Matrix<float> bank(100, 4);
  for (std::size_t i = 0; i < 100; ++i) bank(i, 0) = 1.0F;
  const NegativeSet set = draw_negatives(NegativeRule::kSbogPaper, bank, 20, 4);
  EXPECT_EQ(set.status, SolveStatus::kPartial);
  EXPECT_EQ(set.feasible, 0u);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_NEAR(norm_of<float>(set.points.row(i)), 1.0, 1e-5);
  }
}

TEST(Negatives, names_go_both_ways) {
  for (const NegativeRule rule : kDrawn) {
    EXPECT_EQ(parse_negative_rule(to_string(rule)), rule);
  }
  EXPECT_EQ(parse_negative_rule("carla"), NegativeRule::kCarla);
  EXPECT_THROW(parse_negative_rule("other"), InvalidArgument);
  EXPECT_THROW(rule_options(NegativeRule::kCarla, 5, 1), InvalidArgument);
}

}  // namespace negatives_test
}  // namespace sbog::series
