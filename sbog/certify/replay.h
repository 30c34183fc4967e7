// SPDX-License-Identifier: Apache-2.0
// Rounds of the sampler played again to see what they give, not to keep it.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "sbog/base/progress.h"
#include "sbog/base/status.h"
#include "sbog/sample/prepared_class.h"

namespace sbog {

/// What came out of one round.
struct RoundOutcome {
  bool is_accepted = false;
  std::size_t anchor_row = 0;  ///< of the class's points
  std::size_t proposal = 0;    ///< the one picked; 0 without
  /// The two highest scores among proposals that pass all other tests; -inf
  /// where there are fewer.
  double best = -std::numeric_limits<double>::infinity();
  double second = -std::numeric_limits<double>::infinity();

  /// The same output, or a failure in both.
  bool has_output_of(const RoundOutcome& other) const {
    if (!is_accepted || !other.is_accepted) {
      return is_accepted == other.is_accepted;
    }
    return anchor_row == other.anchor_row && proposal == other.proposal;
  }
};

/// The rounds in order.
struct Replay {
  SolveStatus status = SolveStatus::kDone;  ///< or kCancelled
  std::vector<RoundOutcome> rounds;

  /// Share of rounds with an output; 0 without rounds.
  double acceptance() const;
};

/// The first rounds of outputs 0 .. count-1: the same streams as the sampler's.
/// The same for any number of threads.
template <typename T>
[[nodiscard]] Replay replay_rounds(const PreparedClass<T>& prepared,
                                   std::size_t count,
                                   const Context& context = {});

}  // namespace sbog
