// SPDX-License-Identifier: Apache-2.0
// The other way to fill a class: every feasible proposal of every anchor goes
// into a pool, round after round, until the pool is large enough; the highest
// are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sbog/base/progress.h"
#include "sbog/sample/output.h"
#include "sbog/sample/prepared_class.h"

namespace sbog {

/// A feasible proposal, named by what it was drawn from.
struct PoolEntry {
  double rank = 0.0;  ///< its acquisition
  std::uint32_t round = 0;
  std::uint32_t anchor = 0;  ///< index among the anchors
  std::uint32_t proposal = 0;
  std::uint32_t feasible = 0;  ///< in its round at its anchor
};

/// The best of all feasible proposals.
struct ProposalPool {
  std::vector<PoolEntry> entries;  ///< best first
  std::vector<AnchorTally> tallies;
  std::size_t rounds = 0;  ///< played
};

/// Plays round 0, 1, ... at every anchor (the stream's output number is the
/// anchor's) until `count` proposals are feasible or max_rounds are over, and
/// keeps the `count` highest; ties by round, anchor and proposal. Nothing when
/// cancelled.
template <typename T>
[[nodiscard]] std::optional<ProposalPool> collect_pool(
    const PreparedClass<T>& prepared, std::size_t count,
    const Context& context = {});

/// Entry number k as an output, drawn again and tested in double.
template <typename T>
Output<T> output_of_entry(const PreparedClass<T>& prepared,
                          const ProposalPool& pool, std::size_t k);

}  // namespace sbog
