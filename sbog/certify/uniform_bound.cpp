// SPDX-License-Identifier: Apache-2.0
// See uniform_bound.h.
#include "sbog/certify/uniform_bound.h"

#include <cmath>
#include <limits>

#include "sbog/certify/detail/checks.h"
#include "sbog/certify/detail/words.h"
#include "sbog/energy/energy_model.h"

namespace sbog {
namespace {

constexpr int kPerDecade = 100;
constexpr int kDecades = 16;  // from 1e-15 to 10

double deviation_at(const UniformSetting& setting, double h) {
  const double log_balls = setting.dim * std::log1p(2.0 / h);
  return std::sqrt((std::log(2.0 / setting.delta) + log_balls) /
                   (2.0 * setting.count)) +
         2.0 * setting.lipschitz * h / setting.epsilon;
}

std::string reason_of(const UniformBound& bound,
                      const UniformSetting& setting) {
  const std::string points =
      detail::grouped(setting.count) + " reference points";
  if (bound.needed_support > 1.0) {
    return "Vacuous: with " + points +
           " the bound needs a support of more than 1 everywhere, which no law "
           "has.";
  }
  return "Vacuous: with " + points + " the bound needs a support of at least " +
         detail::rounded(bound.needed_support) +
         " everywhere in the space, and the smallest one is " +
         detail::rounded_exp(setting.log_min_support) + ".";
}

}  // namespace

UniformBound uniform_bound(const UniformSetting& setting) {
  check_epsilon(setting.epsilon);
  detail::check_count(setting.count);
  detail::check_count(setting.dim, "dim");
  detail::check_failure(setting.delta);
  detail::need(setting.lipschitz > 0.0 && std::isfinite(setting.lipschitz),
               "lipschitz: a finite number above 0 is expected");
  detail::need(setting.log_min_support <= 0.0,
               "smallest support: at most 1 is expected");
  UniformBound bound;
  bound.deviation = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= kPerDecade * kDecades; ++i) {
    const double h = std::pow(10.0, static_cast<double>(i) / kPerDecade - 15.0);
    const double u = deviation_at(setting, h);
    if (u >= bound.deviation) continue;
    bound.deviation = u;
    bound.radius = h;
  }
  bound.needed_support = 2.0 * bound.deviation;
  bound.is_vacuous =
      !(std::log(bound.needed_support) <= setting.log_min_support);
  if (bound.is_vacuous) {
    bound.error = std::numeric_limits<double>::infinity();
    bound.reason = reason_of(bound, setting);
  } else {
    bound.error = 2.0 * setting.epsilon * bound.deviation *
                  std::exp(-setting.log_min_support);
  }
  return bound;
}

double log_sphere_support(double epsilon) {
  check_epsilon(epsilon);
  return -2.0 / epsilon;
}

}  // namespace sbog
