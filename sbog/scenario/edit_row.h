// SPDX-License-Identifier: Apache-2.0
// One edit of one row of samples, and its derivatives by hand. Rows carry
// recorded samples on both sides of the window, so that a delay finds what it
// moves in.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "sbog/scenario/edit.h"

namespace sbog::series {

/// Recorded samples before and after a window.
inline constexpr std::size_t kMargin = 40;

/// What an edit reads. Element i of a row is the sample at time i - kMargin.
struct RowInput {
  std::span<const double> row;
  std::span<const double> partner;  ///< coupling only
  /// scale: the value that swings are measured from, instead of the mean.
  std::optional<double> floor;
  double ramp = 4.0;
  /// delay and frequency: the nearest recorded sample instead of a value
  /// between two, for channels whose values must not be mixed.
  bool takes_nearest = false;
};

/// Derivatives with respect to the parameters of an edit.
struct EditGradient {
  double amount = 0.0;
  double start = 0.0;
  double end = 0.0;
  double period = 0.0;
  double phase = 0.0;
};

/// The gate at every element of a row of `size` elements.
std::vector<double> gate_of(const Edit& edit, double ramp, std::size_t size);

/// out = the edited row; out and input.row must not overlap.
void apply_edit(const Edit& edit, const RowInput& input, std::span<double> out);

/// For the gradient d_out of the edited row: returns that of the parameters
/// (the ramp is held fixed), adds that of the input to d_row and, for a
/// coupling, that of the partner to d_partner; either may be empty.
EditGradient backward_edit(const Edit& edit, const RowInput& input,
                           std::span<const double> d_out,
                           std::span<double> d_row,
                           std::span<double> d_partner);

}  // namespace sbog::series
