// SPDX-License-Identifier: Apache-2.0
// What a report takes from stress.json.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "sbog/report/report_data.h"
#include "sbog/run/finished_run.h"

namespace sbog::job {

/// stress.json of a run, or nothing where no model was asked; `outliers` are
/// all of the run, in the order of outliers.npy. Throws IoError for a file that
/// `sbog stress` does not write.
std::optional<ReportStress> stress_of(const FinishedRun& run,
                                      std::span<const ReportOutlier> outliers);

/// The outliers that are the clearest cases of weak spots, worst spot first,
/// each once.
std::vector<std::size_t> clearest_cases(
    const std::optional<ReportStress>& stress);

}  // namespace sbog::job
