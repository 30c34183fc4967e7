// SPDX-License-Identifier: Apache-2.0
// A scenario in words: where, what, how much in raw units and in training
// deviations, when, and what it does to the energy.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sbog/scenario/measure_edit.h"
#include "sbog/scenario/severity.h"

namespace sbog::series {

/// An edit with what it did and what it contributed.
struct RealisedEdit {
  Edit edit;
  EditEffect effect;
  double deviation = 1.0;  ///< of the channel in training, raw units
  bool is_floored = false;
  double share = 1.0;  ///< of the move of the point, all edits together 1
  /// How rare the edit is in the recording, where a severity was asked for.
  std::optional<EditRarity> rarity;
};

/// How far a channel of a drawn window is from what was recorded.
struct DrawnChange {
  std::size_t channel = 0;
  double size = 0.0;       ///< the largest difference, with its sign, raw units
  std::size_t sample = 0;  ///< where that is
  double deviation = 1.0;  ///< of the channel in training, raw units
};

/// What sentences need to know about the series.
struct SentenceWords {
  const std::vector<std::string>* channels = nullptr;  ///< names
  const std::vector<std::string>* times = nullptr;     ///< of rows, or empty
  std::size_t first_row = 0;                           ///< of the window
  std::size_t width = 0;
  double row_seconds = 0.0;  ///< from one row to the next; 0: unknown
};

/// "tank_level runs 1.24 units (0.38 sd) above its recorded level from around
/// row 40 to row 120", without a full stop.
std::string describe_edit(const RealisedEdit& edit, const SentenceWords& words);

/// The edits in order of their share, joined by "and at the same time".
std::string describe_edits(std::vector<RealisedEdit> edits,
                           const SentenceWords& words);

/// "A drawn window: tank_level is up to 1.24 units (0.38 sd) above what was
/// recorded, around row 40", and the same for the next channels, three at most,
/// without a full stop.
std::string describe_changes(const std::vector<DrawnChange>& changes,
                             const SentenceWords& words);

/// " Such a shift over 50 minutes occurs about once in 41 days of this
/// recording (95 %: 17 to 160)." of the rarest edit, with the space before it;
/// empty where the recording cannot tell.
std::string describe_rarity(const std::vector<RealisedEdit>& edits,
                            const WindowGrade& grade,
                            const SentenceWords& words);

/// "Energy 0.103 -> 0.133, threshold 0.130: just outside."
std::string describe_energy(double source, double edited, double threshold);

/// Three digits, without an exponent where that can be read: "1.24", "0.0071",
/// "1480".
std::string short_number(double value);

}  // namespace sbog::series
