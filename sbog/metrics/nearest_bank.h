// SPDX-License-Identifier: Apache-2.0
// What the nearest bank point of each generated point says: how far it is and
// whether it is of the same class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/base/status.h"
#include "sbog/energy/energy_model.h"

namespace sbog {

/// The nearest atom of each point.
struct NearestBank {
  /// kDone, or kCancelled: then the rest is not to be used.
  SolveStatus status = SolveStatus::kDone;
  std::vector<std::size_t> rows;  ///< bank rows; ties to the smallest
  std::vector<double> costs;      ///< ground costs to them, in double
};

/// Over all atoms of positive weight; the four nearest by costs in T are
/// compared again in double, which settles what T cannot tell apart. Only cost
/// and metric of `energy` are used. Throws InvalidArgument for points that do
/// not fit.
template <typename T>
NearestBank nearest_bank(const ReferenceMeasure<T>& bank,
                         MatrixView<const T> points,
                         const EnergyOptions& energy,
                         const Context& context = {});

/// Smallest, median, mean and largest of a list of costs.
struct CostSummary {
  double min = 0.0;
  double median = 0.0;
  double mean = 0.0;
  double max = 0.0;
};

/// nullopt without costs.
std::optional<CostSummary> summarise_costs(std::span<const double> costs);

/// Fidelity_1nn: share of points whose nearest bank row has the label of their
/// source class (1 minus it is Contam_TS); nullopt without points. Throws
/// InvalidArgument for lists of different length and rows without a label.
std::optional<double> neighbour_fidelity(
    std::span<const std::size_t> nearest_rows,
    std::span<const std::int64_t> labels,
    std::span<const std::int64_t> source_classes);

/// Options of class_purity.
struct PurityOptions {
  std::size_t per_class = 150;  ///< bank points drawn of each class
  std::uint64_t seed = 0;
};

/// Purity_c: share of the points of source class c whose nearest neighbour
/// among equally many bank points of every class is of class c.
struct ClassPurity {
  std::int64_t label = 0;
  std::size_t count = 0;  ///< points of this source class
  double value = 0.0;
};

/// Purity of every source class, by increasing label.
struct PurityResult {
  SolveStatus status = SolveStatus::kDone;
  std::vector<ClassPurity> classes;
  double mean = 0.0;  ///< over the classes
};

/// Draws per_class atoms of each class (all of a smaller class) and searches
/// among them. Throws InvalidArgument without points or labels, and for lists
/// of different length.
template <typename T>
PurityResult class_purity(const ReferenceMeasure<T>& bank,
                          std::span<const std::int64_t> labels,
                          MatrixView<const T> points,
                          std::span<const std::int64_t> source_classes,
                          const EnergyOptions& energy,
                          const PurityOptions& options = {},
                          const Context& context = {});

}  // namespace sbog
