// SPDX-License-Identifier: Apache-2.0
// `sbog evaluate RUN`: the metrics of a run folder, with those that need the
// sampler again (Fill, Delta, Yield).
#pragma once

#include <string>

#include "console.h"

namespace sbog::cli {

/// Reads the run's configuration, inputs and outliers, and evaluates them. The
/// bank is read from `bank`, or where the run found it when that is empty; the
/// metrics go to `out`, or to metrics.json in the folder. Returns the exit
/// code. Throws IoError when the folder holds no finished run or the inputs
/// have changed.
int evaluate_run(const std::string& folder, const std::string& bank,
                 const std::string& out, const CommonOptions& common);

}  // namespace sbog::cli
