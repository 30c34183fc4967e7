// SPDX-License-Identifier: Apache-2.0
// Value and gradient of the energy of single points under the cosine cost, many
// times: atoms are kept coordinate by coordinate, and those that cannot matter
// cost no exponential.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"

namespace sbog::series {

/// Atoms that several probes share.
struct EnergyAtoms {
  Matrix<double> coordinates;  ///< dim x atoms, unit columns
  double epsilon = 0.02;

  /// From unit rows; `rows` names the atoms.
  EnergyAtoms(MatrixView<const float> points, std::span<const std::size_t> rows,
              double epsilon);
};

/// See the top of the file. Holds work space: one per thread.
class EnergyProbe {
 public:
  explicit EnergyProbe(std::shared_ptr<const EnergyAtoms> atoms);

  /// E(point); points are taken as unit vectors.
  double value(std::span<const double> point) { return run(point, {}); }
  /// E(point) and its gradient along the sphere.
  double value(std::span<const double> point, std::span<double> gradient) {
    return run(point, gradient);
  }

 private:
  double run(std::span<const double> point, std::span<double> gradient);

  std::shared_ptr<const EnergyAtoms> atoms_;
  std::vector<double> dots_;
};

}  // namespace sbog::series
