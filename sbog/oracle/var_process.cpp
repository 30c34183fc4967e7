// SPDX-License-Identifier: Apache-2.0
// Covariances, densities and draws of var_process.h.
#include "sbog/oracle/var_process.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sbog/base/errors.h"
#include "sbog/base/philox.h"
#include "sbog/oracle/detail/matrix2.h"

namespace sbog {
namespace {

using detail::add;
using detail::congruence;
using detail::determinant;
using detail::dot;
using detail::inverse;
using detail::multiply;
using detail::trace;

constexpr std::uint32_t kWindowPurpose = 0x4F000000;
const double kLogTwoPi = std::log(2.0 * std::numbers::pi);

void check_process(const VarProcess& process) {
  const Matrix2& s = process.noise;
  if (!(spectral_radius(process.transition) < 1.0)) {
    throw InvalidArgument(
        "process: a transition of spectral radius below 1 is expected");
  }
  if (s[0][1] != s[1][0] || !detail::is_positive_definite(s)) {
    throw InvalidArgument(
        "process: a symmetric and positive definite noise is expected");
  }
}

// 2 KL between two Gaussians whose means are apart by a random vector with
// second moment `apart`.
double twice_divergence(const Matrix2& first, const Matrix2& second,
                        const Matrix2& apart) {
  return trace(multiply(inverse(second), add(first, apart))) - 2.0 +
         std::log(determinant(second) / determinant(first));
}

Matrix2 outer(const Vector2& x) {
  return {{{x[0] * x[0], x[0] * x[1]}, {x[1] * x[0], x[1] * x[1]}}};
}

// Log density at the mean of a Gaussian with factor L.
double log_peak(const Matrix2& factor) {
  return -kLogTwoPi - std::log(factor[0][0] * factor[1][1]);
}

Vector2 point(std::span<const double> window, std::size_t t) {
  return {window[2 * t], window[2 * t + 1]};
}

}  // namespace

double spectral_radius(const Matrix2& matrix) {
  const double half = 0.5 * trace(matrix);
  const double discriminant = half * half - determinant(matrix);
  // A complex pair has the determinant as its squared absolute value.
  if (discriminant < 0.0) return std::sqrt(determinant(matrix));
  return std::abs(half) + std::sqrt(discriminant);
}

Matrix2 stationary_covariance(const VarProcess& process) {
  check_process(process);
  // Doubling: after k steps `sum` holds the first 2^k terms of the series
  // sum_j A^j S A'^j, and `power` is A^(2^k).
  constexpr int kDoublings = 64;
  Matrix2 sum = process.noise;
  Matrix2 power = process.transition;
  for (int k = 0; k < kDoublings; ++k) {
    const Matrix2 next = add(sum, congruence(power, sum));
    if (next == sum) break;
    sum = next;
    power = multiply(power, power);
  }
  const double side = 0.5 * (sum[0][1] + sum[1][0]);
  sum[0][1] = sum[1][0] = side;
  return sum;
}

double window_divergence(const VarProcess& first, const VarProcess& second,
                         std::size_t length) {
  if (length == 0) {
    throw InvalidArgument("window: a length of at least 1 is expected");
  }
  const Matrix2 from = stationary_covariance(first);
  const Matrix2 to = stationary_covariance(second);
  const Vector2 shift = add(first.mean, second.mean, -1.0);
  // At x = mean + e the predictions differ by (I - A2) shift + (A1 - A2) e.
  const Vector2 drift = add(shift, multiply(second.transition, shift), -1.0);
  const Matrix2 turn = add(first.transition, second.transition, -1.0);
  const Matrix2 apart = add(outer(drift), congruence(turn, from));
  return 0.5 * (twice_divergence(from, to, outer(shift)) +
                static_cast<double>(length - 1) *
                    twice_divergence(first.noise, second.noise, apart));
}

WindowLaw::WindowLaw(const VarProcess& process)
    : process_(process),
      start_factor_(detail::cholesky(stationary_covariance(process))),
      noise_factor_(detail::cholesky(process.noise)),
      start_whitening_(inverse(start_factor_)),
      noise_whitening_(inverse(noise_factor_)),
      log_start_(log_peak(start_factor_)),
      log_noise_(log_peak(noise_factor_)) {}

double WindowLaw::log_density(std::span<const double> window) const {
  if (window.empty() || window.size() % 2 != 0) {
    throw InvalidArgument("window: points of two coordinates are expected");
  }
  const std::size_t length = window.size() / 2;
  Vector2 past = add(point(window, 0), process_.mean, -1.0);
  const Vector2 start = multiply(start_whitening_, past);
  double squares = dot(start, start);
  for (std::size_t t = 1; t < length; ++t) {
    const Vector2 now = add(point(window, t), process_.mean, -1.0);
    const Vector2 step = multiply(
        noise_whitening_, add(now, multiply(process_.transition, past), -1.0));
    squares += dot(step, step);
    past = now;
  }
  return log_start_ + static_cast<double>(length - 1) * log_noise_ -
         0.5 * squares;
}

void WindowLaw::shape_normals(std::span<double> window) const {
  Vector2 past{};
  for (std::size_t t = 0; t < window.size() / 2; ++t) {
    const Vector2 noise = point(window, t);
    past = t == 0 ? multiply(start_factor_, noise)
                  : add(multiply(process_.transition, past),
                        multiply(noise_factor_, noise));
    window[2 * t] = process_.mean[0] + past[0];
    window[2 * t + 1] = process_.mean[1] + past[1];
  }
}

void draw_window(const WindowLaw& law, const WindowKey& key,
                 std::span<double> window) {
  if (key.law >= 256 || window.size() % 2 != 0) {
    throw InvalidArgument(
        "window: a law below 256 and points of two coordinates are expected");
  }
  const std::uint32_t purpose =
      kWindowPurpose + 256 * static_cast<std::uint32_t>(key.purpose) + key.law;
  for (std::size_t t = 0; t < window.size() / 2; ++t) {
    const PhiloxBlock bits =
        philox4x32({key.index, PhiloxStream::kReservedClass << 16,
                    static_cast<std::uint32_t>(t), purpose},
                   {static_cast<std::uint32_t>(key.seed),
                    static_cast<std::uint32_t>(key.seed >> 32)});
    const auto normals =
        box_muller(to_uniform(bits.low64()), to_uniform(bits.high64()));
    window[2 * t] = normals[0];
    window[2 * t + 1] = normals[1];
  }
  law.shape_normals(window);
}

}  // namespace sbog
