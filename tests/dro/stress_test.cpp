// SPDX-License-Identifier: Apache-2.0
// 6000 random problems over many orders of magnitude. Gap and constraint are
// computed from the returned lambda and the returned laws alone, in long double
// and from the input.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "dro/support.h"
#include "sbog/dro/sinkhorn_dro.h"

namespace sbog {
namespace stress_test {

using dro_oracle::Real;

// From 1e-14 to 1 - 1e-12, denser at both ends.
double share_of_radius(dro_oracle::Draws& draws) {
  const double small = draws.log_uniform(1e-14, 0.5);
  return draws.uniform() < 0.5 ? small : 1.0 - draws.log_uniform(1e-12, 0.5);
}

struct Worst {
  double gap = 0.0;           // of 1 + |V|
  double gap_of_range = 0.0;  // of max f - min f
  double residual = 0.0;      // of max(1, radius)
  std::size_t problems = 0;
  std::size_t evaluations = 0;
  std::size_t total_evaluations = 0;
};

void solve_one(std::uint64_t seed, Worst& worst) {
  dro_oracle::Draws draws(seed);
  const std::size_t m = draws.index(1, 5), n = draws.index(2, 40);
  const double epsilon = draws.log_uniform(1e-3, 1e2);
  const double scale = draws.log_uniform(1e-4, 1e4);
  const Matrix<double> costs = draws.uniform_matrix(m, n, 0.0, 2.0);
  const std::vector<double> mu = draws.uniforms(m, 0.01, 1.0);
  const std::vector<double> nu = draws.uniforms(n, 0.01, 1.0);
  const std::vector<double> f = draws.normals(n, scale);
  SinkhornDro dro = SinkhornDro::from_costs(costs, mu, nu, f, epsilon);
  const double largest = dro.solve(0.0).largest_radius;
  const double radius = share_of_radius(draws) * largest;
  // With tiny epsilon a row may be one atom to rounding.
  if (radius == 0.0) return;
  const DroResult result = dro.solve(radius);
  ASSERT_EQ(result.status, SolveStatus::kDone) << seed;
  ASSERT_EQ(result.kind, DroCase::kInterior) << seed;

  const auto oracle = dro_oracle::from_costs(costs, mu, nu, f, epsilon);
  Real primal = 0, spent = 0;
  for (std::size_t i = 0; i < m; ++i) {
    const auto law = dro.nominal_law(i, result.theta);
    const auto p = dro_oracle::normalised({law.begin(), law.end()});
    primal += oracle.mu[i] * dro_oracle::mean(oracle, p);
    spent +=
        oracle.epsilon * oracle.mu[i] * dro_oracle::divergence(oracle, i, p);
  }
  const Real gap =
      std::abs(dro_oracle::dual(oracle, result.lambda, radius) - primal);
  const double size = 1.0 + std::abs(result.value);
  const double range = *std::max_element(f.begin(), f.end()) -
                       *std::min_element(f.begin(), f.end());
  ASSERT_LE(double(gap), 1e-10 * size) << seed << " " << scale;
  ASSERT_LE(std::abs(result.duality_gap), 1e-10 * size) << seed;
  ASSERT_LE(double(std::abs(spent - radius)), 1e-10 * std::max(1.0, radius))
      << seed;
  ++worst.problems;
  worst.gap = std::max(worst.gap, double(gap) / size);
  worst.gap_of_range = std::max(worst.gap_of_range, double(gap) / range);
  worst.residual = std::max(
      worst.residual, double(std::abs(spent - radius)) / std::max(1.0, radius));
  worst.evaluations = std::max(worst.evaluations, result.evaluations);
  worst.total_evaluations += result.evaluations;
}

TEST(DroStress, six_thousand_problems_close_their_gap) {
  constexpr std::uint64_t kProblems = 6000;
  Worst worst;
  for (std::uint64_t seed = 1; worst.problems < kProblems; ++seed) {
    ASSERT_LE(seed, kProblems + 100);
    solve_one(seed, worst);
    if (HasFatalFailure()) return;
  }
  EXPECT_LE(worst.gap_of_range, 1e-12);
  EXPECT_LE(worst.evaluations, 80u);
  EXPECT_LE(worst.total_evaluations, 15 * kProblems);
  RecordProperty("worst_gap", std::to_string(worst.gap));
  RecordProperty("evaluations", std::to_string(worst.total_evaluations));
}

}  // namespace stress_test
}  // namespace sbog
