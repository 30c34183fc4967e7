// SPDX-License-Identifier: Apache-2.0
// One round of proposals at each of some anchors, whatever the sampler would
// draw: what the metrics Fill, Delta and Yield look at.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sbog/base/progress.h"
#include "sbog/base/status.h"
#include "sbog/sample/prepared_class.h"

namespace sbog {

/// What the proposals look like, in the order of the anchors asked for.
struct Probe {
  SolveStatus status = SolveStatus::kDone;  ///< kDone or kCancelled
  std::vector<std::size_t> feasible;        ///< per anchor, passing every test
  /// Score minus threshold of the proposals that pass the cosine tests.
  std::vector<double> margins;
  /// Of the first `perturbations` proposals of every anchor; cosines are empty
  /// without a class anchor.
  std::vector<double> scores;
  std::vector<double> class_cosines;
};

/// `proposals` proposals around each of the anchors (indices among those of the
/// class). The streams are apart from those of sampling.
template <typename T>
[[nodiscard]] Probe probe_anchors(const PreparedClass<T>& prepared,
                                  std::span<const std::size_t> anchors,
                                  std::size_t proposals,
                                  std::size_t perturbations,
                                  const Context& context = {});

}  // namespace sbog
