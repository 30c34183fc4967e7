// SPDX-License-Identifier: Apache-2.0
// Moments, statistics and their differential; see window_statistics.h.
#include "sbog/oracle/window_statistics.h"

#include <cmath>

#include "sbog/base/errors.h"
#include "sbog/oracle/detail/matrix2.h"

namespace sbog {
namespace {

using detail::add;
using detail::congruence;
using detail::multiply;
using detail::transpose;

// d L for C = L L' changing by dC.
Matrix2 factor_change(const Matrix2& factor, const Matrix2& change) {
  const double first = change[0][0] / (2.0 * factor[0][0]);
  const double below = (change[1][0] - factor[1][0] * first) / factor[0][0];
  const double second =
      (change[1][1] - 2.0 * factor[1][0] * below) / (2.0 * factor[1][1]);
  return {{{first, 0.0}, {below, second}}};
}

}  // namespace

WindowMoments window_moments(std::span<const double> window) {
  if (window.size() < 4 || window.size() % 2 != 0) {
    throw InvalidArgument(
        "window: at least two points of two coordinates are expected");
  }
  const std::size_t length = window.size() / 2;
  const auto n = static_cast<double>(length);
  WindowMoments moments;
  for (std::size_t t = 0; t < length; ++t) {
    moments.mean[0] += window[2 * t] / n;
    moments.mean[1] += window[2 * t + 1] / n;
  }
  Vector2 past{};  // a point at the mean before the first adds nothing
  for (std::size_t t = 0; t < length; ++t) {
    const Vector2 now =
        add({window[2 * t], window[2 * t + 1]}, moments.mean, -1.0);
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t j = 0; j < 2; ++j) {
        moments.covariance[i][j] += now[i] * now[j] / n;
        moments.lagged[i][j] += now[i] * past[j] / n;
      }
    }
    past = now;
  }
  return moments;
}

Statistics statistics_of(const WindowMoments& moments) {
  const Matrix2 factor = detail::cholesky(moments.covariance);
  const Matrix2 lag = congruence(detail::inverse(factor), moments.lagged);
  return {moments.mean[0],
          moments.mean[1],
          std::log(factor[0][0]),
          std::log(factor[1][1]),
          factor[1][0] / factor[0][0],
          lag[0][0],
          lag[0][1],
          lag[1][0],
          lag[1][1]};
}

Statistics statistics_change(const WindowMoments& moments,
                             const WindowMoments& delta) {
  const Matrix2 factor = detail::cholesky(moments.covariance);
  const Matrix2 change = factor_change(factor, delta.covariance);
  const Matrix2 whitening = detail::inverse(factor);
  const Matrix2 lag = congruence(whitening, moments.lagged);
  // d(L^-1 G L^-T) = L^-1 dG L^-T - (L^-1 dL) K - K (L^-1 dL)'.
  const Matrix2 relative = multiply(whitening, change);
  Matrix2 lag_change = congruence(whitening, delta.lagged);
  lag_change = add(lag_change, multiply(relative, lag), -1.0);
  lag_change = add(lag_change, multiply(lag, transpose(relative)), -1.0);
  return {delta.mean[0],
          delta.mean[1],
          change[0][0] / factor[0][0],
          change[1][1] / factor[1][1],
          (change[1][0] - factor[1][0] * change[0][0] / factor[0][0]) /
              factor[0][0],
          lag_change[0][0],
          lag_change[0][1],
          lag_change[1][0],
          lag_change[1][1]};
}

Statistics window_statistics(std::span<const double> window) {
  return statistics_of(window_moments(window));
}

}  // namespace sbog
