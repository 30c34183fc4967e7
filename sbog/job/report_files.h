// SPDX-License-Identifier: Apache-2.0
// The data of a report from the folder of a run: what all kinds read, and one
// function per kind.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sbog/job/report.h"
#include "sbog/report/report_data.h"
#include "sbog/report/report_points.h"
#include "sbog/run/finished_run.h"

namespace sbog::job {

/// A JSON file. Throws IoError.
nlohmann::json json_of_file(const std::string& path);
/// bank_energies.npy. Throws IoError unless it has one number per row.
std::vector<double> bank_energies(const FinishedRun& run, std::size_t rows);

/// What all kinds say about themselves in the same words: facts, configuration
/// and command.
void read_run_facts(const FinishedRun& run, ReportData& data);

/// The list "metrics" of a metrics.json. Throws nlohmann::json::exception.
std::vector<ReportMetric> metrics_of(const nlohmann::json& json);

/// certificate.json as the page needs it: one entry per class in the order of
/// `labels`, and every field there. Throws IoError for another file.
std::string certificate_of(const std::string& path,
                           const std::vector<std::int64_t>& labels,
                           const std::vector<ReportClass>& classes);

/// Gives the classes the names of the file, one per line. Throws IoError, and
/// InvalidArgument for another number of lines.
void name_classes(const std::string& path, std::vector<ReportClass>& classes);

/// Says what the shown outliers lie next to, and lists some of them: in the
/// words of `given`, a file with a line per bank row, else in those that the
/// run keeps; nothing happens without either. A line that names a PNG or JPEG
/// file which is there becomes a small picture, taken from the working folder
/// or from that of the lines. `problem` is what fill_report_points was given.
/// Throws IoError, and InvalidArgument for another number of lines.
template <typename T>
[[nodiscard]] SolveStatus add_report_items(const std::string& given,
                                           const FinishedRun& run,
                                           const ReportPointProblem<T>& problem,
                                           ReportData& data,
                                           const Context& context);

/// A run on points. Nothing when stopped. Throws IoError, InvalidArgument and
/// nlohmann::json::exception for files that are not what a run writes.
std::optional<ReportData> latent_report(const ReportOptions& options,
                                        const FinishedRun& run, Events& events,
                                        const Context& context);

/// A run on a series; as above.
std::optional<ReportData> series_report(const ReportOptions& options,
                                        const FinishedRun& run, Events& events,
                                        const Context& context);

/// Some windows of such a run, of its entries of edits.json that were kept, in
/// the order of the windows: those that a model fails on before others, sorted
/// by severity. Throws IoError and nlohmann::json::exception.
void add_report_windows(const FinishedRun& run,
                        std::span<const nlohmann::json> kept, ReportData& data);

/// A run on images: as one on points, with its decoded images; as above.
std::optional<ReportData> image_report(const ReportOptions& options,
                                       const FinishedRun& run, Events& events,
                                       const Context& context);

}  // namespace sbog::job
