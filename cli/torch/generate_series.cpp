// SPDX-License-Identifier: Apache-2.0
// Scenarios of a series as a run folder; see generate_series.h.
#include "generate_series.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "exit_code.h"
#include "libtorch.h"
#include "report_run.h"
#include "run_folder.h"
#include "sbog/base/build_info.h"
#include "sbog/base/checksum.h"
#include "sbog/base/errors.h"
#include "sbog/base/stopwatch.h"
#include "sbog/data/npy.h"
#include "sbog/job/series_input.h"
#include "sbog/scenario/scenario.h"
#include "sbog/series/series_model_file.h"
#include "session.h"
#include "torch/scenario_files.h"
#include "torch/scenario_json.h"
#include "vae_decoder.h"

namespace sbog::cli {
namespace {

using series::Scenario;
using series::ScenarioGenerator;
using series::ScenarioOptions;
using series::ScenarioRun;
using series::SeriesModel;
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

ScenarioOptions options_of(const GenerateArguments& shared,
                           const SeriesRunArguments& own, const Series& series,
                           std::uint64_t seed) {
  ScenarioOptions options;
  options.count = shared.count;
  options.seed = seed;
  if (shared.epsilon) options.latent.epsilon = *shared.epsilon;
  if (shared.quantile) options.latent.quantile = *shared.quantile;
  if (shared.margin) options.latent.margin = *shared.margin;
  if (shared.trim) options.latent.trim = *shared.trim;
  if (shared.anchor_count) options.anchors = *shared.anchor_count;
  if (shared.sigma) options.proposals.sigma = *shared.sigma;
  if (shared.proposal_count) options.proposals.count = *shared.proposal_count;
  if (shared.max_rounds) options.proposals.max_rounds = *shared.max_rounds;
  options.law = series::parse_proposal_law(own.law);
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
  decoder.allowance.delays_discrete = own.delays_discrete;
  decoder.pursuit.slots = own.slots;
  decoder.pursuit.refine.steps = own.steps;
  decoder.redraws = own.redraws;
  decoder.alternatives = own.alternatives;
  decoder.keeps_outside_only = own.keeps_outside_only;
  options.times = series.times;
  return options;
}

std::uint64_t checksum_of(const Series& series, const SeriesRunArguments& own) {
  Checksum checksum;
  checksum.update(series.values.data(), series.values.size() * sizeof(double));
  for (const std::string& name : series.channels) {
    checksum.update(name.data(), name.size() + 1);
  }
  for (const std::string& time : series.times) {
    checksum.update(time.data(), time.size() + 1);
  }
  for (const std::string& path : {own.model, own.second_model}) {
    if (path.empty()) continue;
    std::ifstream file(path, std::ios::binary);
    if (!file) throw IoError(path, "cannot be opened");
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    checksum.update(bytes.data(), bytes.size());
  }
  return checksum.digest();
}

series::SeriesTraining training_of(const SeriesRunArguments& own,
                                   std::uint64_t seed) {
  series::SeriesTraining training;
  training.windows.width = own.width;
  training.windows.stride = own.stride;
  training.pretext.epochs = own.epochs;
  training.pretext.mid = own.mid;
  training.pretext.head = own.head;
  training.pretext.seed = seed;
  return training;
}

// Reads the model, or trains one and keeps it in the run. Nothing when
// interrupted.
std::optional<SeriesModel> find_model(const SeriesRunArguments& own,
                                      const Series& series,
                                      const RunFolder& folder,
                                      const CommonOptions& common,
                                      ThreadPool& pool) {
  if (!own.model.empty()) return series::read_series_model(own.model);
  const std::string path = folder.file("model.safetensors");
  if (std::filesystem::exists(path)) return series::read_series_model(path);
  series::SeriesTraining training = training_of(own, common.seed);
  training.pretext.checkpoint = folder.file("model.checkpoint");
  std::optional<SeriesModel> model;
  {
    ProgressLine line("training", common.is_quiet);
    model = train_series_model(series, training, {&pool, &line});
  }
  if (!model) return model;
  write_series_model(path, *model);
  std::filesystem::remove(training.pretext.checkpoint);
  return model;
}

// All outputs, taken up from pieces where there are any. Nothing when
// interrupted.
std::optional<std::vector<Scenario>> run_anchors(
    const ScenarioGenerator& generator, const RunFolder& folder,
    std::size_t count, const CommonOptions& common, ThreadPool& pool) {
  const std::string identity = checksum_hex(folder.identity());
  std::vector<std::vector<Scenario>> parts(generator.anchor_count());
  ProgressLine line("decoding", common.is_quiet);
  ProgressCounter progress(&line, count);
  pool.parallel_for(parts.size(), [&](std::size_t a, std::size_t) {
    if (progress.is_cancelled()) return;
    const std::string path =
        folder.file("parts/anchor-" + std::to_string(a) + ".json");
    if (auto part = read_anchor_part(path, identity)) {
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

void print_result(const ScenarioRun& run, const std::vector<bool>& is_kept,
                  const GenerateArguments& shared, const CommonOptions& common,
                  double seconds, const nlohmann::json& manifest) {
  if (!common.prints_result) return;
  const series::ScenarioDiagnostics& d = run.diagnostics;
  if (common.is_json) {
    nlohmann::json result = manifest;
    result["out"] = shared.out;
    result["seconds"] = seconds;
    result["metrics"] = metrics_json(d);
    std::printf("%s\n", result.dump(2).c_str());
    return;
  }
  constexpr std::size_t kShown = 3;
  std::size_t shown = 0;
  for (std::size_t i = 0; i < run.scenarios.size() && shown < kShown; ++i) {
    if (!is_kept[i]) continue;
    std::printf("%s\n\n", run.scenarios[i].sentence.c_str());
    ++shown;
  }
  char how[40] = "drawn";
  if (d.mean_edits > 0.0) {
    std::snprintf(how, sizeof how, "%.2g edits each", d.mean_edits);
  }
  std::printf(
      "%s of %s outliers in %s (%s): %s, missing their target by %.2g of the "
      "way, %s proposals\n",
      with_commas(d.kept).c_str(), with_commas(run.scenarios.size()).c_str(),
      shared.out.c_str(), duration(seconds).c_str(), how, d.mean_reached,
      to_string(d.law));
}

void warn(const ScenarioRun& run, const Console& console) {
  const series::ScenarioDiagnostics& d = run.diagnostics;
  if (d.kept < run.scenarios.size()) {
    std::string reasons;
    for (const auto& [name, count] : d.misses) {
      reasons +=
          (reasons.empty() ? "" : ", ") + name + " " + std::to_string(count);
    }
    console.warn(with_commas(d.kept) + " of " +
                 with_commas(run.scenarios.size()) +
                 " outliers were kept; tries failed by: " + reasons);
  }
}

int interrupted(const Console& console) {
  console.note("interrupted; go on with the same command and --resume");
  return kNotReached;
}

}  // namespace

int generate_series(const GenerateArguments& shared,
                    const SeriesRunArguments& own,
                    const CommonOptions& common) {
  if (own.decoder == "vae") {
    if (own.law == "edit-first") {
      throw InvalidArgument(
          "--law edit-first: it starts from edits, which --decoder vae does "
          "not make");
    }
    need_libtorch();
  }
  const Stopwatch watch;
  const Console console(common.is_quiet);
  ConsoleEvents events(common.is_quiet);
  const LoadedSeries loaded =
      job::load_series({shared.input, own.time, shared.columns}, events);
  const Series& series = loaded.series;
  ScenarioOptions options = options_of(shared, own, series, common.seed);
  // A series that is refused leaves no folder behind.
  if (own.model.empty()) {
    check_scenario_options(options, own.width);
    check_series_training(series, training_of(own, common.seed));
  }
  const RunFolder folder(shared.out, series_run_toml(shared, own, common.seed),
                         checksum_of(series, own), shared.is_resumed);
  if (const nlohmann::json old = folder.finished_manifest(); !old.is_null()) {
    console.note("the run in " + shared.out + " is already finished");
    end_with_report(shared, common);
    return old["state"] == "complete" ? kDone : kNotReached;
  }
  nlohmann::json manifest = {{"version", build_version()},
                             {"kind", "series"},
                             {"seed", common.seed},
                             {"input", shared.input},
                             {"rows", series.rows()},
                             {"channels", series.channels},
                             {"notes", loaded.report.sentences()}};
  folder.write_manifest(manifest, "running");
  ThreadPool pool(common.threads);
  const std::optional<SeriesModel> model =
      find_model(own, series, folder, common, pool);
  if (!model || is_interrupted()) return interrupted(console);
  if (model->diagnostics.spread.is_collapsed) {
    console.warn(
        "the encoder has collapsed: every window gets nearly the same point, "
        "so that no outliers can follow from it; train with more --epochs or "
        "another --seed");
    manifest["requested"] = shared.count;
    manifest["produced"] = 0;
    folder.write_manifest(manifest, "partial");
    folder.remove_parts();
    return kNotReached;
  }
  std::optional<SeriesModel> second;
  if (!own.second_model.empty()) {
    second = series::read_series_model(own.second_model);
    // Its own units and channels must be those of the first.
    windows_of(*second, series, false);
  }
  const series::WindowSource windows = windows_of(*model, series, false);
  if (own.decoder == "vae") {
    const auto network = make_vae_decoder(
        model->encoder, windows,
        {folder.file("decoder.safetensors"), own.decoder_epochs, common.seed},
        common.is_quiet);
    if (!network || is_interrupted()) return interrupted(console);
    options.decoder.network = *network;
  }
  const ScenarioGenerator generator(
      model->encoder, windows, series.channels, options,
      second ? &second->encoder : nullptr, {&pool, nullptr});
  if (options.law == series::ProposalLaw::kAuto &&
      generator.law() == series::ProposalLaw::kTangent) {
    console.note(
        "isotropic targets are hard to reach here, so targets are drawn where "
        "single edits lead (--law tangent)");
  }
  std::optional<std::vector<Scenario>> all =
      run_anchors(generator, folder, shared.count, common, pool);
  if (!all) return interrupted(console);
  const ScenarioRun run = generator.summarise(std::move(*all));
  std::vector<bool> is_kept;
  for (const Scenario& s : run.scenarios) {
    is_kept.push_back(generator.is_kept(s));
  }
  write_scenario_files(folder, run, is_kept, series, own.plots);
  write_npy(folder.file("bank.npy"), generator.bank().points());
  write_npy(folder.file("bank_energies.npy"),
            std::span<const double>(generator.bank().energies()));
  const bool is_done = run.status == SolveStatus::kDone;
  manifest["requested"] = run.scenarios.size();
  manifest["produced"] = run.diagnostics.kept;
  manifest["windows"] = run.diagnostics.windows;
  manifest["width"] = windows.width();
  manifest["law"] = to_string(run.diagnostics.law);
  manifest["reference"] = generator.bank().model().atom_count();
  manifest["ranges"] = channel_ranges(series);
  print_result(run, is_kept, shared, common, watch.seconds(), manifest);
  warn(run, console);
  folder.write_manifest(manifest, is_done ? "complete" : "partial");
  folder.remove_parts();
  end_with_report(shared, common);
  return is_done ? kDone : kNotReached;
}

const char* second_generate_example() {
  return "  sbog generate demo:series --width 64 --epochs 8 --count 5 --out "
         "run2";
}

}  // namespace sbog::cli
