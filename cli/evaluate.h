// SPDX-License-Identifier: Apache-2.0
// The part of `sbog evaluate` that does not care where the arrays came from.
#pragma once

#include <string>

#include "console.h"
#include "sbog/metrics/evaluate_outliers.h"

namespace sbog::cli {

/// Evaluates loaded arrays with a pool and a progress line of its own, writes
/// the metrics to `out` (JSON; empty: nowhere) and prints them. Returns the
/// exit code.
template <typename T>
int evaluate_arrays(const OutlierProblem<T>& problem,
                    const OutlierOptions& options, const std::string& out,
                    const CommonOptions& common);
extern template int evaluate_arrays(const OutlierProblem<float>&,
                                    const OutlierOptions&, const std::string&,
                                    const CommonOptions&);
extern template int evaluate_arrays(const OutlierProblem<double>&,
                                    const OutlierOptions&, const std::string&,
                                    const CommonOptions&);

}  // namespace sbog::cli
