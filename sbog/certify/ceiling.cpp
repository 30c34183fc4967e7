// SPDX-License-Identifier: Apache-2.0
// See ceiling.h.
#include "sbog/certify/ceiling.h"

#include <algorithm>
#include <cmath>

#include "sbog/certify/detail/checks.h"
#include "sbog/energy/energy_model.h"

namespace sbog {
namespace {

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
