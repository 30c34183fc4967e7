// SPDX-License-Identifier: Apache-2.0
// The energy by the plainest loops in long double, and random problems whose
// every part is known. W of the Mahalanobis costs is diag(D) + v v', so that
// the oracle needs no factor: x'Wx = sum_k D_k x_k^2 + (v.x)^2.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/philox.h"
#include "sbog/energy/energy_model.h"

namespace sbog::oracle {

/// The number type of the truth.
using Real = long double;

inline constexpr std::array<GroundCost, 6> kAllCosts = {
    GroundCost::kCosine,
    GroundCost::kUnitCosine,
    GroundCost::kSquaredEuclidean,
    GroundCost::kEuclidean,
    GroundCost::kSquaredMahalanobis,
    GroundCost::kMahalanobis};

/// Standard normals times `scale`, a written function of the seed.
template <typename T>
Matrix<T> normal_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed,
                        double scale = 1.0) {
  Matrix<T> out(rows, cols);
  std::vector<double> row(cols);
  const PhiloxStream stream(seed, 0, 0, 0);
  for (std::size_t i = 0; i < rows; ++i) {
    stream.normals(static_cast<std::uint32_t>(i), row);
    for (std::size_t k = 0; k < cols; ++k) {
      out(i, k) = static_cast<T>(scale * row[k]);
    }
  }
  return out;
}

/// Uniforms in (0, 1).
inline std::vector<double> uniforms(std::size_t count, std::uint64_t seed) {
  std::vector<double> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    const PhiloxBlock block =
        philox4x32({static_cast<std::uint32_t>(i), 7, 7, 7},
                   {static_cast<std::uint32_t>(seed),
                    static_cast<std::uint32_t>(seed >> 32)});
    out[i] = to_uniform(block.low64());
  }
  return out;
}

/// Divides every row by its length, in double.
template <typename T>
void normalise_rows(Matrix<T>& points) {
  for (std::size_t i = 0; i < points.rows(); ++i) {
    double norm2 = 0.0;
    for (const T x : points.row(i)) norm2 += static_cast<double>(x) * x;
    const double scale = 1.0 / std::sqrt(norm2);
    for (T& x : points.row(i)) x = static_cast<T>(x * scale);
  }
}

/// Unit vectors around five random directions.
template <typename T>
Matrix<T> mixture(std::size_t count, std::size_t dim, double spread,
                  std::uint64_t seed) {
  auto centers = normal_matrix<T>(5, dim, 1234);
  normalise_rows(centers);
  auto points = normal_matrix<T>(count, dim, seed, spread);
  const auto which = uniforms(count, seed);
  for (std::size_t i = 0; i < count; ++i) {
    const auto c = static_cast<std::size_t>(4.999 * which[i]);
    for (std::size_t k = 0; k < dim; ++k) points(i, k) += centers(c, k);
  }
  normalise_rows(points);
  return points;
}

/// A bank, queries and all that the energy depends on.
template <typename T>
struct EnergyProblem {
  GroundCost cost = GroundCost::kCosine;
  double epsilon = 0.05;
  Matrix<T> bank;
  Matrix<T> queries;
  std::vector<double> weights;    // empty: uniform
  std::vector<double> diagonal;   // D
  std::vector<double> direction;  // v
  Matrix<double> metric;          // W, empty unless Mahalanobis

  ReferenceMeasure<T> measure() const { return {bank.view(), weights, {}}; }
  EnergyOptions options() const { return {cost, epsilon, metric.view()}; }
  EnergyModel<T> model() const { return {measure(), options()}; }
  double weight(std::size_t i) const {
    return weights.empty() ? 1.0 : weights[i];
  }
  /// Sum of the weights.
  double mass() const {
    double total = 0.0;
    for (std::size_t i = 0; i < bank.rows(); ++i) total += weight(i);
    return total;
  }
};

/// What a random problem looks like.
struct Shape {
  std::size_t n = 50;
  std::size_t dim = 5;
  std::size_t queries = 9;
  double epsilon = 0.05;
  bool is_weighted = false;  // every seventh weight is 0
  std::uint64_t seed = 1;
};

/// Costs of order 1 in any dimension. Under cosine the rows have any length.
template <typename T>
EnergyProblem<T> random_problem(GroundCost cost, const Shape& shape) {
  EnergyProblem<T> problem;
  problem.cost = cost;
  problem.epsilon = shape.epsilon;
  const double scale = 1.0 / std::sqrt(static_cast<double>(shape.dim));
  problem.bank = normal_matrix<T>(shape.n, shape.dim, 2 * shape.seed, scale);
  problem.queries =
      normal_matrix<T>(shape.queries, shape.dim, 2 * shape.seed + 1, scale);
  if (cost == GroundCost::kUnitCosine) {
    normalise_rows(problem.bank);
    normalise_rows(problem.queries);
  }
  if (shape.is_weighted) {
    problem.weights = uniforms(shape.n, shape.seed);
    for (std::size_t i = 3; i < shape.n; i += 7) problem.weights[i] = 0.0;
  }
  if (is_mahalanobis(cost)) {
    problem.diagonal = uniforms(shape.dim, shape.seed + 100);
    problem.direction = uniforms(shape.dim, shape.seed + 200);
    for (double& v : problem.direction) v *= scale;
    problem.metric = Matrix<double>(shape.dim, shape.dim);
    for (std::size_t i = 0; i < shape.dim; ++i) {
      for (std::size_t j = 0; j < shape.dim; ++j) {
        problem.metric(i, j) = problem.direction[i] * problem.direction[j] +
                               (i == j ? problem.diagonal[i] : 0.0);
      }
    }
  }
  return problem;
}

template <typename T>
std::vector<Real> to_real(std::span<const T> row) {
  return {row.begin(), row.end()};
}

/// d(z, u) by its definition.
template <typename T>
Real pair_cost(const EnergyProblem<T>& problem, std::span<const Real> z,
               std::span<const T> u) {
  Real zz = 0, uu = 0, zu = 0, square = 0, along = 0;
  for (std::size_t k = 0; k < z.size(); ++k) {
    const Real b = u[k];
    const Real apart = z[k] - b;
    zz += z[k] * z[k];
    uu += b * b;
    zu += z[k] * b;
    const bool is_mapped = is_mahalanobis(problem.cost);
    square += (is_mapped ? Real(problem.diagonal[k]) : Real(1)) * apart * apart;
    along += is_mapped ? Real(problem.direction[k]) * apart : Real(0);
  }
  square += along * along;
  if (problem.cost == GroundCost::kCosine) {
    return std::max(Real(0), 1 - zu / std::sqrt(zz * uu));
  }
  if (problem.cost == GroundCost::kUnitCosine) return std::max(Real(0), 1 - zu);
  return is_rooted(problem.cost) ? std::sqrt(square) : square;
}

/// Costs of z to every bank row.
template <typename T>
std::vector<Real> costs_of(const EnergyProblem<T>& problem,
                           std::span<const Real> z) {
  std::vector<Real> costs;
  for (std::size_t i = 0; i < problem.bank.rows(); ++i) {
    costs.push_back(pair_cost(problem, z, problem.bank.row(i)));
  }
  return costs;
}

/// E from costs and weights (empty: uniform), without atom `excluded`.
inline Real energy_of_costs(std::span<const Real> costs,
                            std::span<const double> weights, Real epsilon,
                            std::size_t excluded = kNoAtom) {
  Real lowest = std::numeric_limits<Real>::infinity();
  Real mass = 0;
  const auto weight = [&](std::size_t i) {
    if (i == excluded) return 0.0;
    return weights.empty() ? 1.0 : weights[i];
  };
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (weight(i) > 0) lowest = std::min(lowest, costs[i]);
    mass += weight(i);
  }
  if (std::isinf(lowest)) return lowest;
  Real sum = 0;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (weight(i) > 0) {
      sum += weight(i) * std::exp(-(costs[i] - lowest) / epsilon);
    }
  }
  return lowest - epsilon * std::log(sum / mass);
}

/// E(z) without bank row `excluded`.
template <typename T>
Real energy(const EnergyProblem<T>& problem, std::span<const Real> z,
            std::size_t excluded = kNoAtom) {
  return energy_of_costs(costs_of(problem, z), problem.weights, problem.epsilon,
                         excluded);
}

/// E of every query; `self` is empty or one excluded row per query.
template <typename T>
std::vector<double> energies(const EnergyProblem<T>& problem,
                             MatrixView<const T> queries,
                             std::span<const std::size_t> self = {}) {
  std::vector<double> out;
  for (std::size_t q = 0; q < queries.rows(); ++q) {
    const std::vector<Real> z = to_real(queries.row(q));
    out.push_back(static_cast<double>(
        energy<T>(problem, z, self.empty() ? kNoAtom : self[q])));
  }
  return out;
}

/// The largest cost between a query and an atom of positive weight.
template <typename T>
double largest_cost(const EnergyProblem<T>& problem) {
  Real largest = 0;
  for (std::size_t q = 0; q < problem.queries.rows(); ++q) {
    const auto costs =
        costs_of<T>(problem, to_real(std::as_const(problem.queries).row(q)));
    for (std::size_t i = 0; i < costs.size(); ++i) {
      if (problem.weight(i) > 0) largest = std::max(largest, costs[i]);
    }
  }
  return static_cast<double>(largest);
}

/// [0, count).
inline std::vector<std::size_t> iota(std::size_t count) {
  std::vector<std::size_t> out(count);
  std::iota(out.begin(), out.end(), std::size_t{0});
  return out;
}

/// Copies of the given rows.
template <typename T>
Matrix<T> gather(MatrixView<const T> points,
                 std::span<const std::size_t> rows) {
  Matrix<T> out(rows.size(), points.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy_n(points.row(rows[i]).data(), points.cols(), out.row(i).data());
  }
  return out;
}

}  // namespace sbog::oracle
