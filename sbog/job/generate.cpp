// SPDX-License-Identifier: Apache-2.0
// The job `generate` on points; see generate.h. Series are made in
// generate_series.cpp, images by the library behind torch_library.h.
#include "sbog/job/generate.h"

#include <cstdio>
#include <filesystem>
#include <future>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "sbog/base/atomic_file.h"
#include "sbog/base/build_info.h"
#include "sbog/base/errors.h"
#include "sbog/base/stopwatch.h"
#include "sbog/data/npy.h"
#include "sbog/job/class_certifier.h"
#include "sbog/job/embedded_data.h"
#include "sbog/job/files.h"
#include "sbog/job/outlier_neighbours.h"
#include "sbog/job/outlier_rarity.h"
#include "sbog/job/report.h"
#include "sbog/job/run_inputs.h"
#include "sbog/job/table_input.h"
#include "sbog/job/torch_library.h"
#include "sbog/metrics/distance_ratio.h"
#include "sbog/run/config_file.h"
#include "sbog/run/run_folder.h"
#include "sbog/run/run_json.h"
#include "sbog/sample/sample_outliers.h"

namespace sbog::job {
namespace {

// Parts in the run folder.
template <typename T>
class FolderParts : public PartStore<T> {
 public:
  FolderParts(const RunFolder& folder, const PartLimits& limits)
      : folder_(folder), limits_(limits) {}

  std::optional<OutlierPart<T>> find(const PartRange& range) override {
    const PartKey key = key_of(range);
    return read_part<T>(folder_.part_path(key), key, limits_);
  }
  // Writes while the next part is made; one at a time, so that memory stays
  // that of two parts.
  void keep(const PartRange& range, OutlierPart<T> part) override {
    finish();
    writing_ = std::async(
        std::launch::async,
        [key = key_of(range), path = folder_.part_path(key_of(range)),
         made = std::move(part),
         dim = limits_.dim] { write_part(path, key, made, dim); });
  }
  // Waits for the last part; throws what its writing threw.
  void finish() {
    if (writing_.valid()) writing_.get();
  }

 private:
  PartKey key_of(const PartRange& range) const {
    return {range.cls, range.first_k, range.count, folder_.identity()};
  }

  const RunFolder& folder_;
  PartLimits limits_;
  std::future<void> writing_;
};

template <typename T>
RaritySummary write_outliers(const RunFolder& folder,
                             const GenerateOptions& options,
                             const SampleSummary& summary,
                             const RunInputs<T>& inputs,
                             const SamplerOptions& sampler,
                             const Context& context) {
  const MatrixView<const T> bank = inputs.bank.view();
  const ClassTails tails = tails_of(summary, inputs.labels, sampler.seed);
  RarityCounter rarities(tails);
  const PartLimits limits{bank.cols(), bank.rows(), sampler.max_rounds};
  std::size_t rows = 0;
  for (const ClassReport& report : summary.reports) rows += report.produced;
  OutlierWriter<T> writer(folder, rows, limits.dim);
  for (std::size_t c = 0; c < summary.reports.size(); ++c) {
    const ClassReport& report = summary.reports[c];
    SamplerOptions mine = sampler;
    mine.energy.epsilon = report.plan.epsilon;
    const ClassCertifier<T> certifier =
        sampler.certify ? ClassCertifier<T>(bank, summary.halves[c], mine,
                                            summary.reports.size())
                        : ClassCertifier<T>();
    for (std::size_t first = 0; first < report.requested;
         first += options.part) {
      const PartKey key{c, first,
                        std::min(options.part, report.requested - first),
                        folder.identity()};
      const auto part = read_part<T>(folder.part_path(key), key, limits);
      if (!part) throw IoError(folder.part_path(key), "was changed meanwhile");
      std::vector<double> scores;
      for (const Output<T>& output : part->outputs) {
        scores.push_back(output.score);
      }
      writer.add(report.label, *part, certifier.certify(part->outputs, context),
                 rarities.add(c, scores));
    }
  }
  writer.finish();
  return rarities.summary();
}

// The severities of a class that were not filled, and what stood in the way.
void warn_of_bands(const ClassReport& report, Events& events) {
  for (const BandReport& band : report.bands) {
    if (band.produced == band.requested) continue;
    events.on_warning(
        "class " + std::to_string(report.label) + ", severity " +
        std::to_string(band.severity) + ": " + with_commas(band.produced) +
        " of " + with_commas(band.requested) + " outliers are feasible; the " +
        to_string(band.binding) + " test binds");
  }
}

void warn_of_missing(const ClassReport& report, Events& events) {
  if (report.produced == report.requested) return;
  if (!report.bands.empty()) return warn_of_bands(report, events);
  const bool is_out_of_reach = report.plan.infeasible_by == Constraint::kEnergy;
  events.on_warning(
      "class " + std::to_string(report.label) + ": " +
      with_commas(report.produced) + " of " + with_commas(report.requested) +
      " outliers are feasible; the " + to_string(report.binding) +
      " test binds" +
      (is_out_of_reach
           ? " (no proposal can reach the threshold " +
                 std::to_string(report.plan.threshold) + ", at most " +
                 std::to_string(report.plan.highest_reachable) + ")"
           : ""));
}

// Counts, classes and warnings of a run that has ended.
void conclude(SampleSummary summary, nlohmann::json& manifest,
              GenerateResult& result, Events& events) {
  for (const ClassReport& report : summary.reports) {
    result.requested += report.requested;
    result.produced += report.produced;
    manifest["classes"].push_back(class_json(report));
    warn_of_missing(report, events);
  }
  manifest["requested"] = result.requested;
  manifest["produced"] = result.produced;
  if (result.produced < result.requested) result.status = Status::kNotReached;
  result.classes = std::move(summary.reports);
}

// Says so when the outliers lie where unseen data lie as well.
template <typename T>
void measure_distance(const RunFolder& folder, MatrixView<const T> bank,
                      const SamplerOptions& sampler, nlohmann::json& manifest,
                      GenerateResult& result, Events& events,
                      const Context& context) {
  if (result.produced == 0) return;
  const auto outliers = to_matrix<T>(load_array(folder.file("outliers.npy")));
  const DistanceRatio found = distance_ratio<T>(
      bank, outliers.view(), sampler.energy,
      {DistanceRatioOptions{}.sample, sampler.seed}, {context.pool, nullptr});
  result.distance_ratio = found.ratio;
  if (!found.ratio) return;
  manifest["distance_ratio"] = *found.ratio;
  if (*found.ratio >= kLeastDistanceRatio) return;
  char text[160];
  std::snprintf(text, sizeof text,
                "the outliers are %.2f times as far from the bank as a "
                "held-out row: no farther out than unseen data; a larger "
                "--radius moves them out",
                *found.ratio);
  events.on_warning(text);
}

// Keeps the items in the run, and says in its table which of them the outliers
// lie next to. False when stopped.
template <typename T>
bool tell_neighbours(const RunFolder& folder, const RunInputs<T>& inputs,
                     const BankWords& words, const SamplerOptions& sampler,
                     std::size_t produced, Events& events,
                     const Context& context) {
  if (words.items.empty()) return true;
  write_items(folder.file(kItemsFile), words.items);
  if (produced == 0) return true;
  const auto outliers = to_matrix<T>(load_array(folder.file("outliers.npy")));
  Stage stage(events, context, "finding neighbours");
  return add_neighbour_columns<T>(folder.file("outliers.csv"), outliers.view(),
                                  inputs.bank.view(), inputs.labels, words,
                                  sampler.energy,
                                  stage.context()) == SolveStatus::kDone;
}

// Names of classes for the report, where the user gave some.
void name_classes_of(const BankWords& words, nlohmann::json& manifest) {
  if (words.class_names.empty()) return;
  for (nlohmann::json& entry : manifest["classes"]) {
    entry["name"] = words.class_names.at(entry.at("label").get<std::int64_t>());
  }
}

template <typename T>
GenerateResult generate_points(const GenerateOptions& options, Events& events,
                               const Context& context) {
  const Stopwatch watch;
  const RunInputs<T> inputs = load_inputs<T>(options);
  inputs.remarks.tell(events);
  BankWords words = load_bank_words(options, inputs.bank.rows(), inputs.labels);
  for (std::size_t c = 0; c < inputs.class_names.size(); ++c) {
    words.class_names.emplace(static_cast<std::int64_t>(c),
                              inputs.class_names[c]);
  }
  const SamplerOptions sampling = sampler_of_run(options, inputs);
  const Sampler<T> sampler(inputs.problem(), sampling, {context.pool, nullptr});
  const RunFolder folder(options.out, generate_config(options),
                         inputs.checksum(), options.resume);
  if (const nlohmann::json ended = folder.finished_manifest();
      !ended.is_null() &&
      !tell_neighbours(folder, inputs, words, sampler.options(),
                       ended.value("produced", std::size_t{0}), events,
                       context)) {
    return stopped_result(options, events);
  }
  if (const auto finished = finished_result(folder, options, events, context)) {
    return *finished;
  }
  nlohmann::json manifest = first_manifest(options);
  manifest["bank_rows"] = inputs.bank.rows();
  manifest["dimension"] = inputs.bank.cols();
  manifest["rule"] = to_string(sampling.rule);
  manifest["level"] = sampling.quantile;
  manifest["classes"] = nlohmann::json::array();
  folder.write_manifest(manifest, "running");
  GenerateResult result;
  result.out = options.out;
  const std::size_t classes = sampler.labels().size();
  PartPlan plan{{}, options.part};
  for (std::size_t c = 0; c < classes; ++c) {
    plan.counts.push_back(count_of_class(options, c, classes));
  }
  FolderParts<T> parts(folder, {inputs.bank.cols(), inputs.bank.rows(),
                                sampler.options().max_rounds});
  const Stopwatch sampling_watch;
  SampleSummary summary;
  {
    Stage stage(events, context, "generating");
    summary = sample_parts(sampler, plan, parts, stage.context());
    parts.finish();
  }
  if (summary.status == SolveStatus::kCancelled || events.is_stopped()) {
    return stopped_result(options, events);
  }
  result.prepare_seconds = summary.prepare_seconds;
  result.sample_seconds = sampling_watch.seconds() - summary.prepare_seconds;
  const RaritySummary rarity =
      write_outliers<T>(folder, options, summary, inputs, sampler.options(),
                        {context.pool, nullptr});
  result.rarity = rarity_sentence(rarity);
  manifest["rarity"] = rarity_json(rarity);
  write_npy(folder.file("bank_energies.npy"),
            std::span<const double>(summary.bank_scores));
  conclude(std::move(summary), manifest, result, events);
  measure_distance<T>(folder, inputs.bank.view(), sampler.options(), manifest,
                      result, events, context);
  name_classes_of(words, manifest);
  if (inputs.table && result.produced > 0) {
    write_table_rows(folder, options, inputs);
    events.on_note("rows: " + folder.file(kRowsFile));
  }
  if (!options.items.empty()) manifest["items"] = options.items;
  if (!tell_neighbours(folder, inputs, words, sampler.options(),
                       result.produced, events, context)) {
    return stopped_result(options, events);
  }
  result.manifest = stored_json(manifest, -1);
  result.level = sampling.quantile;
  result.severities = severities_text(sampling.severities);
  finish_run(folder, manifest, options, result, events, context);
  result.seconds = watch.seconds();
  return result;
}

}  // namespace

std::string generate_config(const GenerateOptions& options) {
  std::vector<BoundOption> kept;
  for (BoundOption& option : generate_option_table().values(options)) {
    const std::string& name = option.info.name;
    // Words about points do not change which ones are drawn.
    const bool is_word = name == "items" || (name == "class_names" &&
                                             options.kind != Kind::kImages);
    const bool is_of_run = name == "input" || name == "out" ||
                           name == "resume" || name == "no_report" || is_word;
    if (!is_of_run && (option.info.kinds & option_kinds(options.kind)) != 0) {
      kept.push_back(std::move(option));
    }
  }
  return config_text("generate", kept);
}

namespace {

// From the folder of the run to the one that it is started in, so that the
// files it read are found from anywhere, also when both have moved.
std::string started_in(const std::string& run) {
  std::error_code error;
  const std::filesystem::path here = std::filesystem::current_path(error);
  const std::filesystem::path from_run =
      std::filesystem::relative(here, run, error);
  return error ? "" : from_run.string();
}

}  // namespace

nlohmann::json first_manifest(const GenerateOptions& options) {
  return {{"version", build_version()},
          {"kind", to_string(options.kind)},
          {"seed", options.sampler.seed},
          {"input", options.input},
          {"started_in", started_in(options.out)}};
}

std::optional<GenerateResult> finished_result(const RunFolder& folder,
                                              const GenerateOptions& options,
                                              Events& events,
                                              const Context& context) {
  const nlohmann::json manifest = folder.finished_manifest();
  if (manifest.is_null()) return std::nullopt;
  folder.remove_parts();  // of a run that was killed just before it did so
  events.on_note("the run in " + options.out + " is already finished");
  GenerateResult result;
  result.status = manifest.value("state", "") == "complete"
                      ? Status::kDone
                      : Status::kNotReached;
  result.kind = options.kind;
  result.out = options.out;
  result.was_finished = true;
  result.requested = manifest.value("requested", std::size_t{0});
  result.produced = manifest.value("produced", std::size_t{0});
  const auto number = [&](const char* name) -> std::optional<double> {
    const auto entry = manifest.find(name);
    if (entry == manifest.end() || !entry->is_number()) return std::nullopt;
    return entry->get<double>();
  };
  result.level = number("level").value_or(0.0);
  if (const auto rarity = rarity_of_manifest(manifest)) {
    result.rarity = rarity_sentence(*rarity);
  }
  result.distance_ratio = number("distance_ratio");
  result.manifest = stored_json(manifest, -1);
  if (options.kind == Kind::kSeries || options.kind == Kind::kImages) {
    const char* name =
        options.kind == Kind::kImages ? "image_metrics.json" : "metrics.json";
    result.metrics = read_file_if_there(folder.file(name)).value_or("");
  }
  result.report = end_with_report(options, events, context);
  return result;
}

GenerateResult stopped_result(const GenerateOptions& options, Events& events) {
  events.on_note("interrupted; go on with the same command and --resume");
  GenerateResult result;
  result.status = Status::kStopped;
  result.kind = options.kind;
  result.out = options.out;
  return result;
}

void finish_run(const RunFolder& folder, const nlohmann::json& manifest,
                const GenerateOptions& options, GenerateResult& result,
                Events& events, const Context& context) {
  folder.write_manifest(
      manifest, result.status == Status::kDone ? "complete" : "partial");
  folder.remove_parts();
  result.kind = options.kind;
  result.report = end_with_report(options, events, context);
}

std::string end_with_report(const GenerateOptions& options, Events& events,
                            const Context& context) {
  if (options.no_report || events.is_stopped()) return {};
  ReportOptions report;
  report.run = options.out;
  // A report that nobody asked for should not take longer than the run.
  report.compute_missing = false;
  try {
    const ReportResult written = run(report, events, context);
    if (written.status == Status::kStopped) return {};
    events.on_note("report: " + written.path);
    return written.path;
  } catch (const std::runtime_error& error) {
    events.on_warning(std::string("there is no report: ") + error.what());
  } catch (const InvalidArgument& error) {
    events.on_warning(std::string("there is no report: ") + error.what());
  }
  return {};
}

GenerateResult run(const GenerateOptions& given, Events& events,
                   const Context& context) {
  GenerateOptions options = given;
  if (options.kind == Kind::kAuto) options.kind = kind_of_input(options.input);
  if (options.kind == Kind::kSeries) {
    return generate_series(options, events, context);
  }
  if (options.kind == Kind::kImages) {
    return torch_library("generate --kind image")
        .generate_images(options, events, context);
  }
  if (options.part == 0) {
    throw InvalidArgument("--part: at least 1 output is expected");
  }
  return options.precision == "double"
             ? generate_points<double>(options, events, context)
             : generate_points<float>(options, events, context);
}

nlohmann::json to_json(const GenerateResult& result) {
  nlohmann::json json = parse_stored_json(result.manifest);
  if (!json.is_object()) json = nlohmann::json::object();
  if (json.contains("classes")) {
    for (auto& entry : json["classes"]) entry.erase("anchors");
  }
  json["out"] = result.out;
  if (!result.was_finished) json["seconds"] = result.seconds;
  const bool is_sampled =
      result.kind == Kind::kPoints || result.kind == Kind::kTable;
  if (is_sampled && !result.was_finished) {
    json["prepare_seconds"] = result.prepare_seconds;
    json["sample_seconds"] = result.sample_seconds;
  }
  if (!result.metrics.empty()) {
    json["metrics"] = parse_stored_json(result.metrics);
  }
  return json;
}

}  // namespace sbog::job
