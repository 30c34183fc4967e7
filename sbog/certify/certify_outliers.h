// SPDX-License-Identifier: Apache-2.0
// The whole certificate of a set of outliers, from a reference, calibration
// points and the outliers themselves.
#pragma once

#include <cstdint>
#include <span>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/certify/certificate.h"
#include "sbog/energy/energy_model.h"

namespace sbog {

/// What is to be certified. Views only.
template <typename T>
struct CertifyProblem {
  MatrixView<const T> reference;    ///< B2, independent of all the rest
  std::span<const double> weights;  ///< of B2; empty: uniform
  MatrixView<const T> calibration;  ///< B1; may be empty with thresholds
  MatrixView<const T> outliers;
  /// Labels of the three: all given, and every point is judged within its own
  /// class, or none.
  std::span<const std::int64_t> reference_labels;
  std::span<const std::int64_t> calibration_labels;
  std::span<const std::int64_t> outlier_labels;
  /// Empty: conformal thresholds. Or one per distinct label of the outliers in
  /// increasing order (one in all without labels), which must not depend on
  /// the reference.
  std::span<const double> thresholds;
};

/// How it is certified.
struct CertifyOptions {
  EnergyOptions energy{};
  double delta = 0.05;  ///< probability that any label is wrong
  double level = 0.95;  ///< of the conformal thresholds
  double margin = 0.0;  ///< added to them; finite, at least 0
  /// Candidates among which the reference had a say: delta is shared by so
  /// many. 0: the outliers. If the outliers were picked by their energies on
  /// this reference, it is the number of all proposals they were picked from.
  double pool = 0.0;
  /// False when the outliers, or the choice of the reference's points, came
  /// from the reference itself: the numbers are then a heuristic.
  bool is_independent = true;
  /// Whether epsilon was found from the calibration points.
  bool is_epsilon_calibrated = false;
};

/// Energies, intervals at delta/pool, labels and p-values; one blocked pass for
/// the energies and one more, at epsilon/2, for the variances (the square of
/// exp(-d/epsilon) is the kernel of epsilon/2). Intervals are widened by what
/// the arithmetic of T may have moved an energy. The labels take a conformal
/// threshold as given, although it is computed on the same reference; pass
/// thresholds from a third sample for a statement without that. The same bits
/// for any number of threads. Throws InvalidArgument for what cannot be
/// certified: no outliers, no reference, other dimensions, bad options.
template <typename T>
[[nodiscard]] Certificate certify_outliers(const CertifyProblem<T>& problem,
                                           const CertifyOptions& options,
                                           const Context& context = {});

}  // namespace sbog
