// SPDX-License-Identifier: Apache-2.0
// What a model of points knows of losses, weights and energies.
#include "sbog/dro/detail/dro_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "dro/support.h"
#include "oracle/energy_oracle.h"

namespace sbog::detail {
namespace dro_model_test {

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(DroModel, weights_are_normalised_without_overflow) {
  const std::vector<double> large = {1e308, 1e308, 2e307};
  const auto got = normalised_weights(large, 3, "w");
  EXPECT_NEAR(got[0], 1.0 / 2.2, 1e-15);
  EXPECT_NEAR(got[2], 0.2 / 2.2, 1e-15);
  EXPECT_EQ(normalised_weights({}, 4, "w"), std::vector<double>(4, 0.25));
  EXPECT_THROW(normalised_weights({}, 0, "w"), InvalidArgument);
  EXPECT_THROW(normalised_weights(large, 2, "w"), InvalidArgument);
  EXPECT_THROW(normalised_weights(std::vector{kInf}, 1, "w"), InvalidArgument);
}

TEST(DroModel, a_range_ignores_infinite_losses) {
  LossRange range;
  EXPECT_FALSE(range.has_finite());
  EXPECT_EQ(range.scale().range, 1.0);
  range.add(kInf);
  range.add(-kInf);
  EXPECT_FALSE(range.has_finite());
  range.add(3.0);
  EXPECT_TRUE(range.is_constant());
  EXPECT_EQ(range.scale().range, 1.0);
  range.add(-1.0);
  EXPECT_EQ(range.scale().top, 3.0);
  EXPECT_EQ(range.scale().range, 4.0);
}

template <typename T>
void check_energy(double tolerance) {
  for (const GroundCost cost : oracle::kAllCosts) {
    const auto problem = oracle::random_problem<T>(cost, {.n = 400,
                                                          .dim = 4,
                                                          .queries = 30,
                                                          .epsilon = 0.1,
                                                          .is_weighted = true});
    dro_oracle::Draws draws(3);
    std::vector<double> losses = draws.normals(400);
    const std::vector<double> mu = draws.uniforms(30, 0.1, 1.0);
    const auto energies = oracle::energies<T>(problem, problem.queries);
    const auto weights = normalised_weights(mu, 30, "mu");
    double expected = 0.0;
    for (std::size_t i = 0; i < 30; ++i) expected += weights[i] * energies[i];
    for (const bool has_holes : {false, true}) {
      // A hole with weight, and one without.
      if (has_holes) losses[0] = losses[3] = -kInf;
      const auto model =
          make_point_model<T>({problem.queries, mu, problem.measure()}, losses,
                              problem.options(), 0);
      EXPECT_EQ(model->has_minus_infinity, has_holes);
      EXPECT_FALSE(model->has_plus_infinity);
      EXPECT_FALSE(model->is_hopeless);
      ASSERT_EQ(model->prepare({}), SolveStatus::kDone);
      EXPECT_NEAR(model->mean_energy, expected, tolerance);
      double price = 0.0;
      for (std::size_t i = 0; i < 30 && has_holes; ++i) {
        const auto z = oracle::to_real(problem.queries.row(i));
        const auto costs = oracle::costs_of<T>(problem, z);
        long double all = 0, some = 0;
        for (std::size_t j = 0; j < 400; ++j) {
          const long double k =
              problem.weight(j) * std::exp(-costs[j] / (long double)(0.1));
          all += k;
          if (std::isfinite(losses[j])) some += k;
        }
        price += weights[i] * double(std::log(all / some));
      }
      EXPECT_NEAR(model->finite_divergence, price, tolerance);
    }
  }
}

TEST(DroModel, energies_and_prices_are_those_of_plain_loops) {
  check_energy<double>(1e-12);
  check_energy<float>(1e-5);
}

TEST(DroModel, losses_of_weight_0_do_not_count) {
  auto problem = oracle::random_problem<double>(GroundCost::kEuclidean,
                                                {.n = 20, .is_weighted = true});
  std::vector<double> losses(20, 2.5);
  losses[3] = kInf;  // weights of 3, 10 and 17 are 0
  losses[10] = -kInf;
  const auto model = make_point_model<double>(
      {problem.queries, {}, problem.measure()}, losses, problem.options(), 0);
  EXPECT_FALSE(model->has_plus_infinity);
  EXPECT_FALSE(model->has_minus_infinity);
  EXPECT_TRUE(model->is_constant);
  EXPECT_EQ(model->scale.top, 2.5);
}

}  // namespace dro_model_test
}  // namespace sbog::detail
