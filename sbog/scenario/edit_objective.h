// SPDX-License-Identifier: Apache-2.0
// What the search makes small for a source window, its point z and a target v:
//   o = |h(x') - v|^2 / |z - v|^2 + 0.02 sum |a| / a0
//       + max(0, E* - E(h(x'))) / 0.02 + sum_c max(0, slew_c - 1),
// x' the edited window, slew_c its largest step over the largest believable
// one, or over the source's own where that is larger.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/scenario/edited_window.h"
#include "sbog/scenario/embedder.h"
#include "sbog/scenario/energy_probe.h"

namespace sbog::series {

/// Where an edited window should lead.
struct EditTarget {
  std::vector<double> source;  ///< z
  std::vector<double> point;   ///< v
  double least_energy = 0.0;   ///< E*
};

/// The parts of the objective at a list of edits.
struct EditScore {
  double residual = 1.0;      ///< |h(x') - v|^2 / |z - v|^2
  double strength = 0.0;      ///< sum |a| / a0
  double energy = 0.0;        ///< E(h(x'))
  double excess = 0.0;        ///< sum_c max(0, slew_c - 1)
  double total = 0.0;         ///< o
  std::vector<double> point;  ///< h(x')
};

/// The weight of sum |a| / a0.
inline constexpr double kStrengthWeight = 0.02;

/// See the top of the file. Holds work space: one per thread and source.
class EditObjective {
 public:
  /// Throws InvalidArgument when the target is the source's own point.
  EditObjective(MatrixView<const double> source,
                const std::vector<ChannelProfile>& profiles,
                const EditTarget& target, Embedder& embedder,
                EnergyProbe& energy);

  /// The value, and with `gradients` one per edit.
  EditScore evaluate(std::span<const Edit> edits,
                     std::vector<EditGradient>* gradients = nullptr);

  /// As edited by the last evaluate.
  const EditedWindow& window() const { return window_; }
  const EditTarget& target() const { return *target_; }
  const std::vector<ChannelProfile>& profiles() const { return *profiles_; }
  Embedder& embedder() { return *embedder_; }
  /// The largest believable step of a channel of this window.
  double step_limit(std::size_t channel) const;

 private:
  void add_slew(EditScore& score, Matrix<double>* d_rows) const;

  const std::vector<ChannelProfile>* profiles_;
  const EditTarget* target_;
  Embedder* embedder_;
  EnergyProbe* energy_;
  EditedWindow window_;
  std::vector<double> source_steps_;
  double distance_ = 0.0;  // |z - v|^2
  Matrix<float> d_window_;
};

}  // namespace sbog::series
