// SPDX-License-Identifier: Apache-2.0
// Points, costs and kernels that describe the same problem give the same model.
#include "sbog/dro/detail/dro_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "dro/support.h"
#include "energy/support.h"

namespace sbog::detail {
namespace {

using testing_support::invalid_argument_of;

TEST(DroModel, points_and_their_costs_are_one_problem) {
  dro_oracle::Draws draws(9);
  const Matrix<double> nominal = draws.uniform_matrix(7, 3, -1.0, 1.0);
  const Matrix<double> bank = draws.uniform_matrix(40, 3, -1.0, 1.0);
  const std::vector<double> losses = draws.uniforms(40, -2.0, 5.0);
  Matrix<double> costs(7, 40);
  for (std::size_t i = 0; i < 7; ++i) {
    for (std::size_t j = 0; j < 40; ++j) {
      for (std::size_t k = 0; k < 3; ++k) {
        const double apart = nominal(i, k) - bank(j, k);
        costs(i, j) += apart * apart;
      }
    }
  }
  EnergyOptions energy;
  energy.cost = GroundCost::kSquaredEuclidean;
  energy.epsilon = 0.3;
  DroPoints<double> points;
  points.nominal = nominal.view();
  points.reference = {bank.view(), {}, {}};
  const auto a = make_point_model(points, losses, energy, 1 << 20);
  const auto b = make_cost_model(costs.view(), {}, {}, losses, 0.3);
  ASSERT_EQ(a->prepare({}), SolveStatus::kDone);
  ASSERT_EQ(b->prepare({}), SolveStatus::kDone);
  EXPECT_EQ(a->nominal_count, 7u);
  EXPECT_EQ(a->reference_count, 40u);
  EXPECT_NEAR(a->mean_energy, b->mean_energy, 1e-12);
  EXPECT_NEAR(a->problem->base().mean, b->problem->base().mean, 1e-12);
  EXPECT_NEAR(a->problem->base().max_divergence,
              b->problem->base().max_divergence, 1e-11);
  EXPECT_EQ(a->scale.top, b->scale.top);
  EXPECT_EQ(a->scale.range, b->scale.range);
}

TEST(DroModel, the_range_is_that_of_the_finite_losses) {
  LossRange range;
  EXPECT_FALSE(range.has_finite());
  range.add(2.0);
  EXPECT_TRUE(range.is_constant());
  range.add(-1.0);
  range.add(0.5);
  EXPECT_FALSE(range.is_constant());
  EXPECT_EQ(range.scale().top, 2.0);
  EXPECT_EQ(range.scale().range, 3.0);
}

TEST(DroModel, weights_are_normalised_or_refused) {
  const std::vector<double> two = {1.0, 3.0};
  EXPECT_EQ(normalised_weights(two, 2, "weights"),
            (std::vector<double>{0.25, 0.75}));
  EXPECT_EQ(normalised_weights({}, 4, "weights"), std::vector<double>(4, 0.25));
  const std::vector<double> bad = {1.0, -3.0};
  const std::vector<double> none = {0.0, 0.0};
  for (const auto& weights : {bad, none}) {
    EXPECT_NE(invalid_argument_of([&] {
                (void)normalised_weights(weights, 2, "mass");
              }).find("mass"),
              std::string::npos);
  }
  EXPECT_NE(
      invalid_argument_of([&] { (void)normalised_weights(two, 3, "mass"); }),
      "");
}

TEST(DroModel, losses_are_checked) {
  const std::vector<double> good = {1.0, -INFINITY, INFINITY};
  EXPECT_NO_THROW(check_losses(good, 3));
  EXPECT_NE(invalid_argument_of([&] { check_losses(good, 2); }), "");
  const std::vector<double> bad = {1.0, std::nan("")};
  EXPECT_NE(invalid_argument_of([&] { check_losses(bad, 2); }), "");
}

}  // namespace
}  // namespace sbog::detail
