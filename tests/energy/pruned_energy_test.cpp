// SPDX-License-Identifier: Apache-2.0
// Pruning keeps its promise: never below the exact energy, never more than the
// tolerance above it.
#include "sbog/energy/pruned_energy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "energy/support.h"
#include "oracle/energy_oracle.h"

namespace sbog {
namespace pruned_energy_test {

using oracle::EnergyProblem;
using oracle::kAllCosts;
using testing::HasSubstr;
using testing_support::bits_of;
using testing_support::invalid_argument_of;

enum class Law { kClustered, kUniform, kHeavyTailed };

constexpr std::size_t kRows = 256 * 20 + 100;
constexpr std::size_t kQueries = 300;

template <typename T>
void reshape(Matrix<T>& points, Law law, std::uint64_t seed) {
  const auto where = oracle::uniforms(points.rows(), seed);
  const auto centers = oracle::normal_matrix<double>(12, points.cols(), 99);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    const auto c = static_cast<std::size_t>(11.999 * where[i]);
    for (std::size_t k = 0; k < points.cols(); ++k) {
      const double x = points(i, k);
      double y = std::erf(x);
      if (law == Law::kClustered) y = centers(c, k) + 0.03 * x;
      if (law == Law::kHeavyTailed) y = 3.0 * x * x * x;
      points(i, k) = static_cast<T>(y);
    }
  }
}

template <typename T>
EnergyProblem<T> problem_of(GroundCost cost, Law law, double epsilon,
                            bool is_weighted, std::size_t dim = 3) {
  auto problem = oracle::random_problem<T>(cost, {.n = kRows,
                                                  .dim = dim,
                                                  .queries = kQueries,
                                                  .epsilon = epsilon,
                                                  .is_weighted = is_weighted,
                                                  .seed = 31});
  reshape(problem.bank, law, 1);
  reshape(problem.queries, law, 2);
  if (cost == GroundCost::kUnitCosine) {
    oracle::normalise_rows(problem.bank);
    oracle::normalise_rows(problem.queries);
  }
  return problem;
}

// What float rounding may add: 1e-6 of the energy and of epsilon.
template <typename T>
double rounding(double energy, double epsilon) {
  return (sizeof(T) == 4 ? 2e-6 : 1e-13) * (1.0 + energy + epsilon);
}

template <typename T>
void expect_promise(const EnergyProblem<T>& problem, double tolerance,
                    bool has_self) {
  const EnergyModel<T> model = problem.model();
  const MatrixView<const T> queries =
      has_self ? problem.bank.view().subrows(1000, kQueries)
               : problem.queries.view();
  std::vector<std::size_t> self;
  for (std::size_t q = 0; has_self && q < kQueries; ++q) {
    self.push_back(1000 + q);
  }
  const auto exact = model.evaluate(queries, self).energies;
  const auto pruned = evaluate_pruned(model, queries, tolerance, self);
  ASSERT_EQ(pruned.energies.size(), exact.size());
  EXPECT_EQ(pruned.status, SolveStatus::kDone);
  EXPECT_GT(pruned.evaluated_share, 0.0);
  EXPECT_LE(pruned.evaluated_share, 1.0);
  EXPECT_EQ(pruned.is_pruned, pruned.evaluated_share < 1.0);
  for (std::size_t q = 0; q < exact.size(); ++q) {
    const double slack = rounding<T>(exact[q], problem.epsilon);
    ASSERT_GE(pruned.energies[q], exact[q] - slack)
        << to_string(problem.cost) << " " << q;
    ASSERT_LE(pruned.energies[q], exact[q] + tolerance + slack)
        << to_string(problem.cost) << " " << q;
  }
}

TEST(PrunedEnergy, stays_within_its_tolerance) {
  for (const GroundCost cost : kAllCosts) {
    for (const Law law : {Law::kClustered, Law::kUniform, Law::kHeavyTailed}) {
      for (const double epsilon : {0.2, 0.01}) {
        expect_promise(problem_of<double>(cost, law, epsilon, false), 1e-3,
                       false);
        expect_promise(problem_of<float>(cost, law, epsilon, true), 1e-4, true);
      }
    }
  }
}

TEST(PrunedEnergy, stays_within_its_tolerance_for_nearly_unit_vectors) {
  for (const double epsilon : {1e-3, 1e-5}) {
    for (const double length : {0.99996, 1.00004}) {
      auto problem = problem_of<double>(GroundCost::kUnitCosine, Law::kUniform,
                                        epsilon, false);
      for (std::size_t i = 0; i < kRows; i += 2) {
        for (double& x : problem.bank.row(i)) x *= length;
      }
      for (double& x : problem.queries.elements()) x *= length;
      expect_promise(problem, 0.01 * epsilon, false);
    }
  }
}

TEST(PrunedEnergy, leaves_most_pairs_out_on_clustered_data) {
  for (const GroundCost cost : kAllCosts) {
    // The bank itself as queries: enough for groups inside one cluster.
    const auto problem = problem_of<float>(cost, Law::kClustered, 0.01, false);
    const auto pruned =
        evaluate_pruned(problem.model(), problem.bank.view(), 1e-4);
    EXPECT_TRUE(pruned.is_pruned) << to_string(cost);
    EXPECT_LT(pruned.evaluated_share, 0.5) << to_string(cost);
  }
}

TEST(PrunedEnergy, falls_back_to_the_exact_bits) {
  const auto expect_exact = [](const EnergyProblem<double>& problem) {
    const EnergyModel<double> model = problem.model();
    const auto pruned = evaluate_pruned(model, problem.queries.view(), 1e-6);
    EXPECT_FALSE(pruned.is_pruned);
    EXPECT_EQ(pruned.evaluated_share, 1.0);
    EXPECT_EQ(bits_of(pruned.energies),
              bits_of(model.evaluate(problem.queries).energies));
  };
  // A temperature above the spread: every atom counts.
  expect_exact(problem_of<double>(GroundCost::kSquaredEuclidean, Law::kUniform,
                                  5.0, false));
  expect_exact(problem_of<double>(GroundCost::kCosine, Law::kClustered, 0.01,
                                  false, 17));
  expect_exact(oracle::random_problem<double>(
      GroundCost::kCosine, {.n = 1000, .queries = 100, .epsilon = 0.01}));
  expect_exact(oracle::random_problem<double>(
      GroundCost::kCosine, {.n = kRows, .queries = 1, .epsilon = 0.01}));
}

TEST(PrunedEnergy, threads_change_no_bit) {
  const auto problem =
      problem_of<float>(GroundCost::kCosine, Law::kClustered, 0.02, true);
  const EnergyModel<float> model = problem.model();
  const auto expected = evaluate_pruned(model, problem.queries.view(), 1e-4);
  ASSERT_TRUE(expected.is_pruned);
  for (const std::size_t threads : {2, 7}) {
    ThreadPool pool(threads);
    const auto found = evaluate_pruned(model, problem.queries.view(), 1e-4, {},
                                       {&pool, nullptr});
    EXPECT_EQ(bits_of(found.energies), bits_of(expected.energies));
    EXPECT_EQ(found.evaluated_share, expected.evaluated_share);
  }
}

TEST(PrunedEnergy, follows_chosen_atoms_in_any_order) {
  const auto problem =
      problem_of<double>(GroundCost::kEuclidean, Law::kClustered, 0.02, true);
  std::vector<std::size_t> atoms;
  for (std::size_t i = kRows; i-- > 300;) atoms.push_back(i);
  const EnergyModel<double> model({problem.bank.view(), problem.weights, atoms},
                                  problem.options());
  const auto queries = problem.bank.view().subrows(200, 200);
  std::vector<std::size_t> self;
  for (std::size_t q = 0; q < 200; ++q) self.push_back(200 + q);
  const auto exact = model.evaluate(queries, self).energies;
  const auto pruned = evaluate_pruned(model, queries, 1e-3, self);
  EXPECT_TRUE(pruned.is_pruned);
  for (std::size_t q = 0; q < 200; ++q) {
    ASSERT_GE(pruned.energies[q], exact[q] - 1e-12);
    ASSERT_LE(pruned.energies[q], exact[q] + 1e-3 + 1e-12);
  }
}

TEST(PrunedEnergy, atoms_without_weight_are_absent_even_as_a_whole_cell) {
  auto problem =
      problem_of<double>(GroundCost::kEuclidean, Law::kClustered, 0.02, true);
  for (std::size_t i = 0; i < kRows; ++i) {
    if (problem.bank(i, 0) > 0.0) problem.weights[i] = 0.0;
  }
  expect_promise(problem, 1e-3, false);
}

TEST(PrunedEnergy, tells_progress_within_its_total_and_can_be_cancelled) {
  const auto problem =
      problem_of<float>(GroundCost::kCosine, Law::kClustered, 0.02, false);
  const EnergyModel<float> model = problem.model();
  testing_support::Watch watch;
  const auto done = evaluate_pruned(model, problem.queries.view(), 1e-4, {},
                                    {nullptr, &watch});
  EXPECT_TRUE(done.is_pruned);
  EXPECT_TRUE(watch.is_in_range);
  EXPECT_EQ(watch.last_done, kQueries);
  EXPECT_EQ(watch.last_total, kQueries);
  testing_support::CancelAtOnce cancel;
  EXPECT_EQ(evaluate_pruned(model, problem.queries.view(), 1e-4, {},
                            {nullptr, &cancel})
                .status,
            SolveStatus::kCancelled);
}

TEST(PrunedEnergy, refuses_a_tolerance_that_is_none) {
  const auto problem = oracle::random_problem<double>(GroundCost::kCosine, {});
  const EnergyModel<double> model = problem.model();
  for (const double tolerance : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    EXPECT_THAT(invalid_argument_of([&] {
                  static_cast<void>(evaluate_pruned(
                      model, problem.queries.view(), tolerance));
                }),
                HasSubstr("tolerance: a finite number above 0"));
  }
}

}  // namespace pruned_energy_test
}  // namespace sbog
