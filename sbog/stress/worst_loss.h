// SPDX-License-Identifier: Apache-2.0
// The worst expected loss of a model when the controls may move, by a transport
// ball of growing radius, to the cases: sbog/dro on both together.
#pragma once

#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/base/status.h"
#include "sbog/energy/energy_model.h"

namespace sbog::stress {

/// The worst case at one radius.
struct WorstLoss {
  double radius = 0.0;
  double value = 0.0;  ///< worst expected loss
  double duality_gap = 0.0;
  bool is_converged = true;
};

/// All radii, and what bounds them.
struct WorstLosses {
  SolveStatus status = SolveStatus::kDone;  ///< or kCancelled: nothing is there
  double nominal = 0.0;                     ///< expected loss at radius 0
  double largest_radius = 0.0;  ///< from here on it is the largest loss
  std::vector<WorstLoss> curve;
};

/// Controls carry equal weights; they may move to any control or case.
/// `radii` empty: 0 and 1/8, 1/4, 1/2 and all of the largest radius. Throws
/// InvalidArgument as SinkhornDro does.
template <typename T>
WorstLosses worst_losses(MatrixView<const T> controls,
                         std::span<const double> control_losses,
                         MatrixView<const T> cases,
                         std::span<const double> case_losses,
                         const EnergyOptions& energy, std::vector<double> radii,
                         const Context& context = {});

}  // namespace sbog::stress
