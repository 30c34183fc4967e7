// SPDX-License-Identifier: Apache-2.0
// One pass for the inner products, one for the exponentials; see
// energy_probe.h.
#include "sbog/scenario/energy_probe.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/energy/energy_model.h"

namespace sbog::series {
namespace {

// Atoms below exp(-kFar) of the nearest change no digit that matters.
constexpr double kFar = 36.0;

}  // namespace

EnergyAtoms::EnergyAtoms(MatrixView<const float> points,
                         std::span<const std::size_t> rows, double temperature)
    : coordinates(points.cols(), rows.size()), epsilon(temperature) {
  check_epsilon(temperature);
  if (rows.empty()) {
    throw InvalidArgument("EnergyAtoms: at least one atom is expected");
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t k = 0; k < points.cols(); ++k) {
      coordinates(k, i) = double{points(rows[i], k)};
    }
  }
}

EnergyProbe::EnergyProbe(std::shared_ptr<const EnergyAtoms> atoms)
    : atoms_(std::move(atoms)), dots_(atoms_->coordinates.cols()) {}

double EnergyProbe::run(std::span<const double> point,
                        std::span<double> gradient) {
  const Matrix<double>& atoms = atoms_->coordinates;
  const std::size_t count = atoms.cols();
  if (point.size() != atoms.rows()) {
    throw InvalidArgument(
        "EnergyProbe: a point of the dimension of the atoms is expected");
  }
  std::fill(dots_.begin(), dots_.end(), 0.0);
  for (std::size_t k = 0; k < point.size(); ++k) {
    const double* row = atoms.row(k).data();
    const double coordinate = point[k];
    for (std::size_t i = 0; i < count; ++i) dots_[i] += coordinate * row[i];
  }
  const double highest = *std::max_element(dots_.begin(), dots_.end());
  const double scale = 1.0 / atoms_->epsilon;
  const double least = highest - kFar * atoms_->epsilon;
  double total = 0.0;
  std::fill(gradient.begin(), gradient.end(), 0.0);
  for (std::size_t i = 0; i < count; ++i) {
    if (dots_[i] < least) continue;
    const double weight = std::exp((dots_[i] - highest) * scale);
    total += weight;
    for (std::size_t k = 0; k < gradient.size(); ++k) {
      gradient[k] -= weight * atoms(k, i);
    }
  }
  double along = 0.0;
  for (std::size_t k = 0; k < gradient.size(); ++k) {
    gradient[k] /= total;
    along += gradient[k] * point[k];
  }
  for (std::size_t k = 0; k < gradient.size(); ++k) {
    gradient[k] -= along * point[k];
  }
  return std::max(
      0.0, 1.0 - highest -
               atoms_->epsilon * std::log(total / static_cast<double>(count)));
}

}  // namespace sbog::series
