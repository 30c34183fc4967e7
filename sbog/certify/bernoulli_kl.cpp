// SPDX-License-Identifier: Apache-2.0
// Cancellation-free pieces and monotone Newton steps; see bernoulli_kl.h.
#include "sbog/certify/bernoulli_kl.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sbog/certify/detail/checks.h"

namespace sbog {
namespace {

constexpr int kMaxSteps = 200;

// u - log(1+u) >= 0 for |u| <= 1/2. With s = u/(2+u), log(1+u) = 2 atanh(s)
// and u - 2s = us, so the linear terms never meet.
double excess_series(double u) {
  const double s = u / (2.0 + u);
  const double s2 = s * s;
  double tail = 0.0;  // 1/3 + s^2/5 + s^4/7 + ..., |s| <= 1/3
  for (int k = 37; k >= 3; k -= 2) tail = tail * s2 + 1.0 / k;
  return u * s - 2.0 * s * s2 * tail;
}

// a (u - log(1+u)), u = diff/a, log_ratio = log(1+u): one half of kl once the
// linear terms, which cancel between the halves, are left out.
double half(double a, double diff, double log_ratio) {
  if (a == 0.0) return diff;
  const double u = diff / a;
  return std::abs(u) <= 0.5 ? a * excess_series(u) : diff - a * log_ratio;
}

// log(1 - exp(x)) for x <= 0.
double log_one_minus_exp(double x) {
  return x > -0.6931471805599453 ? std::log(-std::expm1(x))
                                 : std::log1p(-std::exp(x));
}

// (u - log(1+u)) / u for u > 0.
double excess_ratio(double u) {
  if (u == 0.0) return 0.0;
  return u <= 0.5 ? excess_series(u) / u : 1.0 - std::log1p(u) / u;
}

// kl(p||p e^-t) / p and its derivative in t, both increasing.
struct Descent {
  double value;
  double slope;
};
Descent descend(double p, double rest, double t) {
  const double w = -std::expm1(-t);  // 1 - q/p
  const double first = w <= 0.5 ? excess_series(-w) : t - w;
  return {first + w * excess_ratio(p * w / rest), w / (rest + p * w)};
}

void check_inverse(double log_p, double budget) {
  detail::need(log_p <= 0.0, "kl: a probability of at most 1 is expected");
  detail::need(budget >= 0.0, "kl: a budget of at least 0 is expected");
}

}  // namespace

double bernoulli_kl(double p, double q) {
  detail::need(p >= 0.0 && p <= 1.0 && q >= 0.0 && q <= 1.0,
               "kl: probabilities in [0, 1] are expected");
  if (p == q) return 0.0;
  return half(p, q - p, std::log(q) - std::log(p)) +
         half(1.0 - p, p - q, std::log1p(-q) - std::log1p(-p));
}

double bernoulli_kl_of_logs(double log_p, double log_q) {
  detail::need(log_p <= 0.0 && log_q <= 0.0,
               "kl: probabilities in [0, 1] are expected");
  if (log_p == log_q) return 0.0;
  const double p = std::exp(log_p);
  // q - p from the larger of the two, so that close ones keep their digits.
  const double diff = log_q > log_p
                          ? -std::exp(log_q) * std::expm1(log_p - log_q)
                          : p * std::expm1(log_q - log_p);
  return half(p, diff, log_q - log_p) +
         half(-std::expm1(log_p), -diff,
              log_one_minus_exp(log_q) - log_one_minus_exp(log_p));
}

double log_kl_lower(double log_p, double budget) {
  check_inverse(log_p, budget);
  if (budget == 0.0 || log_p == -kInfinity) return log_p;
  if (log_p == 0.0) return -budget;
  const double p = std::exp(log_p);
  const double rest = -std::expm1(log_p);
  const double wanted = std::exp(std::log(budget) - log_p);  // budget / p
  // t - 1 + exp(-t) >= t^2 / (2+t): from here Newton comes down monotonically
  // on a convex function, and stops on the safe side.
  double t = 0.5 * (wanted + std::sqrt(wanted) * std::sqrt(wanted + 8.0));
  if (!std::isfinite(t)) return -kInfinity;
  for (int step = 0; step < kMaxSteps; ++step) {
    const Descent at = descend(p, rest, t);
    const double next = t - (at.value - wanted) / at.slope;
    if (!(next < t) || !(next > 0.0)) break;
    t = next;
  }
  return log_p - t;
}

double log_kl_upper(double log_p, double budget) {
  check_inverse(log_p, budget);
  if (budget == 0.0 || log_p == 0.0) return log_p;
  if (std::isinf(budget)) return 0.0;
  const double p = std::exp(log_p);
  const double rest = -std::expm1(log_p);  // 1 - p
  const double log_rest = log_one_minus_exp(log_p);
  const double first = p == 0.0 ? 0.0 : -p * log_p;
  // x = -log(1-q): kl is convex in x and at least rest x - entropy(p).
  double x = (budget + first - rest * log_rest) / rest;
  for (int step = 0; step < kMaxSteps && p > 0.0; ++step) {
    const double q = -std::expm1(-x);
    if (!(q > p)) break;
    const double value = half(p, q - p, log_one_minus_exp(-x) - log_p) +
                         half(rest, p - q, -x - log_rest);
    const double next = x - (value - budget) * q / (q - p);
    if (!(next < x) || !(next > 0.0)) break;
    x = next;
  }
  return std::max(log_p, log_one_minus_exp(-x));
}

}  // namespace sbog
