// SPDX-License-Identifier: Apache-2.0
// Everything of the oracle experiment that is drawn once per seed and setting
// and shared by all generators.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/oracle/boundary.h"
#include "sbog/oracle/boundary_metrics.h"
#include "sbog/oracle/window_encoder.h"

namespace sbog {

/// Sizes and amplitudes of an experiment.
struct OracleSettings {
  std::uint64_t seed = 1;
  double nats = 6.0;        ///< divergence of each perturbed process
  double mean_scale = 1.0;  ///< 0.3 brings the classes close to each other
  std::size_t bank_per_class = 2000;
  std::size_t outputs_per_class = 400;
  std::size_t oracle_per_region = 400;
  std::size_t test_in = 1800;       ///< fresh in-distribution windows
  std::size_t test_oracle = 603;    ///< fresh oracle windows
  std::size_t delta_draws = 20000;  ///< draws per region for the band's width
};

/// See the top of the file.
class OracleWorld {
 public:
  /// Throws InvalidArgument for settings out of range.
  explicit OracleWorld(const OracleSettings& settings,
                       const Context& context = {});

  const OracleSettings& settings() const { return settings_; }
  const Boundary& boundary() const { return boundary_; }
  const WindowEncoder& encoder() const { return encoder_; }

  /// Windows of the bank, one per row, class after class.
  MatrixView<const double> windows() const { return windows_; }
  /// Their latent points, and their classes 0, 1, 2.
  MatrixView<const float> bank() const { return bank_; }
  std::span<const std::int64_t> labels() const { return labels_; }
  /// Normalised class means, one per row.
  MatrixView<const double> class_anchors() const { return class_anchors_; }

  /// Oracle samples of each band.
  std::span<const BandSample> bands() const { return bands_; }
  /// All of them, region after region.
  MatrixView<const float> oracle() const { return oracle_; }

  /// Fresh windows that a detector is tested on, in the latent space.
  MatrixView<const float> test_in() const { return test_in_; }
  MatrixView<const float> test_oracle() const { return test_oracle_; }

 private:
  OracleSettings settings_;
  Boundary boundary_;
  std::vector<std::int64_t> labels_;
  Matrix<double> windows_;
  WindowEncoder encoder_;
  Matrix<float> bank_;
  Matrix<double> class_anchors_;
  std::vector<BandSample> bands_;
  Matrix<float> oracle_;
  Matrix<float> test_in_;
  Matrix<float> test_oracle_;
};

}  // namespace sbog
