// SPDX-License-Identifier: Apache-2.0
// Helpers of the certificate tests: the relative entropy and binomial tails by
// their definitions in long double, and a stream of uniforms.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "energy/support.h"
#include "sbog/base/philox.h"

namespace sbog::testing_support {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// kl of probabilities given by their logarithms. 1 - q over 1 - p is formed
/// from their difference, so that close ones keep enough digits.
inline long double plain_kl_of_logs(long double log_p, long double log_q) {
  const long double p = std::exp(log_p);
  const long double rest = -std::expm1(log_p);  // 1 - p
  const long double first = p == 0 ? 0 : p * (log_p - log_q);
  if (rest == 0) return first;
  const long double more = p == 0 ? std::exp(log_q)  // q - p
                                  : p * std::expm1(log_q - log_p);
  return first - rest * std::log1p(-more / rest);
}

inline long double plain_kl(long double p, long double q) {
  return plain_kl_of_logs(std::log(p), std::log(q));
}

/// P(Bin(n, p) = k).
inline long double binomial_mass(int n, int k, long double p) {
  if (p <= 0) return k == 0 ? 1 : 0;
  if (p >= 1) return k == n ? 1 : 0;
  return std::exp(std::lgamma(n + 1.0L) - std::lgamma(k + 1.0L) -
                  std::lgamma(n - k + 1.0L) + k * std::log(p) +
                  (n - k) * std::log1p(-p));
}

/// P(Bin(n, p) >= k).
inline long double binomial_tail(int n, int k, long double p) {
  long double sum = 0;
  for (int i = std::max(0, k); i <= n; ++i) sum += binomial_mass(n, i, p);
  return sum;
}

/// The most violations of a level in `trials` trials that a run with a fixed
/// seed may show: exceeded with probability below 1e-4 at exactly this level.
inline int most_violations(int trials, double level) {
  int k = static_cast<int>(trials * level);
  while (binomial_tail(trials, k + 1, level) > 1e-4L) ++k;
  return k;
}

/// Uniforms one after the other.
class Uniforms {
 public:
  explicit Uniforms(std::uint32_t seed) : seed_(seed) {}
  double operator()() {
    const PhiloxBlock block = philox4x32({next_++, 0, 1, 2}, {seed_, 9});
    return to_uniform(block.low64());
  }
  /// Uniform on [low, high).
  double operator()(double low, double high) {
    return low + (high - low) * (*this)();
  }

 private:
  std::uint32_t seed_;
  std::uint32_t next_ = 0;
};

}  // namespace sbog::testing_support
