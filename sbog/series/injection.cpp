// SPDX-License-Identifier: Apache-2.0
// Drawing and applying anomalies; see injection.h.
#include "sbog/series/injection.h"

#include <algorithm>

#include "sbog/base/errors.h"

namespace sbog::series {
namespace {

std::size_t between(nn::Draws& draws, std::size_t low, std::size_t high) {
  return low + draws.below(std::max(low, high) - low + 1);
}

ChannelChange draw_change(nn::Draws& draws, std::size_t channels) {
  ChannelChange change;
  change.channel = draws.below(channels);
  change.repeats = between(draws, 2, 4);
  const double sign = draws.below(2) == 0 ? 1.0 : -1.0;
  change.shift = sign * (1.0 + 0.5 * draws.normal());
  change.lift = 0.1 * draws.uniform();
  return change;
}

}  // namespace

Injection draw_injection(nn::Draws& draws, std::size_t channels,
                         std::size_t width, std::size_t least_changes) {
  if (width < 10 || channels == 0) {
    throw InvalidArgument(
        "draw_injection: windows of at least 10 samples and one channel are "
        "expected");
  }
  Injection injection;
  injection.is_univariate = channels == 1;
  injection.length = between(draws, width / 10, width * 9 / 10 - 1);
  injection.start = draws.below(width - injection.length);
  const std::size_t half = channels / 2;
  const std::size_t least =
      channels == 1 ? 1 : std::max(channels / 10, least_changes);
  const std::size_t count =
      between(draws, least, std::max(half, std::size_t{1}) - 1);
  for (std::size_t n = 0; n < count; ++n) {
    const ChannelChange change = draw_change(draws, channels);
    // Every draw starts from the original, so the last one counts.
    std::erase_if(injection.changes, [&](const ChannelChange& before) {
      return before.channel == change.channel;
    });
    injection.changes.push_back(change);
  }
  injection.kind = static_cast<InjectionKind>(draws.below(kInjectionKinds));
  return injection;
}

SampleSpan injected_span(const Injection& injection, std::size_t width) {
  const std::size_t start = injection.start;
  const auto until = [&](std::size_t length) {
    return SampleSpan{start, std::min(start + length, width)};
  };
  switch (injection.kind) {
    case InjectionKind::kTrend:
      return {start, width};
    case InjectionKind::kGlobal:
      return until(injection.is_univariate ? 3 : 2);
    case InjectionKind::kContextual:
      return until(injection.is_univariate ? 5 : 4);
    case InjectionKind::kSeasonal:
    case InjectionKind::kShapelet:
      break;
  }
  return until(injection.length);
}

void inject_channel(const Injection& injection, const ChannelChange& change,
                    std::span<const double> original, std::span<double> out) {
  std::copy(original.begin(), original.end(), out.begin());
  const SampleSpan span = injected_span(injection, original.size());
  const std::size_t length = span.end - span.first;
  for (std::size_t t = span.first; t < span.end; ++t) {
    switch (injection.kind) {
      case InjectionKind::kSeasonal:
        out[t] =
            original[span.first + (t - span.first) * change.repeats % length];
        break;
      case InjectionKind::kTrend:
        out[t] = original[t] + change.shift;
        break;
      case InjectionKind::kGlobal:
        out[t] = original[t] * 8.0;
        break;
      case InjectionKind::kContextual:
        out[t] = original[t] * 3.0;
        break;
      case InjectionKind::kShapelet:
        out[t] = original[span.first] + change.lift;
        break;
    }
  }
}

}  // namespace sbog::series
