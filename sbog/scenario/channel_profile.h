// SPDX-License-Identifier: Apache-2.0
// What the training series says about a channel, so that an edited window stays
// believable: which edits make sense, within which limits, how fast it may
// move, and on which grid its values lie.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "sbog/series/window_source.h"

namespace sbog::series {

/// How the values of a channel are distributed.
enum class ChannelClass {
  kConstant,    ///< one value
  kDiscrete,    ///< at most 12 values, or five that cover more than 90 %
  kEvent,       ///< one value for more than 90 % of the time
  kContinuous,  ///< anything else
};

/// "constant", "discrete", "event", "continuous".
const char* to_string(ChannelClass kind);
/// The reverse; throws InvalidArgument that lists the names.
ChannelClass parse_channel_class(std::string_view name);

/// See the top of the file. Standard units: (raw - mean) / deviation.
struct ChannelProfile {
  ChannelClass kind = ChannelClass::kContinuous;
  double mean = 0.0;
  double deviation = 1.0;
  /// Limits in raw units: training range widened by a tenth of itself, but not
  /// on a side where more than 1 % of the samples lie exactly on the bound, and
  /// not past 0 when no sample is.
  double low = 0.0;
  double high = 0.0;
  /// Highest minus lowest value of training, raw units: what sizes of changes
  /// are compared with.
  double range = 0.0;
  bool is_floored = false;  ///< the lower side is such a side
  bool is_capped = false;   ///< the upper side is
  /// 99.5 % quantile of the steps |x(t+1) - x(t)| in standard units, >= 0.01.
  double slew = 0.01;
  double largest_step = 0.0;  ///< of the training series, standard units
  /// The unit of amplitudes, in standard units: twice the 90 % quantile of the
  /// deviation within a window, kept within [0.04, 2].
  double unit = 2.0;
  double grid = 0.0;  ///< raw step between possible values; 0: none found

  double to_standard(double raw) const { return (raw - mean) / deviation; }
  double to_raw(double standard) const { return mean + standard * deviation; }
  /// The nearest value on the grid; `raw` itself without one.
  double on_grid(double raw) const;
  /// The largest believable step in standard units.
  double step_limit() const { return 1.1 * largest_step + 0.001; }

  double grid_origin = 0.0;  ///< a value on the grid
};

/// What a user knows better than the data say.
struct ChannelOverride {
  std::size_t channel = 0;
  std::optional<ChannelClass> kind;
  std::optional<double> low;   ///< raw units
  std::optional<double> high;  ///< raw units
};

/// One profile per channel of a training series and its windows. Throws
/// InvalidArgument for an override of a channel that is not there, or with
/// limits that are not finite or the wrong way round.
std::vector<ChannelProfile> profile_channels(
    const WindowSource& windows,
    const std::vector<ChannelOverride>& overrides = {});

/// The step of an equally spaced grid on which all values lie, or 0: the
/// smallest gap between neighbours if it divides all others, else a power of
/// ten down to 1e-6 that does.
double find_grid(std::vector<double> values);

}  // namespace sbog::series
