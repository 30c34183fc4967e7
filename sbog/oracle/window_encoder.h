// SPDX-License-Identifier: Apache-2.0
// From a window to a point on the sphere and back to its statistics.
//
// The nine statistics are centred on the bank and whitened by its pooled
// within-class covariance, y in R^9, and lifted: z = (y, R) / |(y, R)|. That is
// a bijection onto the open upper half of the sphere, y = R z[0..8] / z[9].
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "sbog/base/matrix.h"
#include "sbog/oracle/window_statistics.h"

namespace sbog {

inline constexpr std::size_t kOracleDim = kStatistics + 1;
/// A unit vector of the latent space.
using OraclePoint = std::array<double, kOracleDim>;

/// See the top of the file.
class WindowEncoder {
 public:
  /// R, which says how much of the sphere the classes take up.
  static constexpr double kLift = 6.0;

  /// Fits centre and whitening to windows, one per row, with their classes.
  /// Throws InvalidArgument when the within-class covariance is singular.
  WindowEncoder(MatrixView<const double> windows,
                std::span<const std::int64_t> labels);

  /// Whitened statistics and their inverse.
  Statistics whiten(const Statistics& statistics) const;
  Statistics restore(const Statistics& whitened) const;
  /// A difference of statistics in whitened units.
  Statistics whiten_change(const Statistics& change) const;

  /// The latent point of a window.
  OraclePoint encode(std::span<const double> window) const;
  /// The statistics that a latent point of any length stands for; nullopt on
  /// the lower half of the sphere. Throws InvalidArgument for another
  /// dimension.
  std::optional<Statistics> statistics_at(std::span<const double> latent) const;

 private:
  using Triangle = std::array<Statistics, kStatistics>;

  Statistics centre_{};
  Triangle factor_{};     // within-class covariance = L L'
  Triangle whitening_{};  // L^-1
};

/// The lift of whitened statistics.
OraclePoint lift_to_sphere(const Statistics& whitened);

}  // namespace sbog
