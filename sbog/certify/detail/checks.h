// SPDX-License-Identifier: Apache-2.0
// Checks and a constant that the calculators of this room share.
#pragma once

#include <cmath>
#include <limits>
#include <string>

#include "sbog/base/errors.h"

namespace sbog {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace sbog

namespace sbog::detail {

/// Throws InvalidArgument with the sentence unless `holds`.
inline void need(bool holds, const std::string& sentence) {
  if (!holds) throw InvalidArgument(sentence);
}

/// A probability of failure must lie strictly between 0 and 1.
inline void check_failure(double value, const char* name = "delta") {
  need(value > 0.0 && value < 1.0,
       std::string(name) +
           ": a probability strictly between 0 and 1 is expected, got " +
           std::to_string(value));
}

/// A number of points; real, because effective counts are.
inline void check_count(double value, const char* name = "n") {
  need(value >= 1.0 && std::isfinite(value),
       std::string(name) + ": a finite number of at least 1 is expected, got " +
           std::to_string(value));
}

}  // namespace sbog::detail
