// SPDX-License-Identifier: Apache-2.0
// From edits to stored windows; see realise.h.
#include "sbog/scenario/realise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sbog/base/inner_product.h"
#include "sbog/scenario/screen.h"

namespace sbog::series {
namespace {

constexpr std::array<const char*, 5> kStatusNames = {
    "reached", "near", "outside-only", "failed", "graded"};
constexpr std::array<const char*, 12> kReasonNames = {
    "none",   "no-proposal", "no-edit",  "not-finite", "energy", "clipped",
    "hidden", "too-fast",    "distance", "duplicate",  "band",   "short"};

constexpr double kReachedResidual = 0.3;
constexpr double kNearResidual = 0.5;
constexpr double kMostClippedStored = 0.1;
constexpr double kLeastVisibilityStored = 0.2;
constexpr double kMostSlew = 1.05;
// Changes below this share of the largest are the tails of a gate.
constexpr double kTail = 1e-3;

// A raw value within the limits, or within the recorded value beyond them, on
// the grid.
double stored_value(const ChannelProfile& profile, double raw,
                    double recorded) {
  const double low = std::min(profile.low, recorded);
  const double high = std::max(profile.high, recorded);
  double value = profile.on_grid(std::clamp(raw, low, high));
  if (value > high) value -= profile.grid;
  if (value < low) value += profile.grid;
  return std::clamp(value, low, high);
}

}  // namespace

const char* to_string(ScenarioStatus status) {
  return kStatusNames[static_cast<std::size_t>(status)];
}
const char* to_string(MissReason reason) {
  return kReasonNames[static_cast<std::size_t>(reason)];
}
std::vector<MissReason> all_miss_reasons() {
  std::vector<MissReason> all;
  for (std::size_t i = 0; i < kReasonNames.size(); ++i) {
    all.push_back(static_cast<MissReason>(i));
  }
  return all;
}

Matrix<double> raw_window(const WindowSource& windows, std::size_t i) {
  Matrix<double> window(windows.width(), windows.channels());
  for (std::size_t c = 0; c < windows.channels(); ++c) {
    const auto row = windows.raw(i, c);
    for (std::size_t t = 0; t < row.size(); ++t) window(t, c) = row[t];
  }
  return window;
}

std::vector<double> embed_raw(const WindowSource& windows,
                              MatrixView<const double> window,
                              Embedder& embedder) {
  Matrix<float> rows(window.cols(), window.rows());
  for (std::size_t t = 0; t < window.rows(); ++t) {
    for (std::size_t c = 0; c < window.cols(); ++c) {
      rows(c, t) = windows.standardise(c, window(t, c));
    }
  }
  return embedder.embed(rows);
}

void place_window(const WindowSource& windows,
                  std::span<const double> source_point,
                  std::span<const double> target, const LatentBank& bank,
                  Embedder& embedder, RealisedWindow& result) {
  if (!result.is_finite) return;
  result.point = embed_raw(windows, result.window, embedder);
  result.energy = bank.energy(result.point);
  const double distance =
      squared_distance<double, double>(source_point, target);
  result.reached =
      distance == 0.0
          ? 0.0
          : std::sqrt(squared_distance<double, double>(result.point, target) /
                      distance);
}

RealisedWindow realise_window(const WindowSource& windows, std::size_t i,
                              const std::vector<ChannelProfile>& profiles,
                              std::span<const Edit> edits,
                              EditedWindow& edited) {
  edited.apply(edits, true);
  RealisedWindow result;
  result.window = raw_window(windows, i);
  result.visibility = std::numeric_limits<double>::infinity();
  for (const std::size_t c : edited.edited_channels()) {
    const ChannelProfile& profile = profiles[c];
    const auto row = edited.row(c);
    const auto source = edited.source_row(c);
    double largest = 0.0;
    for (std::size_t t = 0; t < edited.width(); ++t) {
      largest =
          std::max(largest, std::abs(row[t + kMargin] - source[t + kMargin]));
    }
    std::vector<double> stored(source.begin(), source.end());
    for (std::size_t t = 0; t < edited.width(); ++t) {
      const double change = std::abs(row[t + kMargin] - source[t + kMargin]);
      if (change <= kTail * largest) continue;
      double& value = result.window(t, c);
      value = stored_value(profile, profile.to_raw(row[t + kMargin]), value);
      stored[t + kMargin] = profile.to_standard(value);
      result.is_finite = result.is_finite && std::isfinite(value);
    }
    const double limit = std::max(profile.step_limit(), largest_step(source));
    result.slew_ratio =
        std::max(result.slew_ratio, largest_step(stored) / limit);
    result.visibility =
        std::min(result.visibility, visibility(source, stored, profile.unit));
  }
  for (std::size_t k = 0; k < edits.size(); ++k) {
    result.clipped_share =
        std::max(result.clipped_share, edited.clipped_share(k));
  }
  return result;
}

RealisedWindow realise_edits(const WindowSource& windows, std::size_t i,
                             const std::vector<ChannelProfile>& profiles,
                             std::span<const Edit> edits,
                             std::span<const double> source_point,
                             std::span<const double> target,
                             const LatentBank& bank, Embedder& embedder,
                             EditedWindow& edited) {
  RealisedWindow result = realise_window(windows, i, profiles, edits, edited);
  place_window(windows, source_point, target, bank, embedder, result);
  return result;
}

RealisedWindow realise_drawn(const WindowSource& windows, std::size_t i,
                             const std::vector<ChannelProfile>& profiles,
                             MatrixView<const float> drawn,
                             std::span<const double> source_point,
                             std::span<const double> target,
                             const LatentBank& bank, Embedder& embedder) {
  RealisedWindow result;
  result.window = raw_window(windows, i);
  std::size_t clipped = 0;
  for (std::size_t c = 0; c < windows.channels(); ++c) {
    const ChannelProfile& profile = profiles[c];
    if (profile.kind == ChannelClass::kConstant) continue;
    const auto recorded = windows.standardised(i, c);
    std::vector<double> source(recorded.begin(), recorded.end());
    std::vector<double> stored = source;
    for (std::size_t t = 0; t < windows.width(); ++t) {
      if (drawn(c, t) == recorded[t]) continue;
      const double wanted = profile.to_raw(drawn(c, t));
      double& value = result.window(t, c);
      value = stored_value(profile, wanted, value);
      if (wanted < profile.low || wanted > profile.high) ++clipped;
      stored[t] = profile.to_standard(value);
      result.is_finite = result.is_finite && std::isfinite(value);
    }
    const double limit = std::max(profile.step_limit(), largest_step(source));
    result.slew_ratio =
        std::max(result.slew_ratio, largest_step(stored) / limit);
    result.visibility =
        std::max(result.visibility, visibility(source, stored, profile.unit));
  }
  result.clipped_share =
      static_cast<double>(clipped) / static_cast<double>(result.window.size());
  place_window(windows, source_point, target, bank, embedder, result);
  return result;
}

MissReason judge_limits(const RealisedWindow& realised) {
  if (!realised.is_finite) return MissReason::kNotFinite;
  if (!(realised.visibility >= kLeastVisibilityStored)) {
    return MissReason::kHidden;
  }
  if (realised.clipped_share > kMostClippedStored) return MissReason::kClipped;
  if (realised.slew_ratio > kMostSlew) return MissReason::kTooFast;
  return MissReason::kNone;
}

Verdict judge_window(const RealisedWindow& realised, double threshold) {
  const auto failed = [](MissReason reason) {
    return Verdict{ScenarioStatus::kFailed, reason};
  };
  if (!realised.is_finite || !std::isfinite(realised.energy)) {
    return failed(MissReason::kNotFinite);
  }
  if (!(realised.visibility >= kLeastVisibilityStored)) {
    return failed(MissReason::kHidden);
  }
  if (realised.energy < threshold) return failed(MissReason::kEnergy);
  if (realised.clipped_share > kMostClippedStored) {
    return failed(MissReason::kClipped);
  }
  if (realised.slew_ratio > kMostSlew) return failed(MissReason::kTooFast);
  if (realised.reached <= kReachedResidual) {
    return {ScenarioStatus::kReached, MissReason::kNone};
  }
  if (realised.reached <= kNearResidual) {
    return {ScenarioStatus::kNear, MissReason::kNone};
  }
  return {ScenarioStatus::kOutsideOnly, MissReason::kDistance};
}

}  // namespace sbog::series
