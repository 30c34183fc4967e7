// SPDX-License-Identifier: Apache-2.0
// Computes known numbers on this machine in every way that the program could
// choose here, and says which came out wrong.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "about/golden_checks.h"
#include "about/kernel_targets.h"

namespace sbog::cli {

/// What came of one known number.
struct CheckResult {
  std::string name;
  double expected = 0.0;
  double tolerance = 0.0;
  double value = 0.0;      ///< of all that were computed the farthest off
  std::size_t ways = 0;    ///< targets times thread counts
  std::string fault = {};  ///< one sentence about the first; empty: all is well

  bool is_well() const { return fault.empty(); }
};

/// Every check on every supported target, for each number of threads. A value
/// that is off, an exception, and bits that depend on the number of threads
/// are faults. Results are in the order of the checks.
std::vector<CheckResult> run_self_check(std::span<const GoldenCheck> checks,
                                        std::span<const KernelTarget> targets,
                                        std::span<const std::size_t> threads);

}  // namespace sbog::cli
