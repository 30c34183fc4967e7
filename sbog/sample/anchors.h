// SPDX-License-Identifier: Apache-2.0
// Step 1 of the sampler: which bank points proposals start from.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/sample/sampler_options.h"

namespace sbog {

/// Anchors as positions among the candidates, in the order they were chosen,
/// possibly divided into regions that outputs take in turn.
struct AnchorSet {
  std::vector<std::size_t> anchors;
  /// One list of indices into `anchors` per region; a single one without
  /// regions.
  std::vector<std::vector<std::size_t>> regions;
};

/// What the choice is made from: eligible candidates with their scores.
struct AnchorProblem {
  /// Candidates in the space where the cost is Euclidean distance (unit
  /// vectors for cosine), one per row.
  MatrixView<const double> points;
  /// One score per candidate; high means weakly supported.
  std::span<const double> scores;
  /// Unit class anchor, or empty; regions are directions around it.
  std::span<const double> class_anchor;
  double threshold = 0.0;
  std::size_t count = 0;  ///< anchors wanted; fewer if there are fewer
};

/// Number of anchors for a class of n points: options.anchor_count, or
/// min(n, 256, max(8, ceil(anchor_share n))).
std::size_t anchor_count(const SamplerOptions& options, std::size_t n);

/// Positions ordered by (score descending, position ascending).
std::vector<std::size_t> order_by_score(std::span<const double> scores);

/// Chooses by options.anchor_rule. Deterministic; ties by position.
AnchorSet select_anchors(const AnchorProblem& problem,
                         const SamplerOptions& options);

}  // namespace sbog
