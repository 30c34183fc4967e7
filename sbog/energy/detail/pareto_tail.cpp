// SPDX-License-Identifier: Apache-2.0
// The likelihood of pareto_tail.h: a safeguarded root in xi, with the best
// beta of every xi found by Newton's steps.
#include "sbog/energy/detail/pareto_tail.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sbog/base/find_root.h"

namespace sbog::detail {
namespace {

constexpr double kNearZero = 1e-4;  // where the series take over
constexpr double kShapeTolerance = 1e-9;
constexpr double kScaleTolerance = 1e-11;
constexpr int kMostFitSteps = 60;

// log(1 + x) / x.
double log_ratio(double x) {
  if (std::abs(x) > kNearZero) return std::log1p(x) / x;
  return 1.0 - x * (0.5 - x * (1.0 / 3.0 - x * 0.25));
}

// (log(1 + x) - x) / x^2.
double second_log_ratio(double x) {
  if (std::abs(x) > kNearZero) return (std::log1p(x) - x) / (x * x);
  return -0.5 + x * (1.0 / 3.0 - x * (0.25 - x * 0.2));
}

// (exp(x) - 1) / x.
double exp_ratio(double x) {
  if (std::abs(x) > kNearZero) return std::expm1(x) / x;
  return 1.0 + x * (0.5 + x * (1.0 / 6.0 + x / 24.0));
}

class Likelihood {
 public:
  explicit Likelihood(std::span<const double> excesses)
      : excesses_(excesses),
        largest_(*std::max_element(excesses.begin(), excesses.end())) {}

  // The scale that is best for a shape: the one root of
  // m - (1 + xi) sum z / (1 + xi z), which increases with beta.
  double best_scale(double shape, double guess) const {
    double low = std::max(0.0, -shape * largest_);
    double high = 0.0;  // not known yet
    double scale = std::max(guess, low * (1.0 + 1e-9));
    for (int i = 0; i < kMostFitSteps; ++i) {
      double sum = 0.0;
      double slope = 0.0;
      for (const double y : excesses_) {
        const double part = y / (scale + shape * y);  // z / (1 + xi z)
        sum += part;
        slope += part / (scale + shape * y);
      }
      const double m = static_cast<double>(excesses_.size());
      const double value = m - (1.0 + shape) * sum;
      (value > 0.0 ? high : low) = scale;
      // Newton on 1 / sum, which is nearly linear in the scale.
      double next = scale + ((1.0 + shape) * sum / m - 1.0) * sum / slope;
      if (!(next > low) || (high > 0.0 && !(next < high))) {
        next = high > 0.0 ? 0.5 * (low + high) : 2.0 * scale;
      }
      const bool is_done = std::abs(next - scale) <= kScaleTolerance * scale;
      scale = next;
      if (is_done) break;
    }
    return scale;
  }

  // Derivative in the shape of the negative logarithm of likelihood and
  // penalty, at the best scale; written so that nothing is divided by xi.
  double slope(const ParetoTail& law) const {
    double sum = 0.0;
    for (const double y : excesses_) {
      const double z = y / law.scale;
      const double x = law.shape * z;
      sum += z * ((1.0 - z) / (1.0 + x) - z * second_log_ratio(x));
    }
    return sum + law.shape / (kShapeDeviation * kShapeDeviation);
  }

 private:
  std::span<const double> excesses_;
  double largest_;
};

}  // namespace

double ParetoTail::survival(double excess) const {
  const double z = excess / scale;
  const double x = shape * z;
  if (!(x > -1.0)) return 0.0;
  if (std::isinf(z)) return 0.0;
  return std::exp(-z * log_ratio(x));
}

double ParetoTail::excess_at(double probability) const {
  const double log_odds = -std::log(probability);
  return scale * log_odds * exp_ratio(shape * log_odds);
}

double penalised_loss(std::span<const double> excesses, const ParetoTail& law) {
  double sum = 0.0;
  for (const double y : excesses) {
    const double z = y / law.scale;
    const double x = law.shape * z;
    if (!(x > -1.0)) return std::numeric_limits<double>::infinity();
    const double ratio = log_ratio(x);
    sum += x * ratio + z * ratio;  // (1 + 1 / xi) log(1 + xi z)
  }
  const double deviations = law.shape / kShapeDeviation;
  return static_cast<double>(excesses.size()) * std::log(law.scale) + sum +
         0.5 * deviations * deviations;
}

ParetoTail fit_pareto_tail(std::span<const double> excesses,
                           const ParetoTail& start) {
  const Likelihood likelihood(excesses);
  ParetoTail law = start;
  const auto slope_at = [&](double shape) {
    law.shape = shape;
    law.scale = likelihood.best_scale(shape, law.scale);
    return likelihood.slope(law);
  };
  // Bracket the root from the start, by steps of about its uncertainty.
  double a = std::clamp(start.shape, -kShapeLimit, kShapeLimit);
  double at_a = slope_at(a);
  double step = 1.5 / std::sqrt(static_cast<double>(excesses.size()) + 25.0);
  double b = a;
  double at_b = at_a;
  while (at_a * at_b > 0.0) {
    a = b;
    at_a = at_b;
    const double end = at_b > 0.0 ? -kShapeLimit : kShapeLimit;
    if (b == end) return law;
    b = std::clamp(at_b > 0.0 ? b - step : b + step, -kShapeLimit, kShapeLimit);
    at_b = slope_at(b);
    step *= 2.0;
  }
  find_root(slope_at, {a, b, at_a, at_b}, {kMostFitSteps, kShapeTolerance});
  return law;
}

ParetoTail fit_pareto_tail(std::span<const double> excesses) {
  double sum = 0.0;
  for (const double y : excesses) sum += y;
  return fit_pareto_tail(excesses,
                         {0.0, sum / static_cast<double>(excesses.size())});
}

}  // namespace sbog::detail
