// SPDX-License-Identifier: Apache-2.0
// From a latent point to a window: an edit of a source window xc (centred),
//   x'_t = b' + M xc_t + N xc_{t-1},  xc_0 = 0,
// with M lower triangular and of positive diagonal, whose nine unknowns are
// found by Gauss-Newton so that x' has the nine statistics of the point.
#pragma once

#include <span>
#include <vector>

#include "sbog/oracle/window_encoder.h"

namespace sbog {

/// A window, or none.
struct DecodedWindow {
  bool is_decoded = false;
  /// Distance to the target statistics in whitened units; infinite when the
  /// latent point has none.
  double residual = 0.0;
  std::vector<double> window;  ///< the best edit found; empty without a target
};

/// Decodes `latent` by editing `source`. Eight steps of length at most 1 and
/// with ridge 1e-8; more than 1e-3 left is a failure, not an error. Every step
/// costs the same for any length of window: the moments of an edit are those of
/// (xc_t, xc_{t-1}) seen through (M, N). Throws InvalidArgument for a source or
/// latent point of the wrong size.
DecodedWindow decode_window(const WindowEncoder& encoder,
                            std::span<const double> source,
                            std::span<const double> latent);

}  // namespace sbog
