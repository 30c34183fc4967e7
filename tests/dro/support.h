// SPDX-License-Identifier: Apache-2.0
// The DRO problem by the plainest loops in long double: Gibbs rows, the dual at
// a lambda, the value by bisection, and random problems.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"

namespace sbog::dro_oracle {

using Real = long double;
using Rows = std::vector<std::vector<Real>>;

inline constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

/// log of sum exp over the finite entries.
inline Real log_sum_exp(const std::vector<Real>& logs) {
  const Real top = *std::max_element(logs.begin(), logs.end());
  if (top == -kInfinity) return top;
  Real sum = 0;
  for (const Real x : logs) sum += std::exp(x - top);
  return top + std::log(sum);
}

/// A problem with its rows log Q.
struct Problem {
  std::vector<Real> mu;  // normalised
  Rows log_q;            // -inf: not on the support
  std::vector<Real> f;
  Real epsilon = 1;
};

inline std::vector<Real> normalised(std::vector<Real> weights) {
  Real total = 0;
  for (const Real w : weights) total += w;
  for (Real& w : weights) w /= total;
  return weights;
}

/// log Q_ij = log nu_j - d_ij / eps - log K_i.
inline Problem from_costs(MatrixView<const double> costs,
                          std::span<const double> mu,
                          std::span<const double> nu, std::span<const double> f,
                          Real epsilon) {
  Problem problem;
  problem.mu = normalised({mu.begin(), mu.end()});
  problem.f = {f.begin(), f.end()};
  problem.epsilon = epsilon;
  for (std::size_t i = 0; i < costs.rows(); ++i) {
    std::vector<Real> logs;
    for (std::size_t j = 0; j < costs.cols(); ++j) {
      logs.push_back(std::log(Real(nu[j])) - Real(costs(i, j)) / epsilon);
    }
    const Real log_k = log_sum_exp(logs);
    for (Real& x : logs) x -= log_k;
    problem.log_q.push_back(logs);
  }
  return problem;
}

/// E_p f; a loss of -inf counts only with mass.
inline Real mean(const Problem& problem, const std::vector<Real>& p) {
  Real sum = 0;
  for (std::size_t j = 0; j < p.size(); ++j) {
    if (p[j] > 0) sum += p[j] * problem.f[j];
  }
  return sum;
}

/// L_i(theta), with 0 * inf = 0 off the support.
inline Real log_partition(const Problem& problem, std::size_t i, Real theta) {
  std::vector<Real> logs;
  for (std::size_t j = 0; j < problem.f.size(); ++j) {
    const Real q = problem.log_q[i][j];
    logs.push_back(q == -kInfinity || theta == 0 ? q
                                                 : q + theta * problem.f[j]);
  }
  return log_sum_exp(logs);
}

/// p_i at theta.
inline std::vector<Real> tilted(const Problem& problem, std::size_t i,
                                Real theta) {
  const Real log_z = log_partition(problem, i, theta);
  std::vector<Real> p;
  for (std::size_t j = 0; j < problem.f.size(); ++j) {
    const Real q = problem.log_q[i][j];
    const Real tilt = theta == 0 ? 0 : theta * problem.f[j];
    p.push_back(q == -kInfinity ? 0 : std::exp(q + tilt - log_z));
  }
  return p;
}

/// KL(p || Q_i).
inline Real divergence(const Problem& problem, std::size_t i,
                       const std::vector<Real>& p) {
  Real sum = 0;
  for (std::size_t j = 0; j < p.size(); ++j) {
    if (p[j] > 0) sum += p[j] * (std::log(p[j]) - problem.log_q[i][j]);
  }
  return sum;
}

/// L_i(theta) / theta. For small theta about the mean, so that nothing cancels:
/// mean + log1p(E_Q[expm1(theta (f - mean))]) / theta.
inline Real log_partition_per_theta(const Problem& problem, std::size_t i,
                                    Real theta) {
  const std::vector<Real> q = tilted(problem, i, 0);
  const Real center = mean(problem, q);
  Real sum = 0, largest = 0;
  for (std::size_t j = 0; j < q.size(); ++j) {
    if (q[j] == 0) continue;
    const Real y = theta * (problem.f[j] - center);
    largest = std::max(largest, std::abs(y));
    sum += q[j] * (std::expm1(y) - y);
  }
  if (!(largest < 0.5L)) return log_partition(problem, i, theta) / theta;
  return center + std::log1p(sum) / theta;
}

/// lambda rho + lambda eps sum mu L.
inline Real dual(const Problem& problem, Real lambda, Real radius) {
  Real sum = lambda * radius;
  for (std::size_t i = 0; i < problem.mu.size(); ++i) {
    if (problem.mu[i] == 0) continue;
    sum += problem.mu[i] *
           log_partition_per_theta(problem, i, 1 / (lambda * problem.epsilon));
  }
  return sum;
}

struct Solution {
  Real value;
  Real theta;
};

/// By bisection of eps sum mu KL(p_theta || Q) = radius in log theta.
inline Solution solve(const Problem& problem, Real radius) {
  Real low = -60, high = 60;
  Real theta = 1, value = 0;
  for (int turn = 0; turn < 200; ++turn) {
    theta = std::exp((low + high) / 2);
    Real spent = 0;
    value = 0;
    for (std::size_t i = 0; i < problem.mu.size(); ++i) {
      if (problem.mu[i] == 0) continue;
      const std::vector<Real> p = tilted(problem, i, theta);
      spent += problem.epsilon * problem.mu[i] * divergence(problem, i, p);
      value += problem.mu[i] * mean(problem, p);
    }
    (spent < radius ? low : high) = (low + high) / 2;
  }
  return {value, theta};
}

/// Random numbers with a written seed.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : engine_(seed) {}
  /// In [0, 1), the same on every platform.
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  double uniform(double low, double high) {
    return low + (high - low) * uniform();
  }
  /// Between two positive numbers, evenly in the logarithm.
  double log_uniform(double low, double high) {
    return low * std::pow(high / low, uniform());
  }
  /// In [low, high].
  std::size_t index(std::size_t low, std::size_t high) {
    return low + static_cast<std::size_t>(engine_() % (high - low + 1));
  }
  double normal() {
    double sum = -6.0;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum;
  }
  std::vector<double> normals(std::size_t count, double scale = 1.0) {
    std::vector<double> out(count);
    for (double& x : out) x = scale * normal();
    return out;
  }
  std::vector<double> uniforms(std::size_t count, double low, double high) {
    std::vector<double> out(count);
    for (double& x : out) x = uniform(low, high);
    return out;
  }
  Matrix<double> uniform_matrix(std::size_t rows, std::size_t cols, double low,
                                double high) {
    Matrix<double> out(rows, cols);
    for (double& x : out.elements()) x = uniform(low, high);
    return out;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace sbog::dro_oracle
