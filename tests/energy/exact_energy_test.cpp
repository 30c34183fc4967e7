// SPDX-License-Identifier: Apache-2.0
// The energy of single points in double against the oracle.
#include "sbog/energy/exact_energy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "energy/support.h"
#include "oracle/energy_oracle.h"
#include "oracle/golden.h"

namespace sbog {
namespace exact_energy_test {

using oracle::EnergyProblem;
using testing_support::invalid_argument_of;

template <typename T>
std::vector<double> query_of(const EnergyProblem<T>& problem, std::size_t q) {
  const auto row = problem.queries.row(q);
  return {row.begin(), row.end()};
}

template <typename T>
void expect_oracle_energies(const oracle::Shape& shape) {
  for (const GroundCost cost : oracle::kAllCosts) {
    const auto problem = oracle::random_problem<T>(cost, shape);
    const EnergyModel<T> model = problem.model();
    for (std::size_t q = 0; q < shape.queries; ++q) {
      const std::vector<double> z = query_of(problem, q);
      const std::vector<oracle::Real> exact(z.begin(), z.end());
      for (const std::size_t self : {kNoAtom, std::size_t{0}, shape.n - 1}) {
        EXPECT_NEAR(
            exact_energy(model, z, self),
            static_cast<double>(oracle::energy<T>(problem, exact, self)), 1e-12)
            << to_string(cost) << " " << q << " " << self;
      }
    }
  }
}

TEST(ExactEnergy, equals_the_oracle_for_every_cost) {
  oracle::Shape shape;
  for (const std::size_t dim : {1u, 3u, 8u, 19u}) {
    // More than one block of atoms, and a part of one.
    for (const std::size_t n : {1u + 1u, 50u, 600u}) {
      shape.dim = dim;
      shape.n = n;
      shape.is_weighted = n == 50;
      shape.queries = 4;
      expect_oracle_energies<double>(shape);
      expect_oracle_energies<float>(shape);
    }
  }
}

TEST(ExactEnergy, is_in_double_whatever_the_storage) {
  oracle::Shape shape;
  shape.n = 300;
  shape.dim = 64;
  shape.epsilon = 0.02;
  const auto problem =
      oracle::random_problem<float>(GroundCost::kCosine, shape);
  const EnergyModel<float> model = problem.model();
  // A query that no float holds.
  std::vector<double> z = query_of(problem, 0);
  for (double& x : z) x += 1e-10;
  const std::vector<oracle::Real> exact(z.begin(), z.end());
  EXPECT_NEAR(exact_energy(model, z),
              static_cast<double>(oracle::energy<float>(problem, exact)),
              1e-14);
}

TEST(ExactEnergy, reproduces_the_golden_example) {
  const nlohmann::json base = golden::entry("/core/A_cosine");
  const Matrix<double> bank = golden::to_matrix(base["bank"]);
  const EnergyModel<double> model(
      {bank.view(), {}, {}},
      {GroundCost::kCosine, golden::to_double(base["eps"]), {}});
  EXPECT_NEAR(exact_energy(model, golden::to_vector(base["query"])),
              golden::to_double(base["E"]), 1e-14);
}

TEST(ExactEnergy, sees_only_the_chosen_atoms) {
  oracle::Shape shape;
  const auto problem =
      oracle::random_problem<double>(GroundCost::kEuclidean, shape);
  const std::vector<std::size_t> atoms = {3, 8, 40};
  const EnergyModel<double> model({problem.bank.view(), {}, atoms},
                                  problem.options());
  EnergyProblem<double> few =
      oracle::random_problem<double>(GroundCost::kEuclidean, shape);
  few.bank = oracle::gather<double>(problem.bank.view(), atoms);
  const std::vector<double> z = query_of(problem, 1);
  const std::vector<oracle::Real> exact(z.begin(), z.end());
  EXPECT_NEAR(exact_energy(model, z),
              static_cast<double>(oracle::energy<double>(few, exact)), 1e-13);
  // `self` is a row of the bank; a row that is no atom changes nothing.
  EXPECT_EQ(exact_energy(model, z, 5), exact_energy(model, z));
  EXPECT_NEAR(exact_energy(model, z, 8),
              static_cast<double>(oracle::energy<double>(few, exact, 1)),
              1e-13);
}

TEST(ExactEnergy, nothing_left_is_unsupported) {
  Matrix<double> bank(1, 2);
  bank(0, 0) = 1.0;
  const EnergyModel<double> model({bank.view(), {}, {}}, {});
  const std::vector<double> z = {1.0, 0.0};
  EXPECT_EQ(exact_energy(model, z, 0), std::numeric_limits<double>::infinity());
  EXPECT_EQ(exact_energy(model, z), 0.0);
}

TEST(CarefulEnergy, equals_the_oracle_at_any_temperature) {
  oracle::Shape shape;
  shape.n = 300;
  shape.queries = 3;
  for (const double epsilon : {1e-300, 1e-30, 1e-3, 0.05, 1.0, 1e4, 1e8}) {
    shape.epsilon = epsilon;
    for (const bool is_weighted : {false, true}) {
      shape.is_weighted = is_weighted;
      for (const GroundCost cost : oracle::kAllCosts) {
        const auto problem = oracle::random_problem<double>(cost, shape);
        const EnergyModel<double> model = problem.model();
        for (std::size_t q = 0; q < shape.queries; ++q) {
          const std::vector<double> z = query_of(problem, q);
          const std::vector<oracle::Real> exact(z.begin(), z.end());
          // The oracle's own digits: a logarithm near 0 times epsilon.
          const double bound = 1e-12 + 1e-18 * epsilon;
          for (const std::size_t self : {kNoAtom, std::size_t{4}}) {
            const auto expected = static_cast<double>(
                oracle::energy<double>(problem, exact, self));
            EXPECT_NEAR(careful_energy(model, z, self), expected, bound)
                << to_string(cost) << " " << epsilon;
            EXPECT_NEAR(exact_energy(model, z, self), expected, bound)
                << to_string(cost) << " " << epsilon;
          }
        }
      }
    }
  }
}

TEST(CarefulEnergy, far_above_the_costs_it_is_their_mean) {
  oracle::Shape shape;
  shape.epsilon = 1e16;
  const auto problem =
      oracle::random_problem<double>(GroundCost::kSquaredEuclidean, shape);
  const std::vector<double> z = query_of(problem, 0);
  double mean = 0.0;
  for (std::size_t i = 0; i < shape.n; ++i) {
    for (std::size_t j = 0; j < shape.dim; ++j) {
      mean += std::pow(z[j] - problem.bank(i, j), 2) / double(shape.n);
    }
  }
  EXPECT_NEAR(careful_energy(problem.model(), z), mean, 1e-13);
}

TEST(CarefulEnergy, numbers_of_any_size_have_an_energy_or_a_sentence) {
  Matrix<double> bank(2, 1);
  bank(0, 0) = 1e100;
  bank(1, 0) = -1e100;
  const auto energy = [&](double query) {
    const EnergyModel<double> model({bank.view(), {}, {}},
                                    {GroundCost::kSquaredEuclidean, 1.0, {}});
    return careful_energy(model, std::vector<double>{query});
  };
  EXPECT_DOUBLE_EQ(energy(0.0), 1e200);
  EXPECT_EQ(energy(1e100), std::log(2.0));
  EXPECT_EQ(invalid_argument_of([&] { energy(1e200); }).substr(0, 22),
            "energy: a cost is beyo");
}

TEST(ExactEnergy, refuses_queries_that_have_no_energy) {
  Matrix<double> bank(2, 2);
  bank(0, 0) = 1.0;
  bank(1, 1) = 1.0;
  const EnergyModel<double> cosine({bank.view(), {}, {}}, {});
  const EnergyModel<double> euclidean({bank.view(), {}, {}},
                                      {GroundCost::kEuclidean, 0.1, {}});
  const auto message = [](const EnergyModel<double>& model,
                          const std::vector<double>& z) {
    return invalid_argument_of([&] { exact_energy(model, z); });
  };
  EXPECT_EQ(message(cosine, {1.0}),
            "query: dimension 2 of the bank is expected, got 1");
  EXPECT_EQ(message(cosine, {0.0, 0.0}),
            "query: finite numbers, not all 0, are expected under cosine");
  EXPECT_EQ(message(euclidean, {std::nan(""), 0.0}),
            "query: finite numbers are expected");
  EXPECT_NO_THROW(exact_energy(euclidean, std::vector<double>{0.0, 0.0}));
}

}  // namespace exact_energy_test
}  // namespace sbog
