// SPDX-License-Identifier: Apache-2.0
// The points of a report: which of them are shown, where they lie on the map,
// and how near the outliers are to the bank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/base/status.h"
#include "sbog/energy/energy_model.h"
#include "sbog/report/report_data.h"

namespace sbog {

/// A bank point that outliers started from, or could have.
struct ReportAnchor {
  std::size_t row = 0;  ///< of the bank
  std::uint64_t draws = 0;
  std::uint64_t successes = 0;
};

/// Everything in full. Views only.
template <typename T>
struct ReportPointProblem {
  MatrixView<const T> bank;
  std::span<const double> bank_energies;      ///< one per row
  std::span<const std::size_t> bank_classes;  ///< positions, one per row
  MatrixView<const T> outliers;
  std::span<const ReportOutlier> outlier_facts;  ///< one per row
  /// Anchors of `outlier_facts` that are missing here are added.
  std::span<const ReportAnchor> anchors;
  EnergyOptions energy{};  ///< cost and metric of the nearest bank point
};

/// How much is shown.
struct ReportPointOptions {
  std::size_t bank_limit = ReportLimits::kBank;  ///< at most that of the page
  std::uint64_t seed = 0;
  /// Axes cost a cube of rows or dimensions, whichever are fewer: when both are
  /// more than this, the axes come from so many rows.
  std::size_t axis_rows = 1000;
};

/// Fills bank, anchors, outliers and map of `data`, and adds a note when points
/// without a finite energy are left out. What is more than the page takes is
/// sampled: `draw_subset` with the seed and the purposes 0x52000001 (bank) and
/// 0x52000002 (outliers). The axes are those of the shown bank points. kDone or
/// kCancelled. Throws InvalidArgument for lists that do not fit together.
template <typename T>
SolveStatus fill_report_points(const ReportPointProblem<T>& problem,
                               const ReportPointOptions& options,
                               ReportData& data, const Context& context = {});

}  // namespace sbog
