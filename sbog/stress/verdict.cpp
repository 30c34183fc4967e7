// SPDX-License-Identifier: Apache-2.0
// See verdict.h.
#include "sbog/stress/verdict.h"

#include <algorithm>

namespace sbog::stress {
namespace {

constexpr double kPassedShare = 0.9;
constexpr double kHalf = 0.5;

}  // namespace

bool Verdict::is_passed() const {
  return std::all_of(gates.begin(), gates.end(),
                     [](const GateResult& gate) { return gate.is_passed; });
}

Verdict judge(const Cases& cases, MatrixView<const double> answers,
              MatrixView<const double> control_answers,
              const VerdictOptions& options) {
  for (const Gate& gate : options.gates) check_gate(gate, options.rules.task);
  Verdict verdict;
  verdict.outcomes =
      read_answers(cases, answers, control_answers, options.rules);
  const Outcomes& outcomes = verdict.outcomes;
  verdict.overall = measure(outcomes, cases_at(cases, std::nullopt));
  verdict.control_failures =
      make_share(outcomes.control_failures, outcomes.controls.size());
  verdict.curve = measure_severities(cases, outcomes);
  verdict.groups = measure_groups(cases, outcomes);
  verdict.weak =
      find_weak_spots(cases, outcomes, verdict.groups, options.tolerance);
  verdict.severity_passed = smallest_passed(verdict.curve, kPassedShare);
  verdict.severity_below_half = smallest_below(verdict.curve, kHalf);
  for (const Gate& gate : options.gates) {
    verdict.gates.push_back(apply_gate(gate, cases, outcomes));
  }
  return verdict;
}

}  // namespace sbog::stress
