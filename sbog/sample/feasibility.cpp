// SPDX-License-Identifier: Apache-2.0
// The tests of feasibility.h.
#include "sbog/sample/feasibility.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace sbog {

void FailureCounts::add(const FailureCounts& other) {
  proposals += other.proposals;
  energy += other.energy;
  semantic += other.semantic;
  seed += other.seed;
  invalid += other.invalid;
}

FeasibleSet filter_feasible(const ProposalScores& scores, const Limits& limits,
                            const std::vector<bool>& is_valid) {
  FeasibleSet set;
  set.failures.proposals = scores.scores.size();
  for (std::size_t j = 0; j < scores.scores.size(); ++j) {
    if (!is_valid.empty() && !is_valid[j]) {
      ++set.failures.invalid;
      continue;
    }
    const double score = scores.scores[j];
    set.highest_score = std::max(set.highest_score, score);
    const bool is_outside =
        !(score >= limits.threshold && score <= limits.ceiling) ||
        (std::isinf(score) && !limits.allow_unsupported);
    // Written so that NaN fails.
    const bool is_foreign = !scores.class_cosines.empty() &&
                            !(scores.class_cosines[j] >= limits.semantic_floor);
    const bool is_far = !scores.seed_cosines.empty() &&
                        !(scores.seed_cosines[j] >= limits.seed_floor);
    set.failures.energy += is_outside ? 1 : 0;
    set.failures.semantic += is_foreign ? 1 : 0;
    set.failures.seed += is_far ? 1 : 0;
    if (!is_outside && !is_foreign && !is_far) set.proposals.push_back(j);
  }
  return set;
}

const char* to_string(Constraint constraint) {
  switch (constraint) {
    case Constraint::kNone:
      return "none";
    case Constraint::kEnergy:
      return "energy";
    case Constraint::kSemantic:
      return "semantic";
    case Constraint::kSeed:
      return "seed";
    case Constraint::kProjection:
      return "projection";
    case Constraint::kBoundary:
      return "boundary";
    case Constraint::kDecoding:
      return "decoding";
  }
  return "unknown";
}

Constraint binding_constraint(const FailureCounts& failures) {
  const std::array<std::pair<std::uint64_t, Constraint>, 4> counts = {{
      {failures.energy, Constraint::kEnergy},
      {failures.semantic, Constraint::kSemantic},
      {failures.seed, Constraint::kSeed},
      {failures.invalid, Constraint::kProjection},
  }};
  const auto most = std::max_element(
      counts.begin(), counts.end(),
      [](const auto& a, const auto& b) { return a.first < b.first; });
  return most->first == 0 ? Constraint::kNone : most->second;
}

}  // namespace sbog
