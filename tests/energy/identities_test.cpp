// SPDX-License-Identifier: Apache-2.0
// The identities of the energy, each on random problems: all costs, weighted
// and uniform, in double.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numbers>

#include "oracle/energy_oracle.h"
#include "oracle/golden.h"
#include "sbog/energy/derivatives.h"
#include "sbog/energy/energy_model.h"
#include "sbog/energy/precomputed_energy.h"

namespace sbog {
namespace identities_test {

using oracle::EnergyProblem;
using oracle::kAllCosts;
using oracle::Real;

EnergyProblem<double> any_problem(GroundCost cost, double epsilon = 0.2) {
  return oracle::random_problem<double>(
      cost, {.n = *rc::gen::inRange<std::size_t>(2, 60),
             .dim = *rc::gen::inRange<std::size_t>(2, 12),
             .queries = 3,
             .epsilon = epsilon,
             .is_weighted = *rc::gen::arbitrary<bool>(),
             .seed = *rc::gen::arbitrary<std::uint32_t>()});
}

GroundCost any_cost() { return *rc::gen::elementOf(kAllCosts); }

std::vector<double> costs_of(const EnergyProblem<double>& problem,
                             std::size_t q) {
  const auto costs = oracle::costs_of<double>(
      problem, oracle::to_real(std::as_const(problem.queries).row(q)));
  return {costs.begin(), costs.end()};
}

std::vector<double> energies_of(const EnergyProblem<double>& problem) {
  return problem.model().evaluate(problem.queries).energies;
}

bool is_near(double a, double b, double relative = 1e-12) {
  return std::abs(a - b) <=
         relative * std::max(std::abs(a), std::abs(b)) + 1e-15;
}

// sum r_i d_i + eps sum r_i log(r_i / nu_i), nu normalised.
double free_energy(const EnergyProblem<double>& problem,
                   const std::vector<double>& costs,
                   const std::vector<double>& r) {
  const double mass = problem.mass();
  double total = 0.0;
  for (std::size_t i = 0; i < r.size(); ++i) {
    if (r[i] == 0.0) continue;
    const double nu = problem.weight(i) / mass;
    total += r[i] * costs[i] + problem.epsilon * r[i] * std::log(r[i] / nu);
  }
  return total;
}

RC_GTEST_PROP(Identities, one_the_energy_is_a_variational_optimum, ()) {
  const auto problem = any_problem(any_cost());
  const EnergyModel<double> model = problem.model();
  const auto energies = energies_of(problem);
  const std::size_t n = problem.bank.rows();
  for (std::size_t q = 0; q < 3; ++q) {
    const auto costs = costs_of(problem, q);
    const auto w = gibbs_weights(model, std::as_const(problem.queries).row(q));
    double sum = 0.0;
    for (const double x : w) sum += x;
    RC_ASSERT(is_near(sum, 1.0));
    RC_ASSERT(is_near(free_energy(problem, costs, w), energies[q]));
    // Any other law on the same atoms: exactly E + eps KL(r || w).
    auto r = oracle::uniforms(n, 9 + q);
    double total = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      if (problem.weight(i) == 0.0) r[i] = 0.0;
      total += r[i];
    }
    double divergence = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      r[i] /= total;
      if (r[i] > 0.0) divergence += r[i] * std::log(r[i] / w[i]);
    }
    const double value = free_energy(problem, costs, r);
    RC_ASSERT(
        is_near(value, energies[q] + problem.epsilon * divergence, 1e-10));
    RC_ASSERT(value >= energies[q] - 1e-12);
  }
}

RC_GTEST_PROP(Identities, two_the_energy_lies_between_least_and_mean, ()) {
  const auto problem = any_problem(any_cost(), *rc::gen::element(1.0, 0.01));
  const auto energies = energies_of(problem);
  const double mass = problem.mass();
  for (std::size_t q = 0; q < 3; ++q) {
    const auto costs = costs_of(problem, q);
    double mean = 0.0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < costs.size(); ++i) {
      const double nu = problem.weight(i) / mass;
      mean += nu * costs[i];
      if (nu == 0.0) continue;
      least = std::min(least, costs[i]);
      RC_ASSERT(energies[q] <=
                costs[i] - problem.epsilon * std::log(nu) + 1e-13);
    }
    RC_ASSERT(energies[q] >= least - 1e-13);
    RC_ASSERT(energies[q] <= mean + 1e-13);
  }
}

RC_GTEST_PROP(Identities, three_the_limits_in_epsilon, ()) {
  auto problem = any_problem(any_cost(), 1e-6);
  const auto cold = energies_of(problem);
  problem.epsilon = 1e4;
  const auto hot = energies_of(problem);
  const double mass = problem.mass();
  for (std::size_t q = 0; q < 3; ++q) {
    const auto costs = costs_of(problem, q);
    double mean = 0.0;
    double square = 0.0;
    double largest = 0.0;
    std::size_t nearest = kNoAtom;
    double second = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < costs.size(); ++i) {
      const double nu = problem.weight(i) / mass;
      mean += nu * costs[i];
      square += nu * costs[i] * costs[i];
      if (nu == 0.0) continue;
      largest = std::max(largest, costs[i]);
      if (nearest == kNoAtom || costs[i] < costs[nearest]) {
        if (nearest != kNoAtom) second = costs[nearest];
        nearest = i;
      } else {
        second = std::min(second, costs[i]);
      }
    }
    const double variance = square - mean * mean;
    RC_ASSERT(std::abs(hot[q] - (mean - variance / 2e4)) <=
              largest * largest * largest / 1e8 + 1e-11);
    if (second - costs[nearest] < 40e-6) continue;  // not a clear minimiser
    const double nu = problem.weight(nearest) / mass;
    RC_ASSERT(std::abs(cold[q] - (costs[nearest] - 1e-6 * std::log(nu))) <
              1e-13);
  }
}

RC_GTEST_PROP(Identities, four_rises_and_bends_down_in_epsilon, ()) {
  auto problem = any_problem(any_cost());
  const double mass = problem.mass();
  const EnergyModel<double> model = problem.model();
  std::vector<std::vector<double>> values;
  for (const double epsilon : {0.1, 0.2, 0.3}) {
    problem.epsilon = epsilon;
    values.push_back(energies_of(problem));
  }
  for (std::size_t q = 0; q < 3; ++q) {
    RC_ASSERT(values[0][q] <= values[1][q] + 1e-13);
    RC_ASSERT(values[1][q] <= values[2][q] + 1e-13);
    RC_ASSERT(values[0][q] + values[2][q] <= 2 * values[1][q] + 1e-13);
    const auto z = std::as_const(problem.queries).row(q);
    const auto w = gibbs_weights(model, z);
    double divergence = 0.0;
    for (std::size_t i = 0; i < w.size(); ++i) {
      if (w[i] > 0.0) {
        divergence += w[i] * std::log(w[i] * mass / problem.weight(i));
      }
    }
    const auto real_costs =
        oracle::costs_of<double>(problem, oracle::to_real(z));
    const auto at = [&](Real epsilon) {
      return oracle::energy_of_costs(real_costs, problem.weights, epsilon);
    };
    const auto slope =
        static_cast<double>((at(0.2L + 1e-6L) - at(0.2L - 1e-6L)) / 2e-6L);
    RC_ASSERT(std::abs(slope - divergence) <= 1e-8 * (1 + divergence));
  }
}

RC_GTEST_PROP(Identities, five_scaling_and_shift_of_the_cost, ()) {
  const auto problem = any_problem(any_cost());
  const double c = *rc::gen::element(0.01, 3.0, 500.0);
  const double a = *rc::gen::element(0.0, 0.5, 20.0);
  Matrix<double> costs(3, problem.bank.rows());
  Matrix<double> changed(3, problem.bank.rows());
  for (std::size_t q = 0; q < 3; ++q) {
    const auto row = costs_of(problem, q);
    for (std::size_t i = 0; i < row.size(); ++i) {
      costs(q, i) = row[i];
      changed(q, i) = c * (row[i] + a);
    }
  }
  const auto before =
      evaluate_precomputed(costs, problem.weights, problem.epsilon).energies;
  const auto after =
      evaluate_precomputed(changed, problem.weights, c * problem.epsilon)
          .energies;
  const auto direct = energies_of(problem);
  for (std::size_t q = 0; q < 3; ++q) {
    RC_ASSERT(is_near(after[q], c * (before[q] + a)));
    RC_ASSERT(is_near(direct[q], before[q]));
  }
}

RC_GTEST_PROP(Identities, six_the_whole_is_the_soft_minimum_of_groups, ()) {
  const auto problem = any_problem(any_cost());
  const std::size_t n = problem.bank.rows();
  const auto colour = oracle::uniforms(n, 5);
  std::vector<std::vector<std::size_t>> groups(3);
  for (std::size_t i = 0; i < n; ++i) {
    groups[static_cast<std::size_t>(2.999 * colour[i])].push_back(i);
  }
  const auto whole = energies_of(problem);
  std::vector<LogSumExp> merged(3);
  for (const auto& group : groups) {
    double mass = 0.0;
    for (const std::size_t i : group) mass += problem.weight(i);
    if (mass == 0.0) continue;
    const EnergyModel<double> model(
        {problem.bank.view(), problem.weights, group}, problem.options());
    const auto part = model.evaluate(problem.queries).energies;
    for (std::size_t q = 0; q < 3; ++q) {
      merged[q].add(std::log(mass) - part[q] / problem.epsilon, mass);
    }
  }
  for (std::size_t q = 0; q < 3; ++q) {
    RC_ASSERT(is_near(merged[q].energy(problem.epsilon), whole[q]));
  }
}

TEST(Identities, six_holds_for_the_golden_groups) {
  const auto known = golden::entry("/core/A_mixture_law");
  const auto a = golden::entry("/core/A_cosine");
  const Matrix<double> bank = golden::to_matrix(a.at("bank"));
  const auto z = golden::to_vector(a.at("query"));
  const double epsilon = golden::to_double(a.at("eps"));
  const auto alpha = golden::to_vector(known.at("alpha"));
  double support = 0.0;
  for (std::size_t g = 0; g < 2; ++g) {
    const auto atoms = golden::to_indices(known.at("groups")[g]);
    const EnergyModel<double> model({bank.view(), {}, atoms},
                                    {GroundCost::kCosine, epsilon, {}});
    const double energy =
        model.evaluate(MatrixView<const double>(z.data(), 1, 2)).energies[0];
    const double expected = golden::to_double(known.at("E_groups")[g]);
    EXPECT_NEAR(energy, expected, 1e-12 * expected);
    support += alpha[g] * std::exp(-energy / epsilon);
  }
  EXPECT_NEAR(-epsilon * std::log(support), golden::to_double(known.at("E")),
              1e-13);
}

// The Gaussian kernel density estimate with bandwidth h, in long double.
Real log_density(const EnergyProblem<double>& problem, std::size_t q, Real h) {
  const std::size_t dim = problem.bank.cols();
  Real sum = 0;
  for (std::size_t i = 0; i < problem.bank.rows(); ++i) {
    Real square = 0;
    for (std::size_t k = 0; k < dim; ++k) {
      const Real apart = Real(problem.queries(q, k)) - problem.bank(i, k);
      square += apart * apart;
    }
    sum += std::exp(-square / (2 * h * h));
  }
  const Real m = static_cast<Real>(dim);
  return std::log(sum / problem.bank.rows()) -
         m / 2 * std::log(2 * std::numbers::pi_v<Real> * h * h);
}

RC_GTEST_PROP(Identities, seven_squared_euclidean_is_a_density_estimate, ()) {
  auto problem = any_problem(GroundCost::kSquaredEuclidean);
  problem.weights.clear();
  const auto energies = energies_of(problem);
  const Real eps = problem.epsilon;
  const Real m = static_cast<Real>(problem.bank.cols());
  for (std::size_t q = 0; q < 3; ++q) {
    const Real log_k = log_density(problem, q, std::sqrt(eps / 2)) +
                       m / 2 * std::log(std::numbers::pi_v<Real> * eps);
    RC_ASSERT(is_near(energies[q], static_cast<double>(-eps * log_k)));
  }
}

RC_GTEST_PROP(Identities, eight_cosine_on_the_sphere_is_one_too, ()) {
  auto problem = any_problem(GroundCost::kUnitCosine, 0.05);
  problem.weights.clear();
  const auto energies = energies_of(problem);
  const Real eps = problem.epsilon;
  const Real m = static_cast<Real>(problem.bank.cols());
  for (std::size_t q = 0; q < 3; ++q) {
    const Real log_k = log_density(problem, q, std::sqrt(eps)) +
                       m / 2 * std::log(2 * std::numbers::pi_v<Real> * eps);
    RC_ASSERT(std::abs(energies[q] - static_cast<double>(-eps * log_k)) <
              1e-14);
  }
}

RC_GTEST_PROP(Identities, ten_the_energy_is_lipschitz_with_its_cost, ()) {
  const auto problem = any_problem(
      *rc::gen::element(GroundCost::kUnitCosine, GroundCost::kEuclidean),
      *rc::gen::element(0.5, 0.01));
  const auto energies = energies_of(problem);
  for (std::size_t p = 0; p < 3; ++p) {
    for (std::size_t q = 0; q < p; ++q) {
      const double distance =
          pair_cost(GroundCost::kEuclidean, problem.queries.view().row(p),
                    problem.queries.view().row(q));
      RC_ASSERT(std::abs(energies[p] - energies[q]) <= distance + 1e-14);
    }
  }
}

RC_GTEST_PROP(Identities, twelve_a_threshold_on_e_is_one_on_k, ()) {
  const auto problem = any_problem(any_cost());
  const EnergyModel<double> model = problem.model();
  const auto states = model.evaluate_state(problem.queries, {}, 0).state.fold();
  const auto energies = energies_of(problem);
  for (const double tau : energies) {
    const double shifted = tau + *rc::gen::element(-1e-6, 1e-6);
    const double kappa = std::exp(-shifted / problem.epsilon);
    for (std::size_t q = 0; q < 3; ++q) {
      const double k = std::exp(states[q].log_support());
      RC_ASSERT((energies[q] >= shifted) == (k <= kappa));
    }
  }
}

}  // namespace identities_test
}  // namespace sbog
