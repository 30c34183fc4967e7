// SPDX-License-Identifier: Apache-2.0
// Leave-one-out, repeated atoms and atoms without weight.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "energy/support.h"
#include "oracle/energy_oracle.h"
#include "sbog/energy/local_reference.h"
#include "sbog/energy/pruned_energy.h"

namespace sbog {
namespace self_mode_test {

using oracle::kAllCosts;
using testing_support::bits_of;

template <typename T>
oracle::EnergyProblem<T> any_problem(std::size_t lowest, std::size_t highest) {
  return oracle::random_problem<T>(
      *rc::gen::elementOf(kAllCosts),
      {.n = *rc::gen::inRange<std::size_t>(lowest, highest),
       .dim = *rc::gen::inRange<std::size_t>(2, 20),
       .epsilon = *rc::gen::element(0.5, 0.05, 0.003),
       .is_weighted = *rc::gen::arbitrary<bool>(),
       .seed = *rc::gen::arbitrary<std::uint32_t>()});
}

RC_GTEST_PROP(SelfMode, excluding_a_row_is_removing_it, ()) {
  const auto problem = any_problem<double>(2, 300);
  const std::size_t n = problem.bank.rows();
  const auto all = problem.model().evaluate_bank().energies;
  const auto row = *rc::gen::inRange<std::size_t>(0, n);
  auto others = oracle::iota(n);
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(row));
  double mass = 0.0;
  for (const std::size_t i : others) mass += problem.weight(i);
  RC_PRE(mass > 0.0);
  const EnergyModel<double> rest({problem.bank.view(), problem.weights, others},
                                 problem.options());
  const double expected =
      rest.evaluate(problem.bank.view().subrows(row, 1)).energies[0];
  RC_ASSERT(std::abs(all[row] - expected) <= 1e-12 * expected + 1e-15);
}

template <typename T>
void expect_last_row_drops_out_exactly() {
  for (const GroundCost cost : kAllCosts) {
    for (const std::size_t n : {2, 33, 256, 300}) {
      for (const double epsilon : {0.05, 0.003}) {
        const auto problem = oracle::random_problem<T>(
            cost, {.n = n, .dim = 12, .epsilon = epsilon});
        const EnergyModel<T> rest(
            {problem.bank.view().subrows(0, n - 1), {}, {}}, problem.options());
        const auto last = problem.bank.view().subrows(n - 1, 1);
        const std::vector<std::size_t> self = {n - 1};
        EXPECT_EQ(bits_of(problem.model().evaluate(last, self).energies),
                  bits_of(rest.evaluate(last).energies));
      }
    }
  }
}

TEST(SelfMode, excluding_the_last_row_gives_the_bits_of_the_shorter_bank) {
  expect_last_row_drops_out_exactly<float>();
  expect_last_row_drops_out_exactly<double>();
}

RC_GTEST_PROP(SelfMode, full_support_is_own_share_plus_the_rest, ()) {
  const auto problem = any_problem<double>(2, 200);
  const EnergyModel<double> model = problem.model();
  const auto full = model.evaluate_bank(true).energies;
  const auto rest = model.evaluate_bank().energies;
  const double mass = problem.mass();
  for (std::size_t i = 0; i < full.size(); ++i) {
    const double nu = problem.weight(i) / mass;
    const double k = std::exp(-full[i] / problem.epsilon);
    const double k_rest = std::exp(-rest[i] / problem.epsilon);
    RC_ASSERT(std::abs(k - (nu + (1.0 - nu) * k_rest)) <= 1e-12);
    if (nu > 0.0) {
      RC_ASSERT(full[i] <= -problem.epsilon * std::log(nu) + 1e-13);
    }
  }
}

TEST(SelfMode, a_duplicate_elsewhere_stays) {
  auto problem = oracle::random_problem<float>(
      GroundCost::kEuclidean, {.n = 40, .dim = 3, .epsilon = 0.01});
  for (std::size_t k = 0; k < 3; ++k) problem.bank(30, k) = problem.bank(7, k);
  const auto energies = problem.model().evaluate_bank().energies;
  EXPECT_LE(energies[7], 0.01 * std::log(39.0) + 1e-6);
  EXPECT_LE(energies[30], 0.01 * std::log(39.0) + 1e-6);
}

template <typename T>
void expect_lonely_atom_is_unsupported() {
  for (const GroundCost cost : kAllCosts) {
    for (const double epsilon : {0.05, 1e-3}) {
      const auto problem =
          oracle::random_problem<T>(cost, {.n = 1, .epsilon = epsilon});
      const EnergyModel<T> model = problem.model();
      EXPECT_EQ(model.evaluate_bank().energies[0],
                std::numeric_limits<double>::infinity());
      EXPECT_LT(model.evaluate_bank(true).energies[0], 1e-6);
    }
  }
}

TEST(SelfMode, an_atom_without_others_is_unsupported) {
  expect_lonely_atom_is_unsupported<float>();
  expect_lonely_atom_is_unsupported<double>();
}

TEST(SelfMode, rows_that_are_no_atoms_see_all_atoms) {
  const auto problem =
      oracle::random_problem<double>(GroundCost::kCosine, {.n = 20});
  const std::vector<std::size_t> atoms = {4, 2, 9};
  const EnergyModel<double> model({problem.bank.view(), {}, atoms},
                                  problem.options());
  const auto without = model.evaluate_bank().energies;
  const auto with = model.evaluate_bank(true).energies;
  ASSERT_EQ(without.size(), 20u);
  for (std::size_t i = 0; i < 20; ++i) {
    const bool is_atom = i == 4 || i == 2 || i == 9;
    EXPECT_EQ(without[i] == with[i], !is_atom) << i;
  }
}

RC_GTEST_PROP(Atoms, without_weight_are_absent, ()) {
  auto problem = any_problem<double>(8, 300);
  problem.weights = oracle::uniforms(problem.bank.rows(), 1);
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < problem.bank.rows(); ++i) {
    if (i % 3 == 1) {
      problem.weights[i] = 0.0;
    } else {
      kept.push_back(i);
    }
  }
  const EnergyModel<double> rest({problem.bank.view(), problem.weights, kept},
                                 problem.options());
  const auto a = problem.model().evaluate(problem.queries).energies;
  const auto b = rest.evaluate(problem.queries).energies;
  for (std::size_t q = 0; q < a.size(); ++q) {
    RC_ASSERT(std::abs(a[q] - b[q]) <= 1e-12 * b[q] + 1e-15);
  }
}

template <typename T>
void expect_trailing_weightless_atoms_change_no_bit() {
  for (const GroundCost cost : kAllCosts) {
    auto problem = oracle::random_problem<T>(
        cost, {.n = 250, .dim = 10, .epsilon = 0.02, .is_weighted = true});
    std::fill(problem.weights.begin() + 200, problem.weights.end(), 0.0);
    const EnergyModel<T> rest({problem.bank.view().subrows(0, 200),
                               std::span(problem.weights).first(200),
                               {}},
                              problem.options());
    EXPECT_EQ(bits_of(problem.model().evaluate(problem.queries).energies),
              bits_of(rest.evaluate(problem.queries).energies));
  }
}

TEST(Atoms, without_weight_at_the_end_change_no_bit) {
  expect_trailing_weightless_atoms_change_no_bit<float>();
  expect_trailing_weightless_atoms_change_no_bit<double>();
}

RC_GTEST_PROP(Atoms, repeated_are_one_of_their_weight, ()) {
  auto problem = any_problem<double>(4, 100);
  const std::size_t n = problem.bank.rows();
  // Row i mod 4 three times more often than the others.
  std::vector<std::size_t> rows;
  std::vector<double> weights(n, 1.0);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t copies = i % 4 == 0 ? 3 : 1;
    rows.insert(rows.end(), copies, i);
    weights[i] = static_cast<double>(copies);
  }
  const auto repeated = oracle::gather<double>(problem.bank, rows);
  problem.weights = weights;
  const EnergyModel<double> many({repeated.view(), {}, {}}, problem.options());
  const auto a = problem.model().evaluate(problem.queries).energies;
  const auto b = many.evaluate(problem.queries).energies;
  for (std::size_t q = 0; q < a.size(); ++q) {
    RC_ASSERT(std::abs(a[q] - b[q]) <= 1e-12 * b[q] + 1e-15);
  }
}

TEST(SelfMode, a_dominating_own_weight_does_not_cancel_the_rest) {
  // All but 1e-20 of the mass lies on row 0, which does not see itself.
  auto problem = oracle::random_problem<double>(
      GroundCost::kSquaredEuclidean,
      {.n = 256 * 18, .dim = 3, .queries = 100, .epsilon = 0.005, .seed = 4});
  for (std::size_t i = 0; i < problem.bank.rows(); ++i) {
    problem.bank(i, 0) += 10.0 * static_cast<double>(i % 18);  // 18 clusters
  }
  problem.weights.assign(problem.bank.rows(), 1e-20);
  problem.weights[0] = 1.0;
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t q = 0; q < 100; ++q) {
      problem.queries(q, k) = problem.bank(0, k);
    }
  }
  const EnergyModel<double> model = problem.model();
  const std::vector<std::size_t> self(100, 0);
  const double expected =
      oracle::energies<double>(problem, problem.queries.view().subrows(0, 1),
                               std::span(self).first(1))[0];
  ASSERT_TRUE(std::isfinite(expected));
  EXPECT_NEAR(model.evaluate(problem.queries, self).energies[0], expected,
              1e-12);
  const auto pruned = evaluate_pruned<double>(
      model, std::as_const(problem.queries).view(), 1e-6, self);
  EXPECT_TRUE(pruned.is_pruned);
  EXPECT_NEAR(pruned.energies[0], expected, 1.1e-6);
  const auto local = local_energies<double>(
      model, std::as_const(problem.queries).view().subrows(0, 1),
      problem.bank.rows() - 1, LocalConvention::kSubmeasure,
      std::span(self).first(1));
  EXPECT_NEAR(local.energies[0], expected, 1e-12);
}

}  // namespace self_mode_test
}  // namespace sbog
