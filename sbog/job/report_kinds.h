// SPDX-License-Identifier: Apache-2.0
// The data of a report from the folder of a run, one function per kind.
#pragma once

#include <optional>

#include "sbog/job/report.h"
#include "sbog/report/report_data.h"
#include "sbog/run/finished_run.h"

namespace sbog::job {

/// A run on points. Nothing when stopped. Throws IoError, InvalidArgument and
/// nlohmann::json::exception for files that are not what a run writes.
std::optional<ReportData> latent_report(const ReportOptions& options,
                                        const FinishedRun& run, Events& events,
                                        const Context& context);

/// A run on a series; as above.
std::optional<ReportData> series_report(const ReportOptions& options,
                                        const FinishedRun& run, Events& events,
                                        const Context& context);

/// A run on images: as one on points, with its decoded images; as above.
std::optional<ReportData> image_report(const ReportOptions& options,
                                       const FinishedRun& run, Events& events,
                                       const Context& context);

}  // namespace sbog::job
