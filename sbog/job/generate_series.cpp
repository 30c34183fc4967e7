// SPDX-License-Identifier: Apache-2.0
// The job `generate` on a series: scenarios as a run folder; see generate.h.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "sbog/base/atomic_file.h"
#include "sbog/base/checksum.h"
#include "sbog/base/errors.h"
#include "sbog/base/stopwatch.h"
#include "sbog/data/npy.h"
#include "sbog/job/files.h"
#include "sbog/job/generate.h"
#include "sbog/job/scenario_files.h"
#include "sbog/job/scenario_json.h"
#include "sbog/job/scenario_settings.h"
#include "sbog/job/series_input.h"
#include "sbog/job/torch_library.h"
#include "sbog/run/run_folder.h"
#include "sbog/run/run_json.h"
#include "sbog/scenario/graded_scenarios.h"
#include "sbog/scenario/scenario.h"
#include "sbog/series/series_model_file.h"

namespace sbog::job {
namespace {

using series::Scenario;
using series::ScenarioGenerator;
using series::ScenarioOptions;
using series::ScenarioRun;
using series::SeriesModel;

constexpr std::size_t kVaeEpochs = 20;

std::uint64_t series_checksum(const Series& series,
                              const GenerateOptions& options) {
  Checksum checksum;
  checksum.update(series.values.data(), series.values.size() * sizeof(double));
  for (const std::string& name : series.channels) {
    checksum.update(name.data(), name.size() + 1);
  }
  for (const std::string& time : series.times) {
    checksum.update(time.data(), time.size() + 1);
  }
  for (const std::string& path : {options.model, options.series.second_model}) {
    if (path.empty()) continue;
    const std::string bytes = read_file(path);
    checksum.update(bytes.data(), bytes.size());
  }
  return checksum.digest();
}

series::SeriesTraining training_of(const GenerateOptions& options) {
  series::SeriesTraining training;
  training.windows.width = options.series.width;
  training.windows.stride = options.series.stride;
  training.pretext.epochs = options.epochs;
  training.pretext.mid = options.series.mid;
  training.pretext.head = options.series.head;
  training.pretext.seed = options.sampler.seed;
  return training;
}

// Throws InvalidArgument for decoders that do not go with series or the law.
bool is_drawn_by_vae(const GenerateOptions& options) {
  if (options.decoder.empty() || options.decoder == "edits") return false;
  if (options.decoder != "vae") {
    throw InvalidArgument("--decoder " + options.decoder +
                          ": it is not for --kind series");
  }
  if (options.series.law == "edit-first") {
    throw InvalidArgument(
        "--law edit-first: it starts from edits, which --decoder vae does "
        "not make");
  }
  return true;
}

// Reads the model, or trains one and keeps it in the run. Nothing when
// stopped.
std::optional<SeriesModel> find_model(const GenerateOptions& options,
                                      const Series& series,
                                      const RunFolder& folder, Events& events,
                                      const Context& context) {
  if (!options.model.empty()) return series::read_series_model(options.model);
  const std::string path = folder.file("model.safetensors");
  if (std::filesystem::exists(path)) return series::read_series_model(path);
  series::SeriesTraining training = training_of(options);
  training.pretext.checkpoint = folder.file("model.checkpoint");
  std::optional<SeriesModel> model;
  {
    Stage stage(events, context, "training");
    model = train_series_model(series, training, stage.context());
  }
  if (!model) return model;
  write_series_model(path, *model);
  std::filesystem::remove(training.pretext.checkpoint);
  return model;
}

// Pieces of a run: outputs k = piece, piece + pieces, ... of each.
struct Pieces {
  std::size_t count = 0;
  std::size_t outputs = 0;
  std::size_t dim = 0;
  std::function<std::vector<Scenario>(std::size_t)> make;
};

// All outputs, taken up from parts where there are any. Nothing when stopped.
std::optional<std::vector<Scenario>> run_pieces(
    const Pieces& pieces, const series::WindowSource& windows,
    const RunFolder& folder, Events& events, const Context& context) {
  const std::string identity = checksum_hex(folder.identity());
  AnchorPartLimits limits;
  limits.anchor_count = pieces.count;
  limits.outputs = pieces.outputs;
  limits.windows = windows.size();
  limits.rows = windows.rows();
  limits.width = windows.width();
  limits.channels = windows.channels();
  limits.dim = pieces.dim;
  std::vector<std::vector<Scenario>> parts(pieces.count);
  Stage stage(events, context, "decoding");
  ProgressCounter progress(stage.context().observer, pieces.outputs);
  parallel_for(context, parts.size(), [&](std::size_t a, std::size_t) {
    if (progress.is_cancelled()) return;
    const std::string path =
        folder.file("parts/anchor-" + std::to_string(a) + ".json");
    AnchorPartLimits own = limits;
    own.anchor = a;
    if (auto part = read_anchor_part(path, identity, own)) {
      parts[a] = std::move(*part);
    } else {
      parts[a] = pieces.make(a);
      write_anchor_part(path, identity, parts[a]);
    }
    progress.add(parts[a].size());
  });
  if (progress.is_cancelled()) return std::nullopt;
  std::vector<Scenario> all;
  for (std::vector<Scenario>& part : parts) {
    for (Scenario& scenario : part) all.push_back(std::move(scenario));
  }
  return all;
}

std::string few_of(const std::vector<std::string>& names) {
  constexpr std::size_t kNamed = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(kNamed, names.size()); ++i) {
    text += (i > 0 ? ", " : "") + names[i];
  }
  if (names.size() > kNamed) {
    text += " and " + std::to_string(names.size() - kNamed) + " more";
  }
  return text;
}

std::string percent_of(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g %%", 100.0 * share);
  return text;
}

// What no rarity can be told of, once.
void note_severities(const series::ScenarioDiagnostics& d, Events& events) {
  if (!d.drifting.empty()) {
    events.on_note("the recording drifts in " + few_of(d.drifting) +
                   ": rarity unknown; severities there are shares of the "
                   "recorded spans, without a return period (of the last "
                   "fifth " +
                   percent_of(d.drift_observed) +
                   " of spans exceed what 1 % did before, over all channels)");
  }
  for (const auto& [severity, count] : d.severities) {
    if (count.unreachable.empty()) continue;
    events.on_note("severity " + std::to_string(severity) +
                   " lies beyond the limits of their channels, or below the "
                   "weakest edit, for: " +
                   few_of(count.unreachable));
  }
  if (d.misses.contains("short")) {
    events.on_note(
        "the recording is too short to tell the rarity of some spans; shorter "
        "ones were taken where there are any");
  }
}

void warn_of_failures(const ScenarioRun& run, Events& events) {
  const series::ScenarioDiagnostics& d = run.diagnostics;
  if (d.kept == run.scenarios.size()) return;
  std::string reasons;
  for (const auto& [name, count] : d.misses) {
    reasons +=
        (reasons.empty() ? "" : ", ") + name + " " + std::to_string(count);
  }
  events.on_warning(with_commas(d.kept) + " of " +
                    with_commas(run.scenarios.size()) +
                    " outliers were kept; tries failed by: " + reasons);
}

// Ends a run whose encoder tells no windows apart.
GenerateResult collapsed_result(const GenerateOptions& options,
                                const RunFolder& folder,
                                nlohmann::json manifest, Events& events) {
  events.on_warning(
      "the encoder has collapsed: every window gets nearly the same point, "
      "so that no outliers can follow from it; train with more --epochs or "
      "another --seed");
  GenerateResult result;
  result.status = Status::kNotReached;
  result.kind = Kind::kSeries;
  result.out = options.out;
  result.requested = options.sampler.count;
  manifest["requested"] = result.requested;
  manifest["produced"] = 0;
  folder.write_manifest(manifest, "partial");
  folder.remove_parts();
  result.manifest = stored_json(manifest, -1);
  return result;
}

SeriesSummary summary_of(const ScenarioRun& run,
                         const std::vector<bool>& is_kept) {
  SeriesSummary summary;
  for (std::size_t i = 0; i < run.scenarios.size(); ++i) {
    if (is_kept[i]) summary.sentences.push_back(run.scenarios[i].sentence);
  }
  summary.mean_edits = run.diagnostics.mean_edits;
  summary.mean_reached = run.diagnostics.mean_reached;
  summary.law = to_string(run.diagnostics.law);
  summary.severities = run.diagnostics.severities;
  summary.has_energies = run.diagnostics.has_energies;
  return summary;
}

// Writes the files of the scenarios and what the manifest says of them. Without
// an encoder there is no bank.
GenerateResult write_scenarios(const ScenarioRun& run,
                               const std::vector<bool>& is_kept,
                               const series::LatentBank* bank,
                               const LoadedSeries& loaded,
                               const GenerateOptions& options,
                               const RunFolder& folder, std::size_t width,
                               nlohmann::json& manifest) {
  write_scenario_files(folder, run, is_kept, loaded.series,
                       loaded.report.time_column, options.series.plots);
  if (bank != nullptr) {
    const MatrixView<const float> points = bank->points();
    write_npy(folder.file("bank.npy"), points);
    write_npy(folder.file("bank_energies.npy"),
              std::span<const double>(bank->energies()));
    Checksum checksum;
    checksum.update(points.data(),
                    points.rows() * points.cols() * sizeof(float));
    manifest["bank_checksum"] = checksum_hex(checksum.digest());
    manifest["reference"] = bank->model().atom_count();
  }
  manifest["requested"] = run.scenarios.size();
  manifest["produced"] = run.diagnostics.kept;
  manifest["windows"] = run.diagnostics.windows;
  manifest["width"] = width;
  manifest["law"] = to_string(run.diagnostics.law);
  manifest["ranges"] = channel_ranges(loaded.series);
  GenerateResult result;
  if (run.status != SolveStatus::kDone) result.status = Status::kNotReached;
  result.kind = Kind::kSeries;
  result.out = options.out;
  result.requested = run.scenarios.size();
  result.produced = run.diagnostics.kept;
  result.series = summary_of(run, is_kept);
  result.manifest = stored_json(manifest, -1);
  result.metrics = stored_json(metrics_json(run.diagnostics), -1);
  return result;
}

// Runs a generator piece by piece and writes what comes out. Nothing when
// stopped.
template <class Generator>
std::optional<GenerateResult> run_generator(
    const Generator& generator, const Pieces& pieces,
    const series::LatentBank* bank, const series::WindowSource& windows,
    const LoadedSeries& loaded, const GenerateOptions& options,
    const RunFolder& folder, nlohmann::json& manifest, Events& events,
    const Context& context) {
  std::optional<std::vector<Scenario>> all =
      run_pieces(pieces, windows, folder, events, context);
  if (!all) return std::nullopt;
  const ScenarioRun run = generator.summarise(std::move(*all));
  std::vector<bool> is_kept;
  for (const Scenario& s : run.scenarios) {
    is_kept.push_back(generator.is_kept(s));
  }
  note_severities(run.diagnostics, events);
  GenerateResult result = write_scenarios(run, is_kept, bank, loaded, options,
                                          folder, windows.width(), manifest);
  warn_of_failures(run, events);
  return result;
}

void note_law(const ScenarioOptions& options,
              const ScenarioGenerator& generator, Events& events) {
  if (options.law != series::TargetLaw::kAuto ||
      generator.law() != series::TargetLaw::kTangent) {
    return;
  }
  events.on_note(
      "isotropic targets are hard to reach here, so targets are drawn where "
      "single edits lead (--law tangent)");
}

// Random edits of given severities, with what an encoder says where there is
// one.
std::optional<GenerateResult> generate_graded(
    const series::WindowSource& windows, const series::Encoder* encoder,
    const ScenarioOptions& scenario, const LoadedSeries& loaded,
    const GenerateOptions& options, const RunFolder& folder,
    nlohmann::json& manifest, Events& events, const Context& context) {
  const series::GradedGenerator generator(windows, loaded.series.channels,
                                          scenario, encoder,
                                          {context.pool, nullptr});
  const series::LatentBank* bank = generator.bank();
  const Pieces pieces{generator.group_count(), scenario.sampler.count,
                      bank != nullptr ? bank->points().cols() : 0,
                      [&](std::size_t g) { return generator.run_group(g); }};
  return run_generator(generator, pieces, bank, windows, loaded, options,
                       folder, manifest, events, context);
}

// The run without an encoder.
GenerateResult generate_unencoded(const ScenarioOptions& scenario,
                                  const LoadedSeries& loaded,
                                  const GenerateOptions& options,
                                  const RunFolder& folder,
                                  nlohmann::json manifest, Events& events,
                                  const Context& context) {
  const Series& series = loaded.series;
  WindowOptions cut{options.series.width, options.series.stride, false};
  if (cut.stride == 0) {
    cut.stride = series::automatic_stride(series.rows(), cut.width);
  }
  const series::WindowSource windows(series.values, cut);
  auto result = generate_graded(windows, nullptr, scenario, loaded, options,
                                folder, manifest, events, context);
  if (!result) return stopped_result(options, events);
  finish_run(folder, manifest, options, *result, events, context);
  return *result;
}

}  // namespace

GenerateResult generate_series(const GenerateOptions& options, Events& events,
                               const Context& context) {
  const bool uses_vae = is_drawn_by_vae(options);
  if (uses_vae) torch_library("--decoder vae");
  const Stopwatch watch;
  const LoadedSeries loaded = load_series(
      {options.input, options.series.time, options.columns}, events);
  const Series& series = loaded.series;
  ScenarioOptions scenario = scenario_options_of(options, loaded);
  // A series that is refused leaves no folder behind.
  if (options.model.empty()) {
    check_scenario_options(scenario, options.series.width);
    if (needs_encoder(options)) {
      check_series_training(series, training_of(options));
    } else {
      series::check_series(series, options.series.width);
    }
  }
  const RunFolder folder(options.out, generate_config(options),
                         series_checksum(series, options), options.resume);
  if (const auto finished = finished_result(folder, options, events, context)) {
    return *finished;
  }
  nlohmann::json manifest = first_manifest(options);
  manifest["rows"] = series.rows();
  manifest["channels"] = series.channels;
  manifest["notes"] = loaded.report.sentences();
  folder.write_manifest(manifest, "running");
  if (!needs_encoder(options)) {
    GenerateResult result =
        generate_unencoded(scenario, loaded, options, folder,
                           std::move(manifest), events, context);
    result.seconds = watch.seconds();
    return result;
  }
  const std::optional<SeriesModel> model =
      find_model(options, series, folder, events, context);
  if (!model || events.is_stopped()) return stopped_result(options, events);
  if (model->diagnostics.spread.is_collapsed) {
    return collapsed_result(options, folder, std::move(manifest), events);
  }
  std::optional<SeriesModel> second;
  if (!options.series.second_model.empty()) {
    second = series::read_series_model(options.series.second_model);
    // Its own units and channels must be those of the first.
    windows_of(*second, series, false);
  }
  const series::WindowSource windows = windows_of(*model, series, false);
  if (uses_vae) {
    const auto network =
        torch_library("--decoder vae")
            .make_window_decoder(model->encoder, windows,
                                 {folder.file("decoder.safetensors"),
                                  options.decoder_epochs.value_or(kVaeEpochs),
                                  options.sampler.seed},
                                 events, context);
    if (!network || events.is_stopped()) return stopped_result(options, events);
    scenario.decoder.network = *network;
  }
  std::optional<GenerateResult> result;
  // A second opinion is given by the search alone.
  if (scenario.law == series::TargetLaw::kEditFirst &&
      !scenario.severities.empty() && !second) {
    result = generate_graded(windows, &model->encoder, scenario, loaded,
                             options, folder, manifest, events, context);
  } else {
    const ScenarioGenerator generator(
        model->encoder, windows, series.channels, scenario,
        second ? &second->encoder : nullptr, {context.pool, nullptr});
    note_law(scenario, generator, events);
    const Pieces pieces{generator.anchor_count(), scenario.sampler.count,
                        generator.bank().points().cols(),
                        [&](std::size_t a) { return generator.run_anchor(a); }};
    result = run_generator(generator, pieces, &generator.bank(), windows,
                           loaded, options, folder, manifest, events, context);
  }
  if (!result) return stopped_result(options, events);
  finish_run(folder, manifest, options, *result, events, context);
  result->seconds = watch.seconds();
  return *result;
}

}  // namespace sbog::job
