// SPDX-License-Identifier: Apache-2.0
// The law of a window the slow way: one Gaussian with a block Toeplitz
// covariance, and plain dense algebra.
#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/oracle/boundary.h"
#include "sbog/oracle/var_process.h"

namespace sbog::oracle {

/// Covariance of a window of `length` points: the block of points s >= t is
/// A^(s - t) G, with G by the series sum_j A^j S A'^j.
inline Matrix<double> toeplitz_covariance(const VarProcess& process,
                                          std::size_t length) {
  const Matrix2& a = process.transition;
  const auto times = [](const Matrix2& x, const Matrix2& y) {
    Matrix2 out{};
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) {
        for (int k = 0; k < 2; ++k) out[i][j] += x[i][k] * y[k][j];
      }
    }
    return out;
  };
  Matrix2 stationary{};
  Matrix2 term = process.noise;
  for (int step = 0; step < 4000; ++step) {
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) stationary[i][j] += term[i][j];
    }
    const Matrix2 transposed = {{{a[0][0], a[1][0]}, {a[0][1], a[1][1]}}};
    term = times(times(a, term), transposed);
  }
  Matrix<double> covariance(2 * length, 2 * length);
  for (std::size_t t = 0; t < length; ++t) {
    Matrix2 block = stationary;
    for (std::size_t s = t; s < length; ++s) {
      for (std::size_t i = 0; i < 2; ++i) {
        for (std::size_t j = 0; j < 2; ++j) {
          covariance(2 * s + i, 2 * t + j) = block[i][j];
          covariance(2 * t + j, 2 * s + i) = block[i][j];
        }
      }
      block = times(a, block);
    }
  }
  return covariance;
}

/// Lower factor.
inline Matrix<double> plain_cholesky(const Matrix<double>& a) {
  Matrix<double> factor(a.rows(), a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double rest = a(i, j);
      for (std::size_t k = 0; k < j; ++k) rest -= factor(i, k) * factor(j, k);
      factor(i, j) = i == j ? std::sqrt(rest) : rest / factor(j, j);
    }
  }
  return factor;
}

/// L^-1 x.
inline std::vector<double> forward_solve(const Matrix<double>& factor,
                                         std::vector<double> x) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] -= factor(i, k) * x[k];
    x[i] /= factor(i, i);
  }
  return x;
}

inline double squared_norm(const std::vector<double>& x) {
  double sum = 0.0;
  for (const double value : x) sum += value * value;
  return sum;
}

inline double log_determinant(const Matrix<double>& factor) {
  double sum = 0.0;
  for (std::size_t i = 0; i < factor.rows(); ++i) {
    sum += 2.0 * std::log(factor(i, i));
  }
  return sum;
}

/// Log density of a window as one large Gaussian.
inline double dense_log_density(const VarProcess& process,
                                std::span<const double> window) {
  const Matrix<double> factor =
      plain_cholesky(toeplitz_covariance(process, window.size() / 2));
  std::vector<double> centred(window.begin(), window.end());
  for (std::size_t i = 0; i < centred.size(); ++i) {
    centred[i] -= process.mean[i % 2];
  }
  const auto n = static_cast<double>(window.size());
  return -0.5 *
         (n * std::log(2.0 * std::numbers::pi) + log_determinant(factor) +
          squared_norm(forward_solve(factor, centred)));
}

/// KL of two windows as large Gaussians.
inline double dense_divergence(const VarProcess& first,
                               const VarProcess& second, std::size_t length) {
  const Matrix<double> p = plain_cholesky(toeplitz_covariance(first, length));
  const Matrix<double> q = plain_cholesky(toeplitz_covariance(second, length));
  std::vector<double> shift(2 * length);
  double sum =
      log_determinant(q) - log_determinant(p) - static_cast<double>(2 * length);
  for (std::size_t j = 0; j < shift.size(); ++j) {
    shift[j] = first.mean[j % 2] - second.mean[j % 2];
    std::vector<double> column(shift.size());
    for (std::size_t i = 0; i < shift.size(); ++i) column[i] = p(i, j);
    sum += squared_norm(forward_solve(q, column));
  }
  return 0.5 * (sum + squared_norm(forward_solve(q, shift)));
}

/// Drawn windows of one of the three processes, one per row.
inline Matrix<double> drawn_windows(std::size_t cls, std::size_t count,
                                    std::uint64_t seed) {
  const WindowLaw law(base_processes()[cls]);
  Matrix<double> windows(count, kWindowSize);
  for (std::size_t i = 0; i < count; ++i) {
    draw_window(law,
                {seed, WindowPurpose::kBank, static_cast<std::uint32_t>(cls),
                 static_cast<std::uint32_t>(i)},
                windows.row(i));
  }
  return windows;
}

}  // namespace sbog::oracle
