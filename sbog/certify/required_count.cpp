// SPDX-License-Identifier: Apache-2.0
// See required_count.h.
#include "sbog/certify/required_count.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "sbog/certify/bernoulli_kl.h"
#include "sbog/certify/detail/checks.h"
#include "sbog/energy/energy_model.h"

namespace sbog {
namespace {

void check_setting(const PoolSetting& setting) {
  check_epsilon(setting.epsilon);
  detail::check_failure(setting.delta);
  detail::check_count(setting.pool, "pool");
  detail::need(std::isfinite(setting.threshold) && setting.threshold >= 0.0,
               "threshold: a finite number of at least 0 is expected");
  detail::need(std::isfinite(setting.margin) && setting.margin > 0.0,
               "margin: a finite number above 0 is expected");
  detail::need(
      !setting.highest_energy || *setting.highest_energy >= setting.threshold,
      "highest energy: at least the threshold is expected");
}

double log_min_support(const PoolSetting& setting) {
  return -setting.highest_energy.value_or(setting.threshold + setting.margin) /
         setting.epsilon;
}

// b - 1 + exp(-b) for b > 0.
double phi(double b) { return b + std::expm1(-b); }

// Rates kl(kappa||K(v)).
std::vector<double> flip_rates(std::span<const double> energies,
                               double threshold, double epsilon) {
  check_epsilon(epsilon);
  detail::need(std::isfinite(threshold) && threshold >= 0.0,
               "threshold: a finite number of at least 0 is expected");
  std::vector<double> rates;
  rates.reserve(energies.size());
  for (const double energy : energies) {
    detail::need(energy >= 0.0, "energies: numbers of at least 0 are expected");
    rates.push_back(
        bernoulli_kl_of_logs(-threshold / epsilon, -energy / epsilon));
  }
  return rates;
}

double flip_sum(const std::vector<double>& rates, double count) {
  double sum = 0.0;
  for (const double rate : rates) sum += std::exp(-count * rate);
  return sum;
}

// log(1 / (1 - failure^(1/n))) > 0.
double log_room(double count, double failure) {
  detail::check_count(count);
  detail::check_failure(failure, "failure");
  return -std::log(-std::expm1(std::log(failure) / count));
}

void check_threshold(double threshold) {
  detail::need(threshold >= 0.0 && std::isfinite(threshold),
               "threshold: a finite number of at least 0 is expected");
}

}  // namespace

RequiredCounts required_counts(const PoolSetting& setting) {
  check_setting(setting);
  RequiredCounts counts;
  counts.log_min_support = log_min_support(setting);
  const double two_sided = std::log(2.0 * setting.pool / setting.delta);
  const double one_sided = std::log(setting.pool / setting.delta);
  const double b = setting.margin / setting.epsilon;
  const double log_kappa = -setting.threshold / setting.epsilon;
  const double hoeffding_factor =
      std::max(2.0, 8.0 / (b * b));  // times 1 / Kmin^2
  counts.hoeffding =
      two_sided * hoeffding_factor * std::exp(-2.0 * counts.log_min_support);
  const double lower = bernoulli_kl_of_logs(counts.log_min_support - 0.5 * b,
                                            counts.log_min_support);
  // A mean above 1 cannot be.
  const double raised = counts.log_min_support + 0.5 * b;
  const double upper =
      raised > 0.0 ? kInfinity
                   : bernoulli_kl_of_logs(raised, counts.log_min_support);
  counts.relative = two_sided / std::min(lower, upper);
  counts.one_sided = one_sided / bernoulli_kl_of_logs(log_kappa, log_kappa - b);
  counts.one_sided_closed = one_sided / (std::exp(log_kappa) * phi(b));
  return counts;
}

double flip_probability(std::span<const double> energies, double threshold,
                        double epsilon, double count) {
  detail::check_count(count);
  return std::min(1.0,
                  flip_sum(flip_rates(energies, threshold, epsilon), count));
}

double count_for_flip_probability(std::span<const double> energies,
                                  double threshold, double epsilon,
                                  double delta) {
  detail::check_failure(delta);
  const std::vector<double> rates = flip_rates(energies, threshold, epsilon);
  if (rates.empty() || flip_sum(rates, 1.0) <= delta) return 1.0;
  const double slowest = *std::min_element(rates.begin(), rates.end());
  // All terms at most that of the slowest rate, and the slowest one is there.
  double low = std::max(1.0, std::log(1.0 / delta) / slowest);
  double high = std::log(static_cast<double>(rates.size()) / delta) / slowest;
  if (!std::isfinite(high)) return kInfinity;
  high = std::max(low, high) * (1.0 + 1e-12);
  for (int step = 0; step < 100 && high - low > 1e-12 * high; ++step) {
    const double middle = 0.5 * (low + high);
    (flip_sum(rates, middle) <= delta ? high : low) = middle;
  }
  return high;
}

HoeffdingBound hoeffding_bound(const PoolSetting& setting, double count) {
  check_setting(setting);
  detail::check_count(count);
  HoeffdingBound bound;
  bound.deviation =
      std::sqrt(std::log(2.0 * setting.pool / setting.delta) / (2.0 * count));
  const double min_support = std::exp(log_min_support(setting));
  bound.is_vacuous = !(bound.deviation <= 0.5 * min_support);
  bound.error = bound.is_vacuous
                    ? kInfinity
                    : 2.0 * setting.epsilon * bound.deviation / min_support;
  bound.highest_energy =
      std::max(0.0, -setting.epsilon * std::log(2.0 * bound.deviation));
  return bound;
}

double certifiable_ceiling(double epsilon, double count, double failure) {
  check_epsilon(epsilon);
  return epsilon * log_room(count, failure);
}

double smallest_epsilon(double threshold, double count, double failure) {
  check_threshold(threshold);
  return threshold / log_room(count, failure);
}

double smallest_count(double threshold, double epsilon, double failure) {
  check_epsilon(epsilon);
  check_threshold(threshold);
  detail::check_failure(failure, "failure");
  const double kappa = std::exp(-threshold / epsilon);
  return std::max(1.0, std::log(failure) / std::log1p(-kappa));
}

}  // namespace sbog
