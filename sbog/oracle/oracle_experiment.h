// SPDX-License-Identifier: Apache-2.0
// The controlled experiment: a generator is run on a bank of windows whose
// boundary is known exactly, its outputs are decoded and judged by that.
#pragma once

#include <vector>

#include "sbog/base/progress.h"
#include "sbog/oracle/oracle_world.h"
#include "sbog/sample/sampler_options.h"

namespace sbog {

/// One row of the table. Shares are of the outputs that could be decoded; where
/// there are none, precision, validity and distance are NaN.
struct OracleRow {
  double boundary_precision = 0.0;  ///< share in a band of the source class
  double semantic_validity = 0.0;   ///< share the source class explains best
  double boundary_coverage = 0.0;   ///< share of oracle samples near an output
  double worst_coverage = 0.0;      ///< the same for the worst region
  double sliced_wasserstein = 0.0;  ///< SW2 of outputs and oracle samples
  /// Average precision of a detector trained on bank and outputs, tested on
  /// fresh in-distribution and oracle windows.
  double oracle_aupr = 0.0;
  double round_acceptance = 0.0;  ///< share of rounds that gave an output
  double decode_failure = 0.0;    ///< share of outputs that have no window
  std::vector<double> region_coverage;  ///< one per region
};

/// Algorithm 1 in this experiment: epsilon 0.02, sigma 0.02, 128 proposals,
/// quantile 0.95, trim 8 %, the 40 highest energies as anchors, the highest
/// feasible proposal within six rounds, and a semantic floor of the 1 %
/// quantile of the class's cosines minus 0.02. Generators are this with fields
/// changed.
SamplerOptions oracle_options();

/// Runs one generator. Count and seed of the options are those of the world's
/// settings. Uses the context's threads, to the same bits for any number of
/// them, and not its observer. Throws InvalidArgument for options that do not
/// fit.
OracleRow run_oracle(const OracleWorld& world, const SamplerOptions& options,
                     const Context& context = {});

}  // namespace sbog
