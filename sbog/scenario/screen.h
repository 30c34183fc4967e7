// SPDX-License-Identifier: Apache-2.0
// A quick look at every candidate edit of a window: what it would do to the
// point, by the Jacobian, and whether anybody would see it or believe it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/scenario/edited_window.h"
#include "sbog/scenario/embedder.h"

namespace sbog::series {

/// How plainly a change shows: its root mean square over the samples where it
/// exceeds a fifth of its largest value, over the deviation of the recorded row
/// within the window plus a twentieth of the channel's unit. Padded rows; 0 for
/// no change.
double visibility(std::span<const double> recorded,
                  std::span<const double> edited, double unit);

/// Candidates below these are not tried.
inline constexpr double kLeastVisibility = 0.25;
inline constexpr double kMostClipped = 0.08;

/// Candidates that can be seen and believed, with the moves of the point that
/// the Jacobian predicts.
struct Screen {
  std::vector<double> point;       ///< of the window looked at
  std::vector<std::size_t> edits;  ///< places in the library
  Matrix<double> moves;            ///< one row per entry of `edits`
};

/// Looks at the window as it is edited now; channels that are edited already
/// are passed over. `embedder` is asked for the window's point and Jacobian.
Screen screen_edits(const EditedWindow& window,
                    const std::vector<ChannelProfile>& profiles,
                    std::span<const Edit> library, Embedder& embedder);

/// The predicted |Pi(z + move) - v|^2 for a candidate, Pi onto the unit sphere;
/// moves longer than 0.9 are shortened.
double predicted_distance(const Screen& screen, std::size_t candidate,
                          std::span<const double> target);

/// How far v stays from the best single candidate if the point moved along
/// straight lines: the smallest distance of v - z to the ray of a move, over
/// |v - z|. 1 when there is no candidate.
double linear_residual(const Screen& screen, std::span<const double> target);

}  // namespace sbog::series
