// SPDX-License-Identifier: Apache-2.0
// Numbers that are known to many digits from arithmetic with 50 of them, each
// with the call of the library that must give it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sbog/base/progress.h"

namespace sbog::cli {

/// One known number.
struct GoldenCheck {
  std::string name;  ///< what is computed, in a few words
  double expected = 0.0;
  double tolerance = 0.0;  ///< relative to |expected|; 0: exactly equal
  /// Computes it, once or many times over: every entry must be the expected
  /// one, and at least one is needed.
  std::function<std::vector<double>(const Context&)> compute;
};

/// Energies, derivatives, thresholds, sampler, worst cases, certificates,
/// metrics and random streams; together well below a second.
std::vector<GoldenCheck> golden_checks();

}  // namespace sbog::cli
