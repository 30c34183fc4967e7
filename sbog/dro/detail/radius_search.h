// SPDX-License-Identifier: Apache-2.0
// The search for the theta at which the divergence D(theta), which grows from 0
// to D_max, reaches a target: Newton in log theta on log D, or on the distance
// to D_max when the target is near it, inside a bracket. Theta itself is kept:
// its logarithm would lose digits.
#pragma once

#include <cstddef>
#include <limits>

#include "sbog/dro/detail/tilt_problem.h"

namespace sbog::detail {

/// One search; evaluations may come from outside, so that several searches
/// share the passes.
class RadiusSearch {
 public:
  /// 0 < target < max_divergence; `variance` is the one at theta = 0. Done at
  /// |D - target| <= tolerance * target, or where rounding allows no more.
  RadiusSearch(double target, double max_divergence, double variance,
               double tolerance);

  bool is_done() const { return is_done_; }
  /// Where the next evaluation is wanted, or the solution.
  double theta() const { return theta_; }
  /// What was found at theta().
  void observe(const TiltMoments& moments);
  /// What was found at another theta: only tightens the bracket.
  void learn(double theta, const TiltMoments& moments);
  /// Evaluations that were wanted and made.
  std::size_t evaluation_count() const { return evaluations_; }

 private:
  bool is_bracketed() const {
    return low_ > 0.0 && high_ < std::numeric_limits<double>::infinity();
  }
  bool is_solved(const TiltMoments& moments, double excess) const;
  double middle() const;
  double newton_step(const TiltMoments& moments, double excess) const;
  void choose_next(double step, double excess);

  double target_;
  double max_divergence_;
  double tolerance_;
  double theta_ = 1.0;
  double low_ = 0.0;  // theta is above
  double high_ = std::numeric_limits<double>::infinity();
  double step_limit_;
  double last_excess_ = std::numeric_limits<double>::infinity();
  std::size_t evaluations_ = 0;
  bool is_done_ = false;
};

}  // namespace sbog::detail
