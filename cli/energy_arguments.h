// SPDX-License-Identifier: Apache-2.0
// Options about energies and thresholds that `sbog score` and `sbog evaluate`
// share.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "sbog/energy/score_bank.h"

namespace sbog::cli {

/// What they are set to.
struct EnergyArguments {
  std::string labels;
  std::string weights;
  std::string metric;
  std::string precision = "float";
  std::string cost = "cosine";
  double epsilon = 0.05;
  std::string self = "exclude";
  bool is_per_class = false;
  double trim = 0.0;
  double quantile = 0.95;
  double margin = 0.0;
  std::size_t calibration = 20000;
};

/// The ground costs on the command line.
std::vector<std::string> cost_names();

/// Declares them; `extra_cost` is one more name for --cost with its meaning, or
/// empty.
void declare_energy_options(CLI::App& command, EnergyArguments& arguments,
                            const std::string& extra_cost = "",
                            const std::string& extra_meaning = "");

/// Library options; `metric` must outlive them.
ScoreOptions energy_options(const EnergyArguments& arguments,
                            MatrixView<const double> metric,
                            std::uint64_t seed);

}  // namespace sbog::cli
