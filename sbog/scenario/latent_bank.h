// SPDX-License-Identifier: Apache-2.0
// The points of all recorded windows with their energies and the threshold, and
// the anchors that scenarios start from: weakly supported windows that are
// still inside. Anchors above the threshold would satisfy every test without
// any edit, and explain nothing.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/energy/energy_model.h"
#include "sbog/scenario/energy_probe.h"

namespace sbog::series {

/// What energies and threshold are made of.
struct LatentOptions {
  double epsilon = 0.02;
  double quantile = 0.95;  ///< of the refined energies of the bank
  double margin = 0.0;     ///< added to that quantile
  double trim = 0.08;      ///< share of the bank left out of the reference
};

/// Throws InvalidArgument unless epsilon is above 0, the quantile in (0, 1),
/// the margin finite and the trimmed share in [0, 1).
void check_latent_options(const LatentOptions& options);

/// See the top of the file.
class LatentBank {
 public:
  /// From unit rows. Throws InvalidArgument for options out of range and for
  /// points that have collapsed (collapse.h).
  LatentBank(Matrix<float> points, const LatentOptions& options,
             const Context& context = {});

  MatrixView<const float> points() const { return points_; }
  std::size_t size() const { return points_.rows(); }
  /// Refined leave-one-out energies, one per row.
  const std::vector<double>& energies() const { return energies_; }
  double threshold() const { return threshold_; }
  const EnergyModel<float>& model() const { return *model_; }
  /// Atoms for probes.
  std::shared_ptr<const EnergyAtoms> atoms() const { return atoms_; }
  /// The energy of any point, in double.
  double energy(std::span<const double> point) const;
  /// Share of the rows with an energy at or above the threshold.
  double share_outside() const;
  /// Share of the rows with an energy below the given one.
  double rank(double energy) const;

  /// Up to `count` rows with quantile(low) <= energy < threshold, spread out by
  /// farthest-point choice. Throws InvalidArgument when there is none.
  std::vector<std::size_t> inner_anchors(std::size_t count,
                                         double low = 0.8) const;

 private:
  Matrix<float> points_;
  std::vector<std::size_t> kept_;
  std::vector<double> energies_;
  std::vector<double> sorted_;
  double threshold_ = 0.0;
  std::unique_ptr<EnergyModel<float>> model_;
  std::shared_ptr<const EnergyAtoms> atoms_;
};

}  // namespace sbog::series
