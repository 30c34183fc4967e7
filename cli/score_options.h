// SPDX-License-Identifier: Apache-2.0
// What `sbog score` can be asked, and its translation to the library's options.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "energy_arguments.h"
#include "sbog/energy/score_bank.h"

namespace sbog::cli {

/// The command line of `sbog score`, option by option.
struct ScoreArguments : EnergyArguments {
  std::string bank;
  std::string queries;
  std::string query_labels;
  std::vector<std::string> columns;
  std::size_t local = 0;
  std::string local_convention = "submeasure";
  std::string threshold = "quantile";
  double tolerance = 0.0;
  std::string out;
  std::string shard;
  std::string state;

  bool is_precomputed() const { return cost == "precomputed"; }
};

/// Declares the options.
void declare_score_options(CLI::App& command, ScoreArguments& arguments);

/// Throws InvalidArgument for options that exclude each other.
void check_score_arguments(const ScoreArguments& arguments);

/// Library options; `metric` must outlive them.
ScoreOptions to_score_options(const ScoreArguments& arguments,
                              MatrixView<const double> metric,
                              std::uint64_t seed);

/// A shard "I/N": the I-th of N nearly equal runs of blocks, I from 0.
struct Shard {
  std::size_t index = 0;
  std::size_t count = 1;
};
Shard parse_shard(const std::string& text);

}  // namespace sbog::cli
