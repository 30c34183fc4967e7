// SPDX-License-Identifier: Apache-2.0
// Everything that a stress test says about a model, from its answers.
#pragma once

#include <optional>
#include <vector>

#include "sbog/stress/cases.h"
#include "sbog/stress/gate.h"
#include "sbog/stress/measures.h"
#include "sbog/stress/outcomes.h"
#include "sbog/stress/weak_spots.h"

namespace sbog::stress {

/// What is asked of the answers.
struct VerdictOptions {
  AnswerRules rules;
  double tolerance = 0.1;  ///< share of failures that makes no weak spot
  std::vector<Gate> gates;
};

/// See the top of the file.
struct Verdict {
  Outcomes outcomes;
  Measures overall;
  Share control_failures;
  std::vector<GroupMeasures> curve;   ///< by severity; empty: none is known
  std::vector<GroupMeasures> groups;  ///< see measure_groups
  WeakSpots weak;
  /// The smallest severity that is detected, rejected or below the limit in at
  /// least 90 % of its cases.
  std::optional<int> severity_passed;
  /// The smallest severity of which less than half are failures: for a
  /// classifier where the accepted share falls below 0.5.
  std::optional<int> severity_below_half;
  std::vector<GateResult> gates;

  /// Whether every gate is passed.
  bool is_passed() const;
};

/// Throws InvalidArgument as read_answers, find_weak_spots and check_gate do.
Verdict judge(const Cases& cases, MatrixView<const double> answers,
              MatrixView<const double> control_answers,
              const VerdictOptions& options);

}  // namespace sbog::stress
