// SPDX-License-Identifier: Apache-2.0
// The job `generate` on a series: scenarios as a run folder; see generate.h.
#include <filesystem>
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
#include "sbog/job/series_input.h"
#include "sbog/job/torch_library.h"
#include "sbog/run/run_folder.h"
#include "sbog/run/run_json.h"
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

std::size_t channel_named(const std::string& name,
                          const std::vector<std::string>& channels,
                          const char* option) {
  for (std::size_t c = 0; c < channels.size(); ++c) {
    if (channels[c] == name) return c;
  }
  throw InvalidArgument(std::string(option) + ": the series has no channel '" +
                        name + "'");
}

series::ChannelOverride override_of(const std::string& text,
                                    const std::vector<std::string>& channels) {
  const std::size_t at = text.rfind('=');
  if (at == std::string::npos) {
    throw InvalidArgument("--classes: channel=class is expected, got '" + text +
                          "'");
  }
  series::ChannelOverride given;
  given.channel = channel_named(text.substr(0, at), channels, "--classes");
  given.kind = series::parse_channel_class(text.substr(at + 1));
  return given;
}

ScenarioOptions scenario_options_of(const GenerateOptions& given,
                                    const Series& series) {
  const SeriesSettings& own = given.series;
  ScenarioOptions options;
  options.sampler = given.sampler;
  options.law = series::parse_target_law(own.law);
  series::EditDecoderOptions& decoder = options.decoder;
  for (const std::string& kind : own.kinds) {
    decoder.allowance.kinds.push_back(series::parse_edit_kind(kind));
  }
  for (const std::string& name : own.channels) {
    decoder.allowance.channels.push_back(
        channel_named(name, series.channels, "--channels"));
  }
  for (const std::string& text : own.classes) {
    decoder.overrides.push_back(override_of(text, series.channels));
  }
  decoder.allowance.delays_discrete = own.delay_discrete;
  decoder.pursuit.slots = own.slots;
  decoder.pursuit.refine.steps = own.steps;
  decoder.redraws = own.redraws;
  decoder.alternatives = own.alternatives;
  decoder.keeps_outside_only = own.outside_only;
  options.times = series.times;
  return options;
}

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

// All outputs, taken up from parts where there are any. Nothing when stopped.
std::optional<std::vector<Scenario>> run_anchors(
    const ScenarioGenerator& generator, const series::WindowSource& windows,
    const RunFolder& folder, std::size_t count, Events& events,
    const Context& context) {
  const std::string identity = checksum_hex(folder.identity());
  AnchorPartLimits limits;
  limits.anchor_count = generator.anchor_count();
  limits.outputs = count;
  limits.windows = windows.size();
  limits.rows = windows.rows();
  limits.width = windows.width();
  limits.channels = windows.channels();
  limits.dim = generator.bank().points().cols();
  std::vector<std::vector<Scenario>> parts(generator.anchor_count());
  Stage stage(events, context, "decoding");
  ProgressCounter progress(stage.context().observer, count);
  parallel_for(context, parts.size(), [&](std::size_t a, std::size_t) {
    if (progress.is_cancelled()) return;
    const std::string path =
        folder.file("parts/anchor-" + std::to_string(a) + ".json");
    AnchorPartLimits own = limits;
    own.anchor = a;
    if (auto part = read_anchor_part(path, identity, own)) {
      parts[a] = std::move(*part);
    } else {
      parts[a] = generator.run_anchor(a);
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
  return summary;
}

// Writes the files of the scenarios and what the manifest says of them.
GenerateResult write_scenarios(const ScenarioGenerator& generator,
                               const ScenarioRun& run,
                               const LoadedSeries& loaded,
                               const GenerateOptions& options,
                               const RunFolder& folder, std::size_t width,
                               nlohmann::json& manifest) {
  const Series& series = loaded.series;
  std::vector<bool> is_kept;
  for (const Scenario& s : run.scenarios) {
    is_kept.push_back(generator.is_kept(s));
  }
  write_scenario_files(folder, run, is_kept, series, loaded.report.time_column,
                       options.series.plots);
  const MatrixView<const float> bank = generator.bank().points();
  write_npy(folder.file("bank.npy"), bank);
  write_npy(folder.file("bank_energies.npy"),
            std::span<const double>(generator.bank().energies()));
  Checksum checksum;
  checksum.update(bank.data(), bank.rows() * bank.cols() * sizeof(float));
  manifest["bank_checksum"] = checksum_hex(checksum.digest());
  manifest["requested"] = run.scenarios.size();
  manifest["produced"] = run.diagnostics.kept;
  manifest["windows"] = run.diagnostics.windows;
  manifest["width"] = width;
  manifest["law"] = to_string(run.diagnostics.law);
  manifest["reference"] = generator.bank().model().atom_count();
  manifest["ranges"] = channel_ranges(series);
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

}  // namespace

GenerateResult generate_series(const GenerateOptions& options, Events& events,
                               const Context& context) {
  const bool uses_vae = is_drawn_by_vae(options);
  if (uses_vae) torch_library("--decoder vae");
  const Stopwatch watch;
  const LoadedSeries loaded = load_series(
      {options.input, options.series.time, options.columns}, events);
  const Series& series = loaded.series;
  ScenarioOptions scenario = scenario_options_of(options, series);
  // A series that is refused leaves no folder behind.
  if (options.model.empty()) {
    check_scenario_options(scenario, options.series.width);
    check_series_training(series, training_of(options));
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
  const ScenarioGenerator generator(
      model->encoder, windows, series.channels, scenario,
      second ? &second->encoder : nullptr, {context.pool, nullptr});
  if (scenario.law == series::TargetLaw::kAuto &&
      generator.law() == series::TargetLaw::kTangent) {
    events.on_note(
        "isotropic targets are hard to reach here, so targets are drawn where "
        "single edits lead (--law tangent)");
  }
  std::optional<std::vector<Scenario>> all = run_anchors(
      generator, windows, folder, scenario.sampler.count, events, context);
  if (!all) return stopped_result(options, events);
  const ScenarioRun run = generator.summarise(std::move(*all));
  GenerateResult result = write_scenarios(generator, run, loaded, options,
                                          folder, windows.width(), manifest);
  warn_of_failures(run, events);
  finish_run(folder, manifest, options, result, events, context);
  result.seconds = watch.seconds();
  return result;
}

}  // namespace sbog::job
