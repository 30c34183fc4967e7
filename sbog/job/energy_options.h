// SPDX-License-Identifier: Apache-2.0
// Options about energies and thresholds that several jobs share.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/option_table.h"
#include "sbog/data/array.h"
#include "sbog/energy/score_bank.h"
#include "sbog/job/epsilon_setting.h"

namespace sbog::job {

/// What they are set to. Files are named as `load_array` takes them.
struct EnergySettings {
  std::string labels;
  bool per_class = false;
  std::string weights;
  std::string cost = "cosine";
  std::string metric;
  EpsilonSetting epsilon;
  bool includes_self = false;  ///< whether a bank point supports itself
  double trim = 0.0;
  double quantile = 0.95;  ///< the level of "outlier"
  double margin = 0.0;
  std::size_t calibration = 20000;
  std::string precision = "float";  ///< or "double"
};

/// Names of the ground costs.
std::vector<std::string> cost_names();

/// Their table; `is_precomputed_allowed` adds --cost precomputed.
OptionTable<EnergySettings> energy_option_table(
    bool is_precomputed_allowed = false);

/// Library options; `metric` must outlive them. For `auto` they find epsilon.
sbog::ScoreOptions score_options_of(const EnergySettings& settings,
                                    MatrixView<const double> metric,
                                    std::uint64_t seed);

/// The matrix of a Mahalanobis cost, empty for other costs. Throws
/// InvalidArgument when the cost needs one that is not given.
LoadedMatrix<double> load_metric(const EnergySettings& settings);

}  // namespace sbog::job
