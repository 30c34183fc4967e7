// SPDX-License-Identifier: Apache-2.0
// The data of a report from the folder of a run, one function per kind.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "console.h"
#include "report_run.h"
#include "sbog/report/report_data.h"

namespace sbog::cli {

/// A run on points. Nothing when interrupted. Throws IoError, InvalidArgument
/// and nlohmann::json::exception for files that are not what a run writes.
std::optional<ReportData> latent_report(const ReportArguments& arguments,
                                        const nlohmann::json& manifest,
                                        const CommonOptions& common);

/// A run on a series; as above.
std::optional<ReportData> series_report(const ReportArguments& arguments,
                                        const nlohmann::json& manifest,
                                        const CommonOptions& common);

/// A run on images: as one on points, with its decoded images; as above.
std::optional<ReportData> image_report(const ReportArguments& arguments,
                                       const nlohmann::json& manifest,
                                       const CommonOptions& common);

}  // namespace sbog::cli
