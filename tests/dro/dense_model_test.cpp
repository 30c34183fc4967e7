// SPDX-License-Identifier: Apache-2.0
// What a model of a matrix knows of supports, losses and energies.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "dro/support.h"
#include "sbog/dro/detail/dro_model.h"

namespace sbog::detail {
namespace dense_model_test {

constexpr double kInf = std::numeric_limits<double>::infinity();

Matrix<double> matrix(const std::vector<std::vector<double>>& rows) {
  Matrix<double> out(rows.size(), rows[0].size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy(rows[i].begin(), rows[i].end(), out.row(i).begin());
  }
  return out;
}

TEST(DenseModel, energies_are_exact_for_tiny_epsilon) {
  // K underflows: E = 1 - eps log(1/2) for the nearer of two atoms.
  const auto costs = matrix({{1.0, 3.0}});
  const auto model =
      make_cost_model(costs, {}, {}, std::vector{0.0, 1.0}, 1e-3);
  EXPECT_TRUE(model->has_energy);
  EXPECT_NEAR(model->mean_energy, 1.0 + 1e-3 * std::log(2.0), 1e-15);
}

TEST(DenseModel, infinite_losses_count_where_they_are_seen) {
  const auto costs = matrix({{0.0, kInf, 1.0}, {0.0, 1.0, kInf}});
  const std::vector<double> first = {1.0, 0.0};
  const auto sees_nothing =
      make_cost_model(costs, first, {}, std::vector{0.0, kInf, 1.0}, 0.5);
  EXPECT_FALSE(sees_nothing->has_plus_infinity);
  const auto sees =
      make_cost_model(costs, {}, {}, std::vector{0.0, kInf, 1.0}, 0.5);
  EXPECT_TRUE(sees->has_plus_infinity);
  const auto hopeless =
      make_cost_model(costs, {}, {}, std::vector{-kInf, -kInf, 1.0}, 0.5);
  EXPECT_TRUE(hopeless->is_hopeless);
  EXPECT_TRUE(hopeless->has_minus_infinity);
  const auto half =
      make_cost_model(costs, first, {}, std::vector{-kInf, 7.0, 1.0}, 0.5);
  EXPECT_FALSE(half->is_hopeless);
  // Q_0 = (1, e^-2) / (1 + e^-2); the second is left.
  EXPECT_NEAR(half->finite_divergence, std::log(1.0 + std::exp(2.0)), 1e-14);
}

TEST(DenseModel, constant_rows_are_seen_row_by_row) {
  const auto kernel = matrix({{0.5, 0.0, 0.5}, {0.0, 1.0, 0.0}});
  EXPECT_TRUE(make_kernel_model(kernel, {}, std::vector{2.0, 5.0, 2.0}, 1.0)
                  ->is_constant);
  EXPECT_FALSE(make_kernel_model(kernel, {}, std::vector{2.0, 5.0, 3.0}, 1.0)
                   ->is_constant);
}

TEST(DenseModel, kernel_rows_need_not_add_up_to_1) {
  const auto plain = matrix({{0.25, 0.75}});
  const auto scaled = matrix({{2.5e-300, 7.5e-300}});
  for (const auto* kernel : {&plain, &scaled}) {
    const auto model =
        make_kernel_model(*kernel, {}, std::vector{0.0, 1.0}, 1.0);
    EXPECT_FALSE(model->has_energy);
    ASSERT_EQ(model->prepare({}), SolveStatus::kDone);
    EXPECT_NEAR(model->problem->base().mean, -0.25, 1e-14);
    EXPECT_NEAR(model->problem->base().max_divergence, -std::log(0.75), 1e-13);
  }
}

}  // namespace dense_model_test
}  // namespace sbog::detail
