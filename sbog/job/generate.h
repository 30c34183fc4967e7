// SPDX-License-Identifier: Apache-2.0
// The job `generate`: structured outliers of a bank, of a series or of images,
// as a run folder that resumes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sbog/base/option_table.h"
#include "sbog/base/progress.h"
#include "sbog/job/events.h"
#include "sbog/job/image_options.h"
#include "sbog/job/kind.h"
#include "sbog/job/series_options.h"
#include "sbog/job/table_options.h"
#include "sbog/run/run_folder.h"
#include "sbog/sample/sampler.h"
#include "sbog/scenario/severity.h"

namespace sbog::job {

/// What `generate` can be told. Files are named as `load_array` takes them.
struct GenerateOptions {
  std::string input;
  std::string out;  ///< folder of the run
  Kind kind = Kind::kAuto;
  std::string labels;  ///< a file; of a table one of its columns
  /// Class anchors: a file, "means" or "none"; for images a file,
  /// "orthonormal" or "simplex". Empty: means with labels, orthonormal.
  std::string class_anchors;
  std::string losses;
  std::string metric;
  std::vector<std::string> columns;
  std::string items;                ///< of points: a line per row; empty: none
  std::string precision = "float";  ///< or "double"
  /// Name of the defaults behind `sampler`; kept in the configuration.
  std::string profile{kDefaultProfile};
  SamplerOptions sampler = profile_options(kDefaultProfile);
  std::size_t total = 0;    ///< outliers in all; 0: sampler.count per class
  std::size_t part = 4000;  ///< outputs per resumable part
  bool resume = false;
  bool no_report = false;

  // Series and images.
  std::string model;        ///< of `train`; empty: trained
  std::size_t epochs = 10;  ///< passes over windows or images
  std::string decoder;      ///< empty: edits for series, cvae for images
  std::optional<std::size_t> decoder_epochs;
  SeriesSettings series;
  ImageSettings images;
  TableSettings table;
};

const OptionTable<GenerateOptions>& generate_option_table();
/// Its options with the defaults of every profile.
std::vector<OptionInfo> generate_option_infos();

/// What the input seems to hold: a CSV file is a series, a folder images.
Kind kind_of_input(const std::string& input);
/// Options with the defaults of a kind: of the named profile, or without a name
/// of the profile `balanced` (for series `scenario`). Images have sigma 0: it
/// follows from the width of their latents.
GenerateOptions default_generate_options(Kind kind,
                                         std::string_view profile = {});

/// What a run on a series says besides counts.
struct SeriesSummary {
  std::vector<std::string> sentences;  ///< of the kept scenarios
  double mean_edits = 0.0;             ///< 0: windows were drawn as a whole
  double mean_reached = 0.0;
  std::string law;
  /// By severity; empty when none was asked for.
  std::map<std::size_t, series::SeverityCount> severities;
  bool has_energies = true;  ///< there was an encoder
};

/// What came out.
struct GenerateResult {
  Status status = Status::kDone;
  Kind kind = Kind::kPoints;
  std::string out;
  /// The run had been finished by an earlier call.
  bool was_finished = false;
  std::size_t requested = 0;
  std::size_t produced = 0;
  double seconds = 0.0;
  double prepare_seconds = 0.0;
  double sample_seconds = 0.0;
  std::vector<ClassReport> classes;  ///< of points and images
  /// Of points: how far the outliers are from the bank, in units of how far its
  /// held-out rows are.
  std::optional<double> distance_ratio;
  double level = 0.0;      ///< share of the bank below the threshold
  std::string severities;  ///< "1,2,3" of points; empty: one band
  /// Of points: how rare they are, in one sentence; empty when not known of a
  /// run of before.
  std::string rarity;
  std::optional<SeriesSummary> series;
  std::string manifest;  ///< JSON, as in manifest.json
  std::string metrics;   ///< JSON, of series and images; empty: none
  std::string report;    ///< path of report.html; empty: none
};

/// Throws InvalidArgument for options that make no sense, IoError for files.
GenerateResult run(const GenerateOptions& options, Events& events,
                   const Context& context = {});
nlohmann::json to_json(const GenerateResult& result);

// What runs of all kinds share.

/// The resolved configuration of a run as TOML: what is for its kind.
std::string generate_config(const GenerateOptions& options);
/// Version, kind, seed and input.
nlohmann::json first_manifest(const GenerateOptions& options);
/// The result of a run that an earlier call finished, or nothing.
std::optional<GenerateResult> finished_result(const RunFolder& folder,
                                              const GenerateOptions& options,
                                              Events& events,
                                              const Context& context);
/// The result of a run that was stopped, with a note on how to go on.
GenerateResult stopped_result(const GenerateOptions& options, Events& events);
/// Ends a run by result.status: manifest, report, no parts any more.
void finish_run(const RunFolder& folder, const nlohmann::json& manifest,
                const GenerateOptions& options, GenerateResult& result,
                Events& events, const Context& context);
/// Writes report.html unless the options say no, and returns its path; empty
/// with a warning when there is none.
std::string end_with_report(const GenerateOptions& options, Events& events,
                            const Context& context);

/// The run on a series; `options.kind` is taken to be kSeries.
GenerateResult generate_series(const GenerateOptions& options, Events& events,
                               const Context& context);

}  // namespace sbog::job
