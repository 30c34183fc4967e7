// SPDX-License-Identifier: Apache-2.0
// The points of all recorded windows as the one class that a sampler draws from
// (prepared_class.h), with what decoding asks of them: energies of single
// points, ranks, atoms for probes. Anchors are weakly supported windows that
// are still inside (inner_anchors): above the threshold they would satisfy
// every test without any edit, and explain nothing.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/sample/prepared_class.h"
#include "sbog/scenario/energy_probe.h"

namespace sbog::series {

/// See the top of the file.
class LatentBank {
 public:
  /// From unit rows; `options` start from the profile `scenario`. Throws
  /// InvalidArgument for options out of range, for points that have collapsed
  /// (collapse.h) and when no window can be an anchor.
  LatentBank(Matrix<float> points, const SamplerOptions& options,
             const Context& context = {});

  MatrixView<const float> points() const { return points_; }
  std::size_t size() const { return points_.rows(); }
  /// Leave-one-out energies against the trimmed bank, one per row.
  const std::vector<double>& energies() const { return prepared_->scores; }
  double threshold() const { return prepared_->plan.threshold; }
  const EnergyModel<float>& model() const {
    return prepared_->whole->support().energy();
  }
  /// What the sampler draws from.
  const PreparedClass<float>& prepared() const { return *prepared_; }
  /// Rows of the anchors, spread out in the order of choice.
  const std::vector<std::size_t>& anchors() const {
    return prepared_->anchors.anchors;
  }
  /// Atoms for probes.
  std::shared_ptr<const EnergyAtoms> atoms() const { return atoms_; }
  /// The energy of any point, in double.
  double energy(std::span<const double> point) const;
  /// Share of the rows with an energy at or above the threshold.
  double share_outside() const;
  /// Share of the rows with an energy below the given one.
  double rank(double energy) const;

 private:
  Matrix<float> points_;
  std::unique_ptr<PreparedClass<float>> prepared_;
  std::vector<double> sorted_;
  std::shared_ptr<const EnergyAtoms> atoms_;
};

}  // namespace sbog::series
