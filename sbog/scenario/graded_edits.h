// SPDX-License-Identifier: Apache-2.0
// Edits as strong as a severity asks for: the strength of each is found by
// bisection so that the statistic of its span lies in the middle of the band,
// measured on the window as it would be stored.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "sbog/scenario/realise.h"
#include "sbog/scenario/recorded_spans.h"

namespace sbog::series {

/// The span of a window by which an edit is rated: the part of its gate inside
/// the window, at the nearest of span_lengths(). Of a stuck edit the whole
/// window, of a jump the rows around it as well.
struct RatedSpan {
  std::size_t first = 0;
  std::size_t length = 0;
};
RatedSpan rated_span(const Edit& edit, std::size_t width);

/// Which recorded spans an edit is compared with. Periods are those of
/// tone_periods().
SpanKey span_key(const Edit& edit, std::size_t width);

/// The rarity of an edit in a stored window (width x channels, raw units) that
/// stands in the place of recorded window i. Nothing where the recording has no
/// span before it, or the span holds less than one and a half periods.
std::optional<EditRarity> rate_edit(const RecordedSpans& recorded,
                                    std::size_t i, const Edit& edit,
                                    MatrixView<const double> window);

/// The edit with a strength from 0 (hardly there) to 1 (as far as its channel
/// goes): the amount, of a stuck edit its end.
Edit with_strength(Edit edit, double strength, const ChannelProfile& profile,
                   std::size_t width);

/// Edits of one window with what came of them.
struct GradedEdits {
  MissReason reason = MissReason::kNone;  ///< why there are none
  std::vector<Edit> edits;
  std::vector<EditRarity> rarities;  ///< one per edit
  RealisedWindow realised;           ///< without its point
  WindowGrade grade;
};

/// Sets the strengths of `edits`, each of another channel, for a severity.
/// Every edit becomes as rare as the others; those of several that cannot are
/// left out. `edited` is work space over the padded source of window i.
GradedEdits grade_edits(const RecordedSpans& recorded, std::size_t i,
                        std::vector<Edit> edits, std::size_t severity,
                        EditedWindow& edited);

/// The grade of rated edits.
WindowGrade grade_of(const std::vector<EditRarity>& rarities,
                     std::size_t asked);

}  // namespace sbog::series
