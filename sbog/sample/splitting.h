// SPDX-License-Identifier: Apache-2.0
// Multilevel splitting: reaches a threshold that plain proposals almost never
// reach, by climbing from level to level.
//
// A population of noise vectors xi is kept; at each level the better half
// survives, is copied, and is moved by a step that leaves the standard normal
// law above the level unchanged: xi' = sqrt(1 - b^2) xi + b eta, accepted when
// the point stays above the level and passes the cosine tests. The product of
// the surviving shares estimates the probability that one plain proposal of
// this anchor is feasible.
#pragma once

#include <cstddef>

#include "sbog/sample/output.h"
#include "sbog/sample/prepared_class.h"

namespace sbog {

/// Levels at most, each of at least half of the population, and moves of
/// everybody after each.
inline constexpr std::size_t kSplittingLevels = 20;
inline constexpr std::size_t kSplittingMoves = 4;

/// Estimate of a small probability.
struct SplittingResult {
  bool has_reached = false;  ///< the threshold
  std::size_t levels = 0;
  double probability = 0.0;  ///< of one proposal being feasible, estimated
};

/// Tries to fill an empty output from the anchor that its round 65535 would
/// have drawn. Streams: round 65535, proposals from 2^30 on. The output
/// stays empty when the last level is not reached.
template <typename T>
SplittingResult split_to_level(const PreparedClass<T>& prepared,
                               Output<T>& output);

}  // namespace sbog
