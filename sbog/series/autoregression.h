// SPDX-License-Identifier: Apache-2.0
// Ridge vector autoregression: row t predicted from rows t-1, t-2, t-3 and a
// constant. Rows before the start repeat row 0.
//   B = (X'X + 1e-3 n I)^-1 X'Y,   X = [x_{t-1} x_{t-2} x_{t-3} 1], n = rows
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"

namespace sbog {

/// Rows [first, end) of a series.
struct RowRange {
  std::size_t first = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - first; }
};

/// The coefficients. Up to kMaxJointChannels channels that vary, every channel
/// is predicted from all of them; beyond that, from its own past only, since
/// the normal matrix grows with the square of the channels.
class Autoregression {
 public:
  static constexpr std::size_t kLags = 3;
  static constexpr std::size_t kMaxJointChannels = 256;

  Autoregression() = default;
  /// Takes coefficients as coefficients() gives them.
  Autoregression(std::vector<std::size_t> active, Matrix<double> coefficients,
                 std::size_t channels);

  /// out = x_t - prediction; lags[k] is row t-1-k. All spans have one entry
  /// per channel.
  void residual(std::span<const float> row,
                const std::array<std::span<const float>, kLags>& lags,
                std::span<float> out) const;
  /// The residual of every row of a series.
  Matrix<float> residuals(MatrixView<const float> rows) const;

  /// Channels that are predicted; the others are constant in training and
  /// their residual is the value itself.
  const std::vector<std::size_t>& active() const { return active_; }
  /// (3 active + 1) x active: lag 1 of all channels, lag 2, lag 3, constant. Or
  /// 4 x active when each channel is predicted from its own past.
  const Matrix<double>& coefficients() const { return coefficients_; }
  std::size_t channel_count() const { return channels_; }
  bool is_joint() const { return active_.size() <= kMaxJointChannels; }

 private:
  std::vector<std::size_t> active_;
  Matrix<double> coefficients_;
  std::size_t channels_ = 0;
};

/// Fits on all rows, and once more for each range with that range left out.
/// result[0] is the fit on all rows, result[1 + k] the fit without holes[k].
/// Sums of products are made once; a hole is subtracted.
std::vector<Autoregression> fit_autoregressions(
    MatrixView<const float> rows, std::span<const RowRange> holes);

}  // namespace sbog
