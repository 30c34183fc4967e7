// SPDX-License-Identifier: Apache-2.0
// The first steps of a class's preparation, which need no choice: halves,
// temperature, reference and the scores of all points.
#pragma once

#include <vector>

#include "sbog/base/progress.h"
#include "sbog/sample/prepared_class.h"

namespace sbog {

/// Fills problem, options, calibration, kept, whole and scores; takes
/// temperature and scores from problem.known if these are there.
template <typename T>
void start_class(PreparedClass<T>& prepared, const ClassProblem<T>& problem,
                 const SamplerOptions& options, const Context& context = {});

/// Scores of the rows that tell the threshold.
template <typename T>
std::vector<double> calibration_scores(const PreparedClass<T>& prepared);

/// The temperature and the scores of a class by themselves.
template <typename T>
ScoredClass score_class(const ClassProblem<T>& problem,
                        const SamplerOptions& options,
                        const Context& context = {});

}  // namespace sbog
