// SPDX-License-Identifier: Apache-2.0
// Synthetic anomalies: a few channels of a window are changed over a span.
//
//   seasonal    [s, s+L)    the segment k times end to end, every k-th kept
//   trend       [s, W)      a level shift by +-a, a ~ N(1, 0.5^2)
//   global      [s, s+2)    times 8
//   contextual  [s, s+4)    times 3
//   shapelet    [s, s+L)    the constant x[s] + u, u uniform on (0, 0.1)
// With one channel in all, global has 3 samples and contextual 5.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sbog/nn/random.h"

namespace sbog::series {

/// What kind of anomaly.
enum class InjectionKind { kSeasonal, kTrend, kGlobal, kContextual, kShapelet };
inline constexpr std::size_t kInjectionKinds = 5;

/// One changed channel.
struct ChannelChange {
  std::size_t channel = 0;
  std::size_t repeats = 2;  ///< k of seasonal
  double shift = 0.0;       ///< signed a of trend
  double lift = 0.0;        ///< u of shapelet
};

/// A drawn anomaly; each channel is changed at most once.
struct Injection {
  InjectionKind kind = InjectionKind::kTrend;
  std::size_t start = 0;
  std::size_t length = 0;
  bool is_univariate = false;
  std::vector<ChannelChange> changes;
};

/// Samples [first, end) that a kind may change.
struct SampleSpan {
  std::size_t first = 0;
  std::size_t end = 0;
};

/// Draws length, start, channels and kind. L is uniform on [floor(W/10),
/// floor(9W/10) - 1], the start on [0, W - L - 1], the number of draws of a
/// channel (with replacement) on [floor(C/10), floor(C/2) - 1]; with few
/// channels at least `least_changes`. Throws InvalidArgument for windows below
/// 10 samples.
Injection draw_injection(nn::Draws& draws, std::size_t channels,
                         std::size_t width, std::size_t least_changes);

/// Where the injection acts.
SampleSpan injected_span(const Injection& injection, std::size_t width);

/// The changed channel, from the original one.
void inject_channel(const Injection& injection, const ChannelChange& change,
                    std::span<const double> original, std::span<double> out);

}  // namespace sbog::series
