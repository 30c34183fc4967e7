// SPDX-License-Identifier: Apache-2.0
// Counting and keeping; see output.h.
#include "sbog/sample/output.h"

#include <algorithm>
#include <utility>

namespace sbog {

const char* to_string(OutputOrigin origin) {
  switch (origin) {
    case OutputOrigin::kRound:
      return "round";
    case OutputOrigin::kLangevin:
      return "langevin";
    case OutputOrigin::kSplitting:
      return "splitting";
    case OutputOrigin::kRival:
      return "rival";
  }
  return "unknown";
}

void AnchorTally::add(const AnchorTally& other) {
  draws += other.draws;
  successes += other.successes;
  highest_score = std::max(highest_score, other.highest_score);
  failures.add(other.failures);
}

void add_tallies(std::vector<AnchorTally>& sums,
                 const std::vector<AnchorTally>& more) {
  for (std::size_t a = 0; a < sums.size(); ++a) sums[a].add(more[a]);
}

template <typename T>
OutlierPart<T> accepted_part(SampledRange<T> range, std::size_t max_rounds) {
  OutlierPart<T> part;
  part.tallies = std::move(range.tallies);
  part.rounds.resize(max_rounds);
  for (Output<T>& output : range.outputs) {
    if (!output.is_accepted) continue;
    const std::size_t used =
        std::clamp<std::size_t>(output.rounds, 1, max_rounds);
    ++part.rounds[used - 1];
    part.outputs.push_back(std::move(output));
  }
  return part;
}

template OutlierPart<float> accepted_part(SampledRange<float>, std::size_t);
template OutlierPart<double> accepted_part(SampledRange<double>, std::size_t);

}  // namespace sbog
