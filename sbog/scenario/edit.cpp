// SPDX-License-Identifier: Apache-2.0
// Ranges of the edits; see edit.h.
#include "sbog/scenario/edit.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "sbog/base/errors.h"

namespace sbog::series {
namespace {

constexpr std::array<const char*, 9> kEditKindNames = {
    "level",     "trend",    "scale",       "noise", "delay",
    "frequency", "coupling", "oscillation", "stuck"};

constexpr double kPlainRamp = 4.0;
constexpr double kStuckRamp =
    0.5;  // longer ones leave little that stands still

}  // namespace

const char* to_string(EditKind kind) {
  return kEditKindNames[static_cast<std::size_t>(kind)];
}

EditKind parse_edit_kind(std::string_view name) {
  for (const EditKind kind : kEditKinds) {
    if (name == to_string(kind)) return kind;
  }
  throw InvalidArgument("edit kind: '" + std::string(name) +
                        "' is not one of: level, trend, scale, noise, delay, "
                        "frequency, coupling, oscillation, stuck");
}

StrengthRange strength_range(EditKind kind, const ChannelProfile& profile) {
  const double unit = profile.unit;
  switch (kind) {
    case EditKind::kLevel:
      return {unit, 0.25 * unit, 4.0 * unit};
    case EditKind::kTrend:
      return {unit, 0.3 * unit, 4.0 * unit};
    case EditKind::kScale:
      return {std::log(2.0), std::log(1.2), std::log(4.0)};
    case EditKind::kNoise:
      return {std::log(2.0), std::log(1.5), std::log(6.0)};
    case EditKind::kDelay:
      return {10.0, 2.0, 30.0};
    case EditKind::kFrequency:
      return {0.25, 0.07, 0.5};
    case EditKind::kCoupling:
      return {0.5, 0.3, 1.0};
    case EditKind::kOscillation:
      return {unit, 0.25 * unit, 2.0 * unit};
    case EditKind::kStuck:
      return {1.0, 0.9, 1.0};
  }
  return {};
}

bool has_partner(const Edit& edit) {
  return edit.kind == EditKind::kCoupling ||
         (edit.kind == EditKind::kDelay && edit.partner != edit.channel);
}

int complexity(EditKind kind) {
  constexpr std::array kSimplestFirst = {
      EditKind::kLevel, EditKind::kTrend,       EditKind::kStuck,
      EditKind::kScale, EditKind::kOscillation, EditKind::kNoise,
      EditKind::kDelay, EditKind::kFrequency,   EditKind::kCoupling};
  return static_cast<int>(
      std::find(kSimplestFirst.begin(), kSimplestFirst.end(), kind) -
      kSimplestFirst.begin());
}

bool is_one_sided(EditKind kind) {
  return kind == EditKind::kCoupling || kind == EditKind::kOscillation ||
         kind == EditKind::kStuck;
}

bool suits(EditKind kind, const ChannelProfile& profile, bool delays_discrete) {
  switch (profile.kind) {
    case ChannelClass::kConstant:
      return false;
    case ChannelClass::kDiscrete:
      return delays_discrete && kind == EditKind::kDelay;
    case ChannelClass::kEvent:
      return kind == EditKind::kDelay;
    case ChannelClass::kContinuous:
      return kind != EditKind::kOscillation || !profile.is_floored;
  }
  return false;
}

double ramp_of(const Edit& edit, const ChannelProfile& profile) {
  if (edit.kind == EditKind::kStuck) return kStuckRamp;
  if (edit.kind != EditKind::kLevel && edit.kind != EditKind::kOscillation) {
    return kPlainRamp;
  }
  return std::clamp(0.3 * std::abs(edit.amount) / profile.slew, 2.0, 16.0);
}

void project_edit(const ChannelProfile& profile, std::size_t width, double sign,
                  Edit& edit) {
  const StrengthRange range = strength_range(edit.kind, profile);
  const double last = static_cast<double>(width);
  edit.amount = sign * std::clamp(sign * edit.amount, range.least, range.most);
  edit.start = std::clamp(edit.start, kFirstStart, last - kShortestGate);
  edit.end = std::clamp(edit.end, edit.start + kShortestGate, last + kLastEnd);
  edit.period = std::clamp(edit.period, kShortestPeriod, kLongestPeriod);
}

}  // namespace sbog::series
