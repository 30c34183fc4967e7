// SPDX-License-Identifier: Apache-2.0
// See support_interval.h.
#include "sbog/certify/support_interval.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sbog/certify/bernoulli_kl.h"
#include "sbog/certify/detail/checks.h"
#include "sbog/energy/energy_model.h"

namespace sbog {
namespace {

void check_sample(const SupportSample& sample, double failure) {
  detail::check_failure(failure, "failure");
  detail::need(sample.log_mean <= 0.0,
               "interval: a mean support of at most 1 is expected");
  detail::need(sample.variance >= 0.0,
               "interval: a variance of at least 0 is expected");
}

}  // namespace

LogInterval kl_interval(const SupportSample& sample, double failure) {
  check_sample(sample, failure);
  detail::check_count(sample.count);
  const double budget = std::log(2.0 / failure) / sample.count;
  return {log_kl_lower(sample.log_mean, budget),
          log_kl_upper(sample.log_mean, budget)};
}

LogInterval bernstein_interval(const SupportSample& sample, double failure) {
  check_sample(sample, failure);
  detail::check_count(sample.count);
  if (!(sample.count > 1.0)) return {-kInfinity, 0.0};
  const double y = std::log(4.0 / failure);
  const double mean = std::exp(sample.log_mean);
  const double width = std::sqrt(2.0 * sample.variance * y / sample.count) +
                       7.0 * y / (3.0 * (sample.count - 1.0));
  const double low = mean - width;
  return {low > 0.0 ? std::log(low) : -kInfinity,
          std::log(std::min(1.0, mean + width))};
}

LogInterval combined_interval(const SupportSample& sample, double failure) {
  detail::check_failure(failure, "failure");
  const LogInterval kl = kl_interval(sample, 0.5 * failure);
  const LogInterval bernstein = bernstein_interval(sample, 0.5 * failure);
  // Both hold the mean, so they meet; rounding must not part them.
  return {std::min(sample.log_mean, std::max(kl.low, bernstein.low)),
          std::max(sample.log_mean, std::min(kl.high, bernstein.high))};
}

Interval energy_interval(const LogInterval& support, double epsilon) {
  check_epsilon(epsilon);
  // 0 - x rather than -x: no energy is a negative zero.
  return {std::max(0.0, 0.0 - epsilon * support.high),
          std::max(0.0, 0.0 - epsilon * support.low)};
}

DecisionLabel label_decision(const Interval& energies, double threshold) {
  detail::need(!std::isnan(threshold), "threshold: a number is expected");
  if (energies.low >= threshold) return DecisionLabel::kCertifiedAccept;
  if (energies.high < threshold) return DecisionLabel::kCertifiedReject;
  return DecisionLabel::kUndecided;
}

const char* to_string(DecisionLabel label) {
  switch (label) {
    case DecisionLabel::kCertifiedAccept:
      return "certified accept";
    case DecisionLabel::kCertifiedReject:
      return "certified reject";
    case DecisionLabel::kUndecided:
      return "undecided";
  }
  return "unknown";
}

double required_count(const SupportSample& sample, double failure,
                      double epsilon, double threshold) {
  check_sample(sample, failure);
  check_epsilon(epsilon);
  detail::need(!std::isnan(threshold), "threshold: a number is expected");
  if (threshold <= 0.0) return 1.0;  // every energy is at least 0
  const double log_kappa = -threshold / epsilon;
  if (std::isinf(threshold) || log_kappa == sample.log_mean) return kInfinity;
  const double by_kl = std::log(4.0 / failure) /
                       bernoulli_kl_of_logs(sample.log_mean, log_kappa);
  // gap = a x^2 + b x with x = 1/sqrt(n-1), sqrt(1/n) rounded up to x.
  const double y = std::log(8.0 / failure);
  const double gap = std::abs(std::exp(log_kappa) - std::exp(sample.log_mean));
  const double a = 7.0 * y / 3.0;
  const double b = std::sqrt(2.0 * sample.variance * y);
  const double x = 2.0 * gap / (b + std::sqrt(b * b + 4.0 * a * gap));
  return std::max(1.0, std::min(by_kl, 1.0 + 1.0 / (x * x)));
}

}  // namespace sbog
