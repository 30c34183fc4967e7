// SPDX-License-Identifier: Apache-2.0
// From energies to one number per row: values of the views, their centre and
// unit, and the mean of the views in those units.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/series/detector_options.h"
#include "sbog/series/view_bank.h"

namespace sbog {

/// Views of a kind of detector: 6 or 3.
std::size_t view_count(DetectorKind kind);
/// "joint level" ... "per-channel variability".
std::string view_name(DetectorKind kind, std::size_t view);
/// The signal that a view looks at.
Signal view_signal(DetectorKind kind, std::size_t view);
/// Whether a view is a joint energy.
bool is_joint_view(DetectorKind kind, std::size_t view);

/// Centre and unit of every channel, 3 x channels: the median of the energies
/// on the line, and their .99 quantile less the median, at least 0.2.
struct ChannelUnits {
  Matrix<double> medians;
  Matrix<double> units;
};
ChannelUnits fit_channel_units(const SignalEnergies& energies);

/// Values of the views, rows x views. Six views: joint energies of the three
/// signals, then sums of the energies on the line. Three: the root of the sum
/// of squares of (E - median)+ / unit over the channels.
Matrix<double> view_values(DetectorKind kind, const SignalEnergies& energies,
                           const ChannelUnits& channels);

/// Centre and unit of each view.
struct ViewUnits {
  std::vector<double> centres;
  std::vector<double> units;
};
/// From held-out values of the training series: the median, and the .999
/// quantile less the median, at least 1e-6.
ViewUnits fit_view_units(MatrixView<const double> held_out);
/// For kViewsBatch: the centre is the larger of the two medians, the unit the
/// larger of (.99 quantile less median, held out) and (.90 quantile of the
/// scored values less the centre).
ViewUnits fit_batch_units(MatrixView<const double> held_out,
                          MatrixView<const double> scored);

/// (value - centre)+ / unit / views, rows x views: the rows add up to the
/// score before smoothing.
Matrix<double> view_parts(MatrixView<const double> values,
                          const ViewUnits& units);

/// Sums of the rows.
std::vector<double> row_sums(MatrixView<const double> parts);

}  // namespace sbog
