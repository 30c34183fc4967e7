// SPDX-License-Identifier: Apache-2.0
// Nearest atoms by brute force, both conventions, and the error bound.
#include "sbog/energy/local_reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "energy/support.h"
#include "oracle/energy_oracle.h"

namespace sbog {
namespace local_reference_test {

using oracle::EnergyProblem;
using oracle::kAllCosts;
using oracle::Real;
using testing::HasSubstr;
using testing_support::invalid_argument_of;

// (cost, row) of every atom with weight but `self`, nearest first.
template <typename T>
std::vector<std::pair<Real, std::size_t>> sorted_atoms(
    const EnergyProblem<T>& problem, std::size_t q, std::size_t self) {
  const auto costs = oracle::costs_of<T>(
      problem, oracle::to_real(std::as_const(problem.queries).row(q)));
  std::vector<std::pair<Real, std::size_t>> atoms;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (i != self && problem.weight(i) > 0.0) atoms.emplace_back(costs[i], i);
  }
  std::sort(atoms.begin(), atoms.end());
  return atoms;
}

RC_GTEST_PROP(NearestAtoms, are_those_of_brute_force, ()) {
  const GroundCost cost = *rc::gen::elementOf(kAllCosts);
  const auto problem = oracle::random_problem<double>(
      cost, {.n = *rc::gen::inRange<std::size_t>(10, 600),
             .dim = *rc::gen::inRange<std::size_t>(1, 20),
             .queries = 6,
             .epsilon = *rc::gen::element(1.0, 0.05, 1e-4),
             .is_weighted = *rc::gen::arbitrary<bool>(),
             .seed = *rc::gen::arbitrary<std::uint32_t>()});
  // In one dimension a cosine is 0 or 2: nothing but ties of rounding.
  RC_PRE(problem.bank.cols() > 1 || !is_cosine(cost));
  const std::vector<std::size_t> self = {0, kNoAtom, 2, 3, 4, 9};
  const auto k = *rc::gen::inRange<std::size_t>(1, 7);
  const auto near =
      nearest_atoms(problem.model(), problem.queries.view(), k, self);
  for (std::size_t q = 0; q < 6; ++q) {
    const auto expected = sorted_atoms(problem, q, self[q]);
    for (std::size_t i = 0; i < k; ++i) {
      RC_ASSERT(near.rows(q, i) == expected[i].second);
      RC_ASSERT(std::abs(near.costs(q, i) -
                         static_cast<double>(expected[i].first)) <= 1e-13);
    }
  }
}

TEST(NearestAtoms, in_float_have_the_costs_of_brute_force) {
  for (const GroundCost cost : kAllCosts) {
    const auto problem = oracle::random_problem<float>(
        cost, {.n = 700, .dim = 24, .queries = 50, .is_weighted = true});
    const auto near =
        nearest_atoms(problem.model(), problem.queries.view(), 30);
    for (std::size_t q = 0; q < 50; ++q) {
      const auto expected = sorted_atoms(problem, q, kNoAtom);
      for (std::size_t i = 0; i < 30; ++i) {
        ASSERT_NEAR(near.costs(q, i), static_cast<double>(expected[i].first),
                    2e-6);
      }
    }
  }
}

template <typename T>
void expect_ties_by_row(GroundCost cost, bool is_weighted) {
  // Every point of a small grid four times, weights all different.
  EnergyProblem<T> problem;
  problem.cost = cost;
  problem.bank = Matrix<T>(64, 2);
  for (std::size_t i = 0; i < 64; ++i) {
    problem.bank(i, 0) = static_cast<T>(i % 4);
    problem.bank(i, 1) = static_cast<T>(i / 4 % 4);
  }
  if (is_weighted) problem.weights = oracle::uniforms(64, 8);
  problem.queries = Matrix<T>(16, 2);
  for (std::size_t q = 0; q < 16; ++q) {
    problem.queries(q, 0) = static_cast<T>(q % 4) + T(0.25);
    problem.queries(q, 1) = static_cast<T>(q / 4) - T(0.5);
  }
  const auto model = problem.model();
  for (const std::size_t k : {1, 3, 10, 33}) {
    const auto near =
        nearest_atoms<T>(model, std::as_const(problem.queries).view(), k);
    for (std::size_t q = 0; q < 16; ++q) {
      const auto expected = sorted_atoms(problem, q, kNoAtom);
      for (std::size_t i = 0; i < k; ++i) {
        ASSERT_EQ(near.rows(q, i), expected[i].second) << k << " " << q;
      }
    }
  }
}

TEST(NearestAtoms, equal_costs_go_by_row_whatever_the_weights) {
  for (const bool is_weighted : {false, true}) {
    expect_ties_by_row<float>(GroundCost::kSquaredEuclidean, is_weighted);
    expect_ties_by_row<float>(GroundCost::kEuclidean, is_weighted);
    expect_ties_by_row<double>(GroundCost::kSquaredEuclidean, is_weighted);
    expect_ties_by_row<double>(GroundCost::kEuclidean, is_weighted);
  }
}

TEST(NearestAtoms, name_bank_rows_of_chosen_atoms) {
  const auto problem = oracle::random_problem<double>(GroundCost::kCosine,
                                                      {.n = 30, .queries = 1});
  const std::vector<std::size_t> atoms = {29, 3, 11};
  const EnergyModel<double> model({problem.bank.view(), {}, atoms},
                                  problem.options());
  const auto near = nearest_atoms(model, problem.queries.view(), 3);
  std::vector<std::size_t> rows(near.rows.row(0).begin(),
                                near.rows.row(0).end());
  EXPECT_THAT(rows, testing::UnorderedElementsAre(29, 3, 11));
  const std::vector<std::size_t> self = {11};
  const auto others = nearest_atoms(model, problem.queries.view(), 2, self);
  rows.assign(others.rows.row(0).begin(), others.rows.row(0).end());
  EXPECT_THAT(rows, testing::UnorderedElementsAre(29, 3));
}

TEST(NearestAtoms, refuse_more_than_there_are) {
  const auto problem = oracle::random_problem<double>(
      GroundCost::kCosine, {.n = 10, .is_weighted = true});
  const EnergyModel<double> model = problem.model();
  const auto message = [&](std::size_t k,
                           const std::vector<std::size_t>& self) {
    return invalid_argument_of(
        [&] { nearest_atoms(model, problem.queries.view(), k, self); });
  };
  EXPECT_THAT(message(0, {}), HasSubstr("between 1 and 10"));
  EXPECT_THAT(message(11, {}), HasSubstr("got 11"));
  EXPECT_THAT(message(10, {}), HasSubstr("query 0 has only 9 atoms"));
  std::vector<std::size_t> self(9, kNoAtom);
  self[4] = 1;
  EXPECT_THAT(message(9, self), HasSubstr("query 4 has only 8 atoms"));
  self[4] = 10;
  EXPECT_THAT(message(9, self), HasSubstr("self: 10 is not a row"));
}

RC_GTEST_PROP(LocalEnergies, are_the_sums_over_the_neighbours, ()) {
  const auto problem = oracle::random_problem<double>(
      *rc::gen::elementOf(kAllCosts),
      {.n = *rc::gen::inRange<std::size_t>(10, 100),
       .dim = 4,
       .queries = 5,
       .epsilon = *rc::gen::element(0.2, 0.02),
       .is_weighted = *rc::gen::arbitrary<bool>(),
       .seed = *rc::gen::arbitrary<std::uint32_t>()});
  const EnergyModel<double> model = problem.model();
  const std::vector<std::size_t> self = {1, 2, kNoAtom, 4, 0};
  const std::size_t k = 6;
  const auto sub = local_energies(model, problem.queries.view(), k,
                                  LocalConvention::kSubmeasure, self);
  const auto normal = local_energies(model, problem.queries.view(), k,
                                     LocalConvention::kNormalised, self);
  const auto exact = model.evaluate(problem.queries, self).energies;
  for (std::size_t q = 0; q < 5; ++q) {
    const auto atoms = sorted_atoms(problem, q, self[q]);
    Real sum = 0;
    Real near_mass = 0;
    for (std::size_t i = 0; i < k; ++i) {
      const Real weight = problem.weight(atoms[i].second);
      near_mass += weight;
      sum += weight * std::exp(-atoms[i].first / Real(problem.epsilon));
    }
    Real mass = 0;
    for (const auto& atom : atoms) mass += problem.weight(atom.second);
    const auto energy = [&](Real total) {
      return static_cast<double>(-problem.epsilon * std::log(sum / total));
    };
    RC_ASSERT(std::abs(sub.energies[q] - energy(mass)) <= 1e-12);
    RC_ASSERT(std::abs(normal.energies[q] - energy(near_mass)) <= 1e-12);
    RC_ASSERT(sub.energies[q] >= exact[q] - 1e-12);
  }
}

TEST(LocalEnergies, the_conventions_differ_by_the_logarithm_of_their_share) {
  auto problem = oracle::random_problem<double>(
      GroundCost::kUnitCosine,
      {.n = 1000, .dim = 6, .queries = 40, .epsilon = 0.05});
  const EnergyModel<double> model = problem.model();
  const auto sub =
      local_energies<double>(model, std::as_const(problem.queries).view(), 128,
                             LocalConvention::kSubmeasure);
  const auto normal =
      local_energies<double>(model, std::as_const(problem.queries).view(), 128,
                             LocalConvention::kNormalised);
  for (std::size_t q = 0; q < 40; ++q) {
    EXPECT_NEAR(sub.energies[q] - normal.energies[q],
                0.05 * std::log(1000.0 / 128.0), 1e-13);
    EXPECT_NEAR(sub.energies[q] - normal.energies[q], 0.1028, 5e-5);
  }
}

RC_GTEST_PROP(LocalEnergies, stay_within_their_error_bound, ()) {
  // The neighbours of an anchor serve a point near the anchor.
  const GroundCost cost = *rc::gen::elementOf(kAllCosts);
  const std::size_t n = 200;
  const std::size_t k = *rc::gen::inRange<std::size_t>(5, 150);
  auto problem = oracle::random_problem<double>(
      cost, {.n = n,
             .dim = *rc::gen::inRange<std::size_t>(2, 10),
             .queries = 1,
             .epsilon = *rc::gen::element(0.3, 0.05, 0.01),
             .seed = *rc::gen::arbitrary<std::uint32_t>()});
  for (std::size_t j = 0; j < problem.bank.cols(); ++j) {
    problem.queries(0, j) = problem.bank(0, j) + 0.1 * problem.queries(0, j);
  }
  if (cost == GroundCost::kUnitCosine) oracle::normalise_rows(problem.queries);
  const EnergyModel<double> model = problem.model();
  const auto anchor = std::as_const(problem.bank).view().subrows(0, 1);
  const auto near = nearest_atoms(model, anchor, k + 1);
  const std::vector<std::size_t> atoms(
      near.rows.row(0).begin(),
      near.rows.row(0).begin() + static_cast<std::ptrdiff_t>(k));
  const EnergyModel<double> local({problem.bank.view(), {}, atoms},
                                  problem.options());
  const double local_energy =
      local.evaluate(problem.queries).energies[0] +
      problem.epsilon *
          std::log(static_cast<double>(n) / static_cast<double>(k));
  const double anchor_cost =
      pair_cost(cost, std::as_const(problem.queries).row(0), anchor.row(0),
                model.metric_factor());
  const double outer = outer_cost_bound(cost, near.costs(0, k), anchor_cost);
  for (std::size_t i = 0; i < n; ++i) {
    if (std::find(atoms.begin(), atoms.end(), i) != atoms.end()) continue;
    RC_ASSERT(pair_cost(cost, std::as_const(problem.queries).row(0),
                        std::as_const(problem.bank).row(i),
                        model.metric_factor()) >= outer - 1e-12);
  }
  const double error =
      local_energy - model.evaluate(problem.queries).energies[0];
  RC_ASSERT(error >= -1e-12);
  RC_ASSERT(error <= local_energy_error_bound(problem.epsilon, n, n - k, outer,
                                              local_energy) +
                         1e-12);
}

}  // namespace local_reference_test
}  // namespace sbog
