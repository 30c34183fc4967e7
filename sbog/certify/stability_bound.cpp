// SPDX-License-Identifier: Apache-2.0
// See stability_bound.h.
#include "sbog/certify/stability_bound.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "sbog/certify/detail/checks.h"
#include "sbog/certify/detail/words.h"

namespace sbog {
namespace {

void check_error(double error) {
  detail::need(error >= 0.0,
               "energy error: a number of at least 0 is expected");
}

}  // namespace

double largest_half_width(std::span<const Interval> energies) {
  double largest = 0.0;
  for (const Interval& interval : energies) {
    largest = std::max(largest, 0.5 * (interval.high - interval.low));
  }
  return largest;
}

double anchor_fragility(std::span<const double> scores, std::size_t anchors,
                        double error) {
  check_error(error);
  detail::need(anchors >= 1 && anchors <= scores.size(),
               "anchors: between 1 and the number of scores are expected");
  std::vector<double> ordered(scores.begin(), scores.end());
  const auto at = ordered.begin() + static_cast<std::ptrdiff_t>(anchors - 1);
  std::nth_element(ordered.begin(), at, ordered.end(), std::greater<>());
  const double cutoff = *at;
  // An equal score is close even where both are infinite.
  const auto near =
      std::count_if(scores.begin(), scores.end(), [&](double score) {
        return score == cutoff || std::abs(score - cutoff) <= 2.0 * error;
      });
  return std::min(
      1.0, static_cast<double>(near) / (2.0 * static_cast<double>(anchors)));
}

double round_fragility(const Replay& replay, double threshold, double error) {
  check_error(error);
  if (replay.rounds.empty()) return 0.0;
  const auto fragile = std::count_if(
      replay.rounds.begin(), replay.rounds.end(), [&](const RoundOutcome& r) {
        const bool fails = r.best < threshold - error;
        const bool holds =
            r.best >= threshold + error && r.second <= r.best - 2.0 * error;
        return !fails && !holds;
      });
  return static_cast<double>(fragile) /
         static_cast<double>(replay.rounds.size());
}

StabilityBound stability_bound(std::span<const double> scores,
                               std::size_t anchors, const Replay& replay,
                               double threshold, double error) {
  StabilityBound bound;
  bound.anchor_part = anchor_fragility(scores, anchors, error);
  bound.round_part = round_fragility(replay, threshold, error);
  bound.acceptance = replay.acceptance();
  const double sum = bound.anchor_part + bound.round_part;
  bound.is_vacuous = !(sum < bound.acceptance);
  if (!bound.is_vacuous) {
    bound.zeta = sum / bound.acceptance;
    return bound;
  }
  bound.reason = bound.acceptance == 0.0
                     ? "Vacuous: no replayed round gave an output."
                     : "Vacuous: an error of " + detail::rounded(error) +
                           " on every energy may change " +
                           detail::rounded(100.0 * bound.anchor_part) +
                           " % of the anchors and " +
                           detail::rounded(100.0 * bound.round_part) +
                           " % of the rounds, of which " +
                           detail::rounded(100.0 * bound.acceptance) +
                           " % give an output.";
  return bound;
}

}  // namespace sbog
