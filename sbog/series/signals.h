// SPDX-License-Identifier: Apache-2.0
// The three signals of a scaled series, one value per channel and row: level,
// residual of an autoregression, and variability (standard deviation in a
// moving window).
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/series/autoregression.h"

namespace sbog {

/// What is looked at in each row.
enum class Signal { kLevel, kResidual, kVariability };

inline constexpr std::size_t kSignalCount = 3;

/// "level", "residual", "variability".
std::string_view to_string(Signal signal);

/// Rows of the window of the variability.
inline constexpr std::size_t kVariabilityWindow = 50;

/// Whether a window looks at both sides of a row or at the past only.
enum class WindowSide {
  kCentred,   ///< [t - w/2, t + w/2 - 1] for even w
  kTrailing,  ///< [t - w + 1, t]
};

/// The standard deviation (divisor 50) of each channel around each row. Beyond
/// the ends the first and the last row are repeated.
Matrix<float> variability(MatrixView<const float> rows, WindowSide side);

/// One matrix of rows x channels per signal.
using SignalSet = std::array<Matrix<float>, kSignalCount>;

/// All signals of a scaled series.
SignalSet make_signals(MatrixView<const float> rows,
                       const Autoregression& autoregression, WindowSide side);

/// The signals of a series that arrives row by row, windows trailing: the same
/// bits as make_signals. Keeps the last 50 rows.
class SignalStream {
 public:
  /// The autoregression stays the caller's.
  explicit SignalStream(const Autoregression& autoregression);

  /// Takes one scaled row; row `s` of `out` receives signal s.
  void push(std::span<const float> row, MatrixView<float> out);

 private:
  std::span<const float> past(std::size_t lag) const;

  const Autoregression* autoregression_;
  Matrix<float> ring_;  // the newest row at next_ - 1
  std::size_t next_ = 0;
  bool is_started_ = false;
};

}  // namespace sbog
