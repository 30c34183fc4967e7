// SPDX-License-Identifier: Apache-2.0
// The banks behind the views of a detector: for each signal one joint energy
// over all channels and one energy on the line per channel.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/series/joint_energy.h"
#include "sbog/series/line_energy.h"
#include "sbog/series/signals.h"

namespace sbog {

/// How many rows serve as atoms; evenly spaced rows, 0 means all.
struct BankOptions {
  std::size_t joint_rows = 0;  ///< of the joint energies
  std::size_t line_rows = 0;   ///< of the energies on the line
  bool needs_joint = true;     ///< false: no joint energies are prepared
};

/// Energies of the rows of all signals.
struct SignalEnergies {
  /// rows x 3, one column per signal; empty without joint energies.
  Matrix<double> joint;
  /// One matrix of rows x channels per signal.
  std::array<Matrix<float>, kSignalCount> lines;
};

/// See the top of the file.
class ViewBank {
 public:
  /// Keeps its own atoms: `rows` of the signals (increasing).
  ViewBank(const SignalSet& signals, std::span<const std::size_t> rows,
           const BankOptions& options, const Context& context = {});

  /// Energies of rows [range) of the signals.
  SignalEnergies evaluate(const SignalSet& signals, RowRange range,
                          const Context& context = {}) const;

  /// Null without joint energies.
  const JointEnergy* joint(Signal signal) const {
    return joints_[static_cast<std::size_t>(signal)].get();
  }

  /// eps of an energy on the line, as a share of the range of its atoms.
  static constexpr double kLineEpsilon = 0.01;

 private:
  std::array<std::unique_ptr<JointEnergy>, kSignalCount> joints_;
  std::array<std::vector<LineEnergy>, kSignalCount> lines_;
};

}  // namespace sbog
