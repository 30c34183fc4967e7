// SPDX-License-Identifier: Apache-2.0
// Severity is the decade of rarity: severity s holds what happens with a
// probability p, 10^-(s+1) < p <= 10^-s. Severity 1 is 1 in 10 to 1 in 100.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sbog/series/return_period.h"

namespace sbog::series {

/// How rare a value is among the recorded spans of the same length.
struct SpanRarity {
  double p = 1.0;  ///< share of spans with such a value or a larger one
  /// The recording cannot tell how rare: p is the least that it can tell.
  bool is_bound = false;
  /// From a fitted tail; else a share of the recorded spans.
  bool is_estimate = false;
  /// From one such event to the next, where it can be told and was asked for.
  std::optional<ReturnPeriod> period;
};

/// The rarity of an edit, with the span of the window that was looked at.
struct EditRarity {
  std::size_t first = 0;
  std::size_t length = 0;
  double statistic = 0.0;  ///< span_statistic.h
  SpanRarity rarity;
};

/// The severity of a window: that of its rarest edit, whose p-value counts as
/// many times as there are edits.
struct WindowGrade {
  std::size_t asked = 0;
  std::size_t severity = 0;
  std::size_t rarest = 0;  ///< number of the edit
  double p = 1.0;
  bool is_bound = false;
  std::optional<ReturnPeriod> period;
};

/// How outputs of one severity came out.
struct SeverityCount {
  std::size_t asked = 0;
  std::size_t kept = 0;
  std::size_t outside = 0;  ///< of the kept, with an encoder
  /// Tried three times at least and never reached within the limits of the
  /// channel: "level of flow".
  std::vector<std::string> unreachable;
};

/// The largest severity that can be asked for.
inline constexpr std::size_t kMostSevere = 6;

/// The severity of a probability in (0, 1]; 0 above a tenth.
std::size_t severity_of(double p);
/// The middle of a band on the logarithmic scale: 10^-(severity + 0.5).
double band_middle(std::size_t severity);

}  // namespace sbog::series
