// SPDX-License-Identifier: Apache-2.0
// What is required of a model, as a sentence that a machine reads:
//
//   MEASURE >=|<=|>|< NUMBER [at severity N] [for GROUPING GROUP]
//   detection >= 0.9 at severity 2
//   accepted <= 5 % for class 2
//   detection >= 0.8 at severity 3 for kind x channel level x pressure
//
// Measures: of a detector `detection`, `delay`, `false-alarms`; of a classifier
// `accepted`, `other`, `confidence`; of a loss `mean`, `q95`, `above`; of all
// of them `failure` and `auroc`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sbog/stress/measures.h"

namespace sbog::stress {

/// How a number is compared with the required one.
enum class Comparison { kAtLeast, kAtMost, kAbove, kBelow };

/// A requirement.
struct Gate {
  std::string text;     ///< as given
  std::string measure;  ///< one of gate_measures()
  Comparison comparison = Comparison::kAtLeast;
  double required = 0.0;
  std::optional<int> severity;
  std::string grouping;  ///< empty: all cases
  std::string level;
};

/// The names of all measures.
const std::vector<std::string>& gate_measures();

/// Reads a requirement; `groupings` are the names of groupings it may mention.
/// Throws InvalidArgument that says which word is not understood, and what was
/// expected.
Gate parse_gate(std::string_view text,
                const std::vector<std::string>& groupings);

/// Throws InvalidArgument for a measure that a model of the task does not have.
void check_gate(const Gate& gate, Task task);

/// What came of a requirement.
struct GateResult {
  Gate gate;
  bool is_passed = false;
  /// Nothing where no case or control says anything: not passed.
  std::optional<double> value;
  std::optional<Interval> interval;  ///< of shares, 95 %
  std::size_t cases = 0;             ///< that the value is of
};

/// Compares the measured value, not an end of its interval.
GateResult apply_gate(const Gate& gate, const Cases& cases,
                      const Outcomes& outcomes);

}  // namespace sbog::stress
