// SPDX-License-Identifier: Apache-2.0
// What sampling gives: outputs with their provenance, and counts of what
// happened per anchor, for a range of outputs of one class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "sbog/base/status.h"
#include "sbog/sample/feasibility.h"

namespace sbog {

/// How an accepted output came about.
enum class OutputOrigin {
  kRound,      ///< a proposal of a round
  kLangevin,   ///< such a proposal moved to a level
  kSplitting,  ///< multilevel splitting after all rounds had failed
  kRival,      ///< drawn by a rule that has no rounds
};
/// "round", "langevin", "splitting" or "rival".
const char* to_string(OutputOrigin origin);

/// One output asked for. An empty one (is_accepted false) is never replaced.
template <typename T>
struct Output {
  std::size_t k = 0;
  bool is_accepted = false;
  OutputOrigin origin = OutputOrigin::kRound;
  std::size_t rounds = 0;      ///< rounds used
  std::size_t round = 0;       ///< the successful one, from 0
  std::size_t anchor_row = 0;  ///< bank row it started from
  std::size_t anchor = 0;      ///< index among the anchors
  std::size_t proposal = 0;    ///< j within the round
  std::size_t feasible = 0;    ///< proposals of that round that passed
  double score = 0.0;          ///< what ranked it (= energy but for rivals)
  double energy = 0.0;         ///< E in double, on the scoring reference
  double margin = 0.0;         ///< score - threshold
  double class_cosine = std::numeric_limits<double>::quiet_NaN();
  double anchor_cosine = std::numeric_limits<double>::quiet_NaN();
  std::vector<T> point;
};

/// Names the columns of a table of outputs, beside class and point, in order:
/// visit(name, member) for each, with the member of Output that fills it.
template <typename T, typename Visit>
void visit_provenance(Visit&& visit) {
  using O = Output<T>;
  visit("k", &O::k);
  visit("origin", &O::origin);
  visit("anchor_row", &O::anchor_row);
  visit("round", &O::round);
  visit("proposal", &O::proposal);
  visit("feasible", &O::feasible);
  visit("energy", &O::energy);
  visit("score", &O::score);
  visit("margin", &O::margin);
  visit("class_cosine", &O::class_cosine);
  visit("anchor_cosine", &O::anchor_cosine);
}

/// What happened at one anchor.
struct AnchorTally {
  std::uint64_t draws = 0;      ///< rounds that started here
  std::uint64_t successes = 0;  ///< rounds with an accepted output
  double highest_score = -std::numeric_limits<double>::infinity();
  FailureCounts failures;

  void add(const AnchorTally& other);
};

/// Adds the counts of every anchor; both lists are of the same anchors.
void add_tallies(std::vector<AnchorTally>& sums,
                 const std::vector<AnchorTally>& more);

/// A range of outputs of one class, in order.
template <typename T>
struct SampledRange {
  SolveStatus status = SolveStatus::kDone;  ///< or kCancelled: nothing is there
  std::vector<Output<T>> outputs;           ///< one per output asked for
  std::vector<AnchorTally> tallies;         ///< one per anchor of the class
};

/// What is kept of such a range: the part of a run that can be stored.
template <typename T>
struct OutlierPart {
  std::vector<Output<T>> outputs;    ///< accepted ones
  std::vector<AnchorTally> tallies;  ///< one per anchor of the class
  std::vector<std::size_t> rounds;   ///< accepted outputs by rounds used - 1
};

/// Keeps the accepted outputs of a range and counts the rounds they used.
template <typename T>
OutlierPart<T> accepted_part(SampledRange<T> range, std::size_t max_rounds);

}  // namespace sbog
