// SPDX-License-Identifier: Apache-2.0
// Edits as they will be stored: in raw units, on the grid of each channel,
// within its limits; embedded again from that, and judged by it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/scenario/edited_window.h"
#include "sbog/scenario/embedder.h"
#include "sbog/scenario/latent_bank.h"

namespace sbog::series {

/// What became of an outlier that was asked for.
enum class ScenarioStatus {
  kReached,      ///< r <= 0.3
  kNear,         ///< r <= 0.5
  kOutsideOnly,  ///< outside, but not where it should be
  kFailed,
  kGraded,  ///< within the limits and in the band of the asked severity
};
/// "reached", "near", "outside-only", "failed", "graded".
const char* to_string(ScenarioStatus status);

/// Why a try failed.
enum class MissReason {
  kNone,
  kNoProposal,  ///< no feasible target at the anchor
  kNoEdit,      ///< no edit brought the point nearer
  kNotFinite,
  kEnergy,     ///< inside
  kClipped,    ///< flattened by the limits
  kHidden,     ///< nobody would see it
  kTooFast,    ///< steps that were never recorded
  kDistance,   ///< r > 0.5
  kDuplicate,  ///< the same kinds, channels and times at the same anchor
  kBand,       ///< no strength has the asked severity there
  kShort,      ///< the recording is too short to tell such a rarity
};
/// "none", "no-proposal", "no-edit", "not-finite", "energy", "clipped",
/// "hidden", "too-fast", "distance", "duplicate", "band", "short".
const char* to_string(MissReason reason);
/// All of them.
std::vector<MissReason> all_miss_reasons();

/// A window as stored, with what is measured on it.
struct RealisedWindow {
  Matrix<double> window;      ///< width x channels, raw units
  std::vector<double> point;  ///< h(x')
  double reached = 1.0;       ///< r = |h(x') - v| / |z - v|
  double energy = 0.0;
  double clipped_share = 0.0;  ///< largest over the edits
  double visibility = 0.0;     ///< least over the edited channels
  double slew_ratio = 0.0;     ///< largest step over the limit, the largest
  bool is_finite = true;
};

/// Window i of a source in raw units: width x channels.
Matrix<double> raw_window(const WindowSource& windows, std::size_t i);

/// The edited window i, without its point. Channels without an edit, and
/// samples that an edit leaves where they were, keep their recorded value to
/// the bit. `edited` is work space over the padded source of window i.
RealisedWindow realise_window(const WindowSource& windows, std::size_t i,
                              const std::vector<ChannelProfile>& profiles,
                              std::span<const Edit> edits,
                              EditedWindow& edited);

/// The same with its point, seen from the target.
RealisedWindow realise_edits(const WindowSource& windows, std::size_t i,
                             const std::vector<ChannelProfile>& profiles,
                             std::span<const Edit> edits,
                             std::span<const double> source_point,
                             std::span<const double> target,
                             const LatentBank& bank, Embedder& embedder,
                             EditedWindow& edited);

/// Adds point, energy and distance to the target to a realised window, unless
/// it is not finite.
void place_window(const WindowSource& windows,
                  std::span<const double> source_point,
                  std::span<const double> target, const LatentBank& bank,
                  Embedder& embedder, RealisedWindow& realised);

/// A window that was drawn as a whole, channels x width in standard units, in
/// place of window i. Constant channels, and samples that are where they were,
/// keep their recorded value to the bit. Seen is what can be seen in one
/// channel at least.
RealisedWindow realise_drawn(const WindowSource& windows, std::size_t i,
                             const std::vector<ChannelProfile>& profiles,
                             MatrixView<const float> drawn,
                             std::span<const double> source_point,
                             std::span<const double> target,
                             const LatentBank& bank, Embedder& embedder);

/// The verdict on a realised window.
struct Verdict {
  ScenarioStatus status = ScenarioStatus::kFailed;
  MissReason reason = MissReason::kNone;
};
/// Whether a window is finite, can be seen, and is within the limits and no
/// faster than what was recorded: kNone, or the first test that fails.
MissReason judge_limits(const RealisedWindow& realised);
Verdict judge_window(const RealisedWindow& realised, double threshold);

/// The point of a window in raw units (width x channels), as stored.
std::vector<double> embed_raw(const WindowSource& windows,
                              MatrixView<const double> window,
                              Embedder& embedder);

}  // namespace sbog::series
