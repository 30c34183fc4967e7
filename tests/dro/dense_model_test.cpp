// SPDX-License-Identifier: Apache-2.0
// Dense problems: kernels and costs, supports with holes, infinite losses.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "dro/support.h"
#include "energy/support.h"
#include "sbog/dro/detail/dro_model.h"

namespace sbog::detail {
namespace {

using testing_support::invalid_argument_of;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

TEST(DenseModel, a_kernel_is_the_exponential_of_its_costs) {
  dro_oracle::Draws draws(4);
  const Matrix<double> costs = draws.uniform_matrix(5, 9, 0.0, 2.0);
  const std::vector<double> losses = draws.uniforms(9, 0.0, 1.0);
  Matrix<double> kernel(5, 9);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 9; ++j) {
      kernel(i, j) = 7.0 * std::exp(-costs(i, j) / 0.4);
    }
  }
  const auto a = make_cost_model(costs.view(), {}, {}, losses, 0.4);
  const auto b = make_kernel_model(kernel.view(), {}, losses, 0.4);
  ASSERT_EQ(a->prepare({}), SolveStatus::kDone);
  ASSERT_EQ(b->prepare({}), SolveStatus::kDone);
  EXPECT_TRUE(a->has_energy);
  EXPECT_FALSE(b->has_energy);
  EXPECT_NEAR(a->problem->base().mean, b->problem->base().mean, 1e-13);
  EXPECT_NEAR(a->problem->base().variance, b->problem->base().variance, 1e-13);
  EXPECT_NEAR(a->problem->base().max_divergence,
              b->problem->base().max_divergence, 1e-12);
}

TEST(DenseModel, infinite_costs_are_holes_in_the_support) {
  Matrix<double> costs(2, 3);
  costs(0, 2) = kInfinite;  // row 0 does not see the largest loss
  const std::vector<double> losses = {0.0, 1.0, 2.0};
  const auto model = make_cost_model(costs.view(), {}, {}, losses, 1.0);
  ASSERT_EQ(model->prepare({}), SolveStatus::kDone);
  // Largest: 1 and 2, so -0.5 and 0 in gains; nominal: 0.5 and 1.
  EXPECT_NEAR(model->problem->base().top_mean, -0.25, 1e-13);
  EXPECT_NEAR(model->problem->base().mean, 0.75 / 2.0 - 1.0, 1e-13);
  EXPECT_NEAR(model->problem->base().max_divergence,
              0.5 * (std::log(2.0) + std::log(3.0)), 1e-13);
}

TEST(DenseModel, infinite_and_constant_losses_are_noticed) {
  const Matrix<double> costs(2, 3);
  const auto flags = [&](const std::vector<double>& losses) {
    const auto model = make_cost_model(costs.view(), {}, {}, losses, 1.0);
    return std::vector<bool>{model->has_plus_infinity,
                             model->has_minus_infinity, model->is_hopeless,
                             model->is_constant};
  };
  EXPECT_EQ(flags({0.0, 1.0, 2.0}),
            (std::vector<bool>{false, false, false, false}));
  EXPECT_TRUE(flags({0.0, 1.0, kInfinite})[0]);
  EXPECT_TRUE(flags({0.0, 1.0, -kInfinite})[1]);
  EXPECT_TRUE(flags({-kInfinite, -kInfinite, -kInfinite})[2]);
  EXPECT_TRUE(flags({3.0, 3.0, 3.0})[3]);
}

TEST(DenseModel, rows_without_mass_are_refused) {
  Matrix<double> kernel(2, 2);
  kernel(0, 0) = 1.0;
  const std::vector<double> losses = {0.0, 1.0};
  EXPECT_NE(invalid_argument_of([&] {
              (void)make_kernel_model(kernel.view(), {}, losses, 1.0);
            }),
            "");
  Matrix<double> costs(1, 2);
  costs(0, 0) = -1.0;
  EXPECT_NE(invalid_argument_of([&] {
              (void)make_cost_model(costs.view(), {}, {}, losses, 1.0);
            }),
            "");
}

}  // namespace
}  // namespace sbog::detail
