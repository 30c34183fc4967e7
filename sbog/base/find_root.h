// SPDX-License-Identifier: Apache-2.0
// A root of a function between two places where its signs differ.
//
// Regula falsi in the form that halves the weight of an end that stays, so that
// both ends close in. Where a value is not finite the interval is halved.
#pragma once

#include <cmath>

namespace sbog {

/// How far a root is followed.
struct RootOptions {
  int most_steps = 60;
  double tolerance = 1e-9;  ///< of the place
  /// Every so many steps the interval is halved, for functions with flat
  /// stretches. With 0 it never is; then a step that moves by no more than the
  /// tolerance ends the search, too.
  int halve_every = 0;
};

/// Two ends, in any order, with the values there.
struct RootInterval {
  double a = 0.0;
  double b = 0.0;
  double at_a = 0.0;
  double at_b = 0.0;

  /// An end that is a root, or the middle.
  double root() const {
    if (at_a == 0.0) return a;
    return at_b == 0.0 ? b : 0.5 * (a + b);
  }
};

/// Closes in on a root of `function`, whose values at the ends have different
/// signs or are 0. In the interval that is returned a value may be a fraction
/// of the function's.
template <typename Function>
RootInterval find_root(Function&& function, RootInterval ends,
                       const RootOptions& options) {
  int stayed = 0;
  double last = ends.b;
  for (int i = 0; i < options.most_steps; ++i) {
    if (!(std::abs(ends.b - ends.a) > options.tolerance)) break;
    if (ends.at_a == 0.0 || ends.at_b == 0.0) break;
    const bool is_halved = !std::isfinite(ends.at_a) ||
                           !std::isfinite(ends.at_b) ||
                           (options.halve_every > 0 &&
                            i % options.halve_every == options.halve_every - 1);
    const double cut = is_halved ? 0.5 * (ends.a + ends.b)
                                 : (ends.a * ends.at_b - ends.b * ends.at_a) /
                                       (ends.at_b - ends.at_a);
    const double at_cut = function(cut);
    if (at_cut * ends.at_a > 0.0) {
      ends.a = cut;
      ends.at_a = at_cut;
      if (stayed == 1) ends.at_b *= 0.5;
      stayed = 1;
    } else {
      ends.b = cut;
      ends.at_b = at_cut;
      if (stayed == -1) ends.at_a *= 0.5;
      stayed = -1;
    }
    if (options.halve_every == 0 && std::abs(cut - last) <= options.tolerance) {
      break;
    }
    last = cut;
  }
  return ends;
}

}  // namespace sbog
