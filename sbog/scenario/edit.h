// SPDX-License-Identifier: Apache-2.0
// Nine kinds of edit that an engineer has words for, each of one channel and
// between a start and an end:
//   level        x + a g
//   trend        x + a clip((t - s) / max(e - s, 4), 0, 1), stays after e
//   scale        x + (exp(a) - 1) g (x - m), m = mean under the gate, or the
//                floor of a floored channel
//   noise        x + (exp(a) - 1) g (x - MA x), MA = centred mean of 11
//   delay        x(t - a g)
//   frequency    x(t + (exp(a) - 1) (t - (s + e) / 2) g)
//   coupling     x + a g (+-x_d - x), d another channel
//   oscillation  x + a g sin(2 pi t / P + f)
//   stuck        x + a g (x(s) - x)
// with the gate g(t) = S((t - s) / w) S((e - t) / w), S the logistic function
// and w the ramp. Times are samples of the window, values standard units.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "sbog/scenario/channel_profile.h"

namespace sbog::series {

/// See the top of the file.
enum class EditKind {
  kLevel,
  kTrend,
  kScale,
  kNoise,
  kDelay,
  kFrequency,
  kCoupling,
  kOscillation,
  kStuck,
};

/// All of them.
inline constexpr std::array<EditKind, 9> kEditKinds = {
    EditKind::kLevel,    EditKind::kTrend,       EditKind::kScale,
    EditKind::kNoise,    EditKind::kDelay,       EditKind::kFrequency,
    EditKind::kCoupling, EditKind::kOscillation, EditKind::kStuck};

/// "level", "trend", "scale", "noise", "delay", "frequency", "coupling",
/// "oscillation", "stuck".
const char* to_string(EditKind kind);
/// The reverse; throws InvalidArgument that lists the names.
EditKind parse_edit_kind(std::string_view name);

/// One edit. Its amount never changes sign.
struct Edit {
  EditKind kind = EditKind::kLevel;
  std::size_t channel = 0;
  /// coupling: the channel to follow; delay: the channel that it is seen
  /// beside, or the edited one when there is none.
  std::size_t partner = 0;
  double partner_sign = 1.0;  ///< coupling: +1 or -1
  double amount = 0.0;        ///< a
  double start = 0.0;         ///< s
  double end = 0.0;           ///< e
  double period = 10.0;       ///< oscillation: P
  double phase = 0.0;         ///< oscillation: f
};

/// The unit of the amount of a kind on a channel, and the least and the largest
/// size: below the least an edit would be true and say nothing.
struct StrengthRange {
  double unit = 1.0;
  double least = 0.0;
  double most = 0.0;
};
StrengthRange strength_range(EditKind kind, const ChannelProfile& profile);

/// Whether another channel has to do with the edit (see Edit::partner).
bool has_partner(const Edit& edit);

/// How much there is to understand about a kind, 0 the least: of edits that do
/// equally well, the simplest is told.
int complexity(EditKind kind);

/// Whether the amount has one sign only (coupling, oscillation, stuck).
bool is_one_sided(EditKind kind);

/// Whether a kind makes sense on a channel: all on continuous ones, but no
/// oscillation on floored ones; delay alone on events, and on discrete channels
/// when `delays_discrete`.
bool suits(EditKind kind, const ChannelProfile& profile,
           bool delays_discrete = false);

/// The ramp w: 4 samples; 0.5 for stuck, which holds its value at once; for
/// level and oscillation 0.3 |a| / slew kept within [2, 16], so that large
/// steps of slow channels are slow.
double ramp_of(const Edit& edit, const ChannelProfile& profile);

/// Gates start at or after kFirstStart, end at or before width + kLastEnd, and
/// are at least kShortestGate long.
inline constexpr double kFirstStart = -5.0;
inline constexpr double kLastEnd = 5.0;
inline constexpr double kShortestGate = 6.0;
inline constexpr double kShortestPeriod = 5.0;
inline constexpr double kLongestPeriod = 100.0;

/// Moves every parameter into its range; the amount keeps the sign `sign`.
void project_edit(const ChannelProfile& profile, std::size_t width, double sign,
                  Edit& edit);

}  // namespace sbog::series
