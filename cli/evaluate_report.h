// SPDX-License-Identifier: Apache-2.0
// What `sbog evaluate` says about outliers, to people and to machines.
#pragma once

#include <cstddef>
#include <string>

#include "sbog/metrics/evaluate_outliers.h"

namespace sbog::cli {

/// Facts about the job besides its result.
struct EvaluateFacts {
  std::size_t bank_rows = 0;
  std::size_t outlier_rows = 0;
  std::size_t dim = 0;
  std::size_t threads = 1;
  double seconds = 0.0;
};

/// Everything but time and threads, which change from run to run; ends with a
/// line end. A threshold that is infinite becomes null.
std::string metrics_json(const OutlierMetrics& metrics,
                         const OutlierOptions& options,
                         const EvaluateFacts& facts);

/// Prints the table of metrics to standard output, then those that are missing
/// with their reasons.
void print_metrics(const OutlierMetrics& metrics, const OutlierOptions& options,
                   const EvaluateFacts& facts);

}  // namespace sbog::cli
