// SPDX-License-Identifier: Apache-2.0
// What leaves the energy alone: motions of all points, rescaling under cosine,
// a metric that moves with its points, another order of the atoms.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "oracle/energy_oracle.h"
#include "sbog/energy/energy_model.h"

namespace sbog {
namespace invariance_test {

using oracle::EnergyProblem;
using oracle::kAllCosts;

EnergyProblem<double> any_problem(GroundCost cost) {
  return oracle::random_problem<double>(
      cost, {.n = *rc::gen::inRange<std::size_t>(2, 60),
             .dim = *rc::gen::inRange<std::size_t>(2, 12),
             .queries = 3,
             .epsilon = 0.2,
             .is_weighted = *rc::gen::arbitrary<bool>(),
             .seed = *rc::gen::arbitrary<std::uint32_t>()});
}

std::vector<double> energies_of(const EnergyProblem<double>& problem) {
  return problem.model().evaluate(problem.queries).energies;
}

void assert_near(const std::vector<double>& a, const std::vector<double>& b) {
  RC_ASSERT(a.size() == b.size());
  for (std::size_t q = 0; q < a.size(); ++q) {
    RC_ASSERT(std::abs(a[q] - b[q]) <= 1e-11 * (1 + a[q]));
  }
}

// x <- (I - 2 v v' / |v|^2) x for each row: a reflection keeps all lengths.
void reflect_rows(Matrix<double>& points, std::uint64_t seed) {
  const auto v = oracle::normal_matrix<double>(1, points.cols(), seed);
  double norm2 = 0.0;
  for (const double x : v.elements()) norm2 += x * x;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    double along = 0.0;
    for (std::size_t k = 0; k < v.cols(); ++k) along += v(0, k) * points(i, k);
    for (std::size_t k = 0; k < v.cols(); ++k) {
      points(i, k) -= 2.0 * along / norm2 * v(0, k);
    }
  }
}

RC_GTEST_PROP(Invariance, motions_leave_the_energy_alone, ()) {
  const GroundCost cost =
      *rc::gen::element(GroundCost::kCosine, GroundCost::kUnitCosine,
                        GroundCost::kSquaredEuclidean, GroundCost::kEuclidean);
  auto problem = any_problem(cost);
  const auto before = energies_of(problem);
  for (Matrix<double>* points : {&problem.bank, &problem.queries}) {
    reflect_rows(*points, 11);
    reflect_rows(*points, 12);
    for (std::size_t i = 0; i < points->rows(); ++i) {
      for (std::size_t k = 0; k < points->cols(); ++k) {
        if (cost == GroundCost::kCosine) {
          (*points)(i, k) *= 0.01 + static_cast<double>(i);
        } else if (!is_cosine(cost)) {
          (*points)(i, k) += 0.5 * static_cast<double>(k);
        }
      }
    }
  }
  assert_near(before, energies_of(problem));
}

RC_GTEST_PROP(Invariance, mahalanobis_moves_with_its_metric, ()) {
  auto problem = any_problem(*rc::gen::element(GroundCost::kSquaredMahalanobis,
                                               GroundCost::kMahalanobis));
  const auto before = energies_of(problem);
  // z -> B z with B diagonal, W -> B^-T W B^-1.
  const std::size_t dim = problem.bank.cols();
  const auto b = oracle::uniforms(dim, 21);
  for (std::size_t k = 0; k < dim; ++k) {
    const double factor = 0.1 + 5.0 * b[k];
    for (std::size_t i = 0; i < problem.bank.rows(); ++i) {
      problem.bank(i, k) *= factor;
    }
    for (std::size_t q = 0; q < 3; ++q) problem.queries(q, k) *= factor;
    for (std::size_t j = 0; j < dim; ++j) {
      problem.metric(k, j) /= factor;
      problem.metric(j, k) /= factor;
    }
  }
  assert_near(before, energies_of(problem));
}

RC_GTEST_PROP(Invariance, the_order_of_atoms_does_not_matter, ()) {
  const auto problem = any_problem(*rc::gen::elementOf(kAllCosts));
  auto order = oracle::iota(problem.bank.rows());
  const auto keys = oracle::uniforms(order.size(), 3);
  std::sort(order.begin(), order.end(),
            [&](auto a, auto b) { return keys[a] < keys[b]; });
  const EnergyModel<double> shuffled(
      {problem.bank.view(), problem.weights, order}, problem.options());
  assert_near(energies_of(problem),
              shuffled.evaluate(problem.queries).energies);
}

}  // namespace invariance_test
}  // namespace sbog
