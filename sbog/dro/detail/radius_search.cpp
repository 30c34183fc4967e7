// SPDX-License-Identifier: Apache-2.0
// Implementation of radius_search.h.
#include "sbog/dro/detail/radius_search.h"

#include <algorithm>
#include <cmath>

#include "sbog/dro/detail/tilt_kernel.h"

namespace sbog::detail {
namespace {

constexpr double kUnit = std::numeric_limits<double>::epsilon();
constexpr double kFirstStep = 1.3862943611198906;  // log 4
// Beyond these nothing changes any more.
constexpr double kLowestTheta = 1e-287;
constexpr double kHighestTheta = 1e287;
// When Newton no longer gains, or has tried this often, a gap that is closed
// and a residual that is small are enough.
constexpr double kStuckResidual = 1e-11;
constexpr double kStuckGap = 1e-14;
constexpr double kLateGap = 1e-13;
constexpr std::size_t kLate = 20;

}  // namespace

RadiusSearch::RadiusSearch(double target, double max_divergence,
                           double variance, double tolerance)
    : target_(target),
      max_divergence_(max_divergence),
      tolerance_(tolerance),
      step_limit_(kFirstStep) {
  // D = theta^2 variance / 2 for small theta.
  if (variance > 0.0) {
    theta_ =
        std::clamp(std::sqrt(2.0) * std::sqrt(target) / std::sqrt(variance),
                   kLowestTheta, kHighestTheta);
  }
}

double RadiusSearch::middle() const {
  return std::sqrt(low_) * std::sqrt(high_);
}

void RadiusSearch::learn(double theta, const TiltMoments& moments) {
  if (is_done_) return;
  const bool is_below = moments.log_divergence < std::log(target_);
  // Rounding must not turn the bracket over.
  if (is_below ? theta >= high_ : theta <= low_) return;
  if (is_below) {
    low_ = std::max(low_, theta);
  } else {
    high_ = std::min(high_, theta);
  }
  if (theta_ > low_ && theta_ < high_) return;
  if (is_bracketed()) {
    theta_ = middle();
  } else {
    theta_ = low_ > 0.0 ? low_ * std::exp(step_limit_)
                        : high_ * std::exp(-step_limit_);
  }
}

bool RadiusSearch::is_solved(const TiltMoments& moments, double excess) const {
  const double residual = std::abs(moments.divergence - target_);
  // A target may be too small for differences.
  const double relative =
      target_ > 1e-280 ? residual / target_ : std::abs(excess);
  if (relative <= tolerance_ || residual <= kUnit * moments.magnitude) {
    return true;
  }
  // Rounding of the log weights grows with theta. The duality gap is
  // (target - D) / theta of the range of the losses.
  if (theta_ < kSmallTheta || relative > kStuckResidual) return false;
  const bool is_stuck =
      std::abs(excess) > 0.5 * last_excess_ && residual <= kStuckGap * theta_;
  return is_stuck || (evaluations_ >= kLate && residual <= kLateGap * theta_);
}

void RadiusSearch::observe(const TiltMoments& moments) {
  ++evaluations_;
  const double excess = moments.log_divergence - std::log(target_);
  is_done_ = is_solved(moments, excess);
  if (is_done_) return;
  const bool is_below = excess < 0.0;
  (is_below ? low_ : high_) = theta_;
  is_done_ = (is_below ? theta_ >= kHighestTheta : theta_ <= kLowestTheta) ||
             (is_bracketed() && high_ - low_ <= 2.0 * kUnit * high_);
  if (!is_done_) choose_next(newton_step(moments, excess), std::abs(excess));
}

// In log theta; NaN where there is none.
double RadiusSearch::newton_step(const TiltMoments& moments,
                                 double excess) const {
  const double slope = theta_ * moments.variance;  // dD / dtheta
  const double left = max_divergence_ - moments.divergence;
  const double wanted = max_divergence_ - target_;
  if (target_ > 0.5 * max_divergence_ && moments.divergence > 0.25 * target_ &&
      left > 0.0 && wanted > 0.0) {
    // log(D_max - D) is nearly linear in theta.
    return std::log1p(std::log(left / wanted) * left / slope / theta_);
  }
  const double log_theta = std::log(theta_);
  return -excess * std::exp(moments.log_divergence - 2.0 * log_theta) /
         moments.variance;
}

void RadiusSearch::choose_next(double step, double excess) {
  if (!is_bracketed()) {
    // A step in the right direction, at least a little and at most the limit.
    const bool goes_up = theta_ == low_;
    double size = goes_up ? step : -step;
    if (!(size > 0.0)) size = step_limit_;
    size = std::clamp(size, 2.0 * kUnit, step_limit_);
    step_limit_ *= 2.0;
    theta_ = std::clamp(theta_ * std::exp(goes_up ? size : -size), kLowestTheta,
                        kHighestTheta);
  } else {
    const double next = theta_ * std::exp(step);
    const bool is_good =
        next > low_ && next < high_ && excess <= 0.5 * last_excess_;
    theta_ = is_good ? next : middle();
  }
  last_excess_ = excess;
}

}  // namespace sbog::detail
