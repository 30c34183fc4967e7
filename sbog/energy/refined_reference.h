// SPDX-License-Identifier: Apache-2.0
// Trimmed reference and refined energies: leave the least supported share of
// the bank out of the reference, then score everybody again.
#pragma once

#include <cstddef>
#include <vector>

#include "sbog/base/progress.h"
#include "sbog/energy/energy_model.h"
#include "sbog/energy/reference_measure.h"

namespace sbog {

/// Options of refine_reference.
struct RefineOptions {
  /// Share of atoms to leave out, in [0, 1): floor(trim * n) of them.
  double trim = 0.08;
  /// Largest number of refinements; it stops early when nothing changes.
  std::size_t rounds = 1;
  /// Score atoms with themselves in the reference (the literal reading).
  bool includes_self = false;
};

/// The trimmed reference and everybody's energy against it.
struct RefinedReference {
  SolveStatus status = SolveStatus::kDone;
  /// Bank rows that stay in the reference, increasing.
  std::vector<std::size_t> kept;
  /// Refined energy of each atom of the measure, kept or not, in its order.
  std::vector<double> energies;
  /// Refinements done, and whether the last one left the kept set as it was.
  std::size_t rounds = 0;
  bool is_stable = false;
};

/// Orders the atoms by (energy descending, row ascending), drops the first
/// floor(trim * n) and scores all atoms against the rest; a kept atom does not
/// see itself. Repeats up to `rounds` times.
template <typename T>
RefinedReference refine_reference(const ReferenceMeasure<T>& measure,
                                  const EnergyOptions& energy,
                                  const RefineOptions& options,
                                  const Context& context = {});

}  // namespace sbog
