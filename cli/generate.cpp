// SPDX-License-Identifier: Apache-2.0
// sbog generate: structured outliers of a bank, as a run folder. Series and
// images are handed on to generate_series.h and image_jobs.h.
#include <cstdio>
#include <future>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "commands.h"
#include "exit_code.h"
#include "generate_options.h"
#include "generate_series.h"
#include "image_jobs.h"
#include "report_run.h"
#include "run_folder.h"
#include "run_inputs.h"
#include "sbog/base/build_info.h"
#include "sbog/base/errors.h"
#include "sbog/base/stopwatch.h"
#include "sbog/data/npy.h"
#include "sbog/job/class_certifier.h"
#include "sbog/run/class_json.h"
#include "sbog/sample/sample_outliers.h"

namespace sbog::cli {
namespace {

using job::ClassCertifier;

// Where the time went.
struct Seconds {
  double total = 0.0;
  double prepare = 0.0;
  double sample = 0.0;
};

// Pieces in the run folder.
template <typename T>
class FolderParts : public PartStore<T> {
 public:
  FolderParts(const RunFolder& folder, std::size_t dim)
      : folder_(folder), dim_(dim) {}

  std::optional<OutlierPart<T>> find(const PartRange& range) override {
    const PartKey key = key_of(range);
    return read_part<T>(folder_.part_path(key), key, dim_);
  }
  // Writes while the next piece is made; one at a time, so that memory stays
  // that of two pieces.
  void keep(const PartRange& range, OutlierPart<T> part) override {
    finish();
    writing_ = std::async(
        std::launch::async,
        [key = key_of(range), path = folder_.part_path(key_of(range)),
         made = std::move(part),
         dim = dim_] { write_part(path, key, made, dim); });
  }
  // Waits for the last piece; throws what its writing threw.
  void finish() {
    if (writing_.valid()) writing_.get();
  }

 private:
  PartKey key_of(const PartRange& range) const {
    return {range.cls, range.first_k, range.count, folder_.identity()};
  }

  const RunFolder& folder_;
  std::size_t dim_;
  std::future<void> writing_;
};

template <typename T>
void write_outliers(const RunFolder& folder, const GenerateArguments& arguments,
                    const SampleSummary& summary, MatrixView<const T> bank,
                    const SamplerOptions& options, const Context& context) {
  const std::vector<ClassReport>& reports = summary.reports;
  const std::size_t dim = bank.cols();
  std::size_t rows = 0;
  for (const ClassReport& report : reports) rows += report.produced;
  OutlierWriter<T> writer(folder, rows, dim);
  for (std::size_t c = 0; c < reports.size(); ++c) {
    const ClassCertifier<T> certifier =
        options.splits_bank ? ClassCertifier<T>(bank, summary.halves[c],
                                                options, reports.size())
                            : ClassCertifier<T>();
    for (std::size_t first = 0; first < reports[c].requested;
         first += arguments.part) {
      const PartKey key{c, first,
                        std::min(arguments.part, reports[c].requested - first),
                        folder.identity()};
      const auto part = read_part<T>(folder.part_path(key), key, dim);
      if (!part) throw IoError(folder.part_path(key), "was changed meanwhile");
      writer.add(reports[c].label, *part,
                 certifier.certify(part->outputs, context));
    }
  }
  writer.finish();
}

int conclude(const std::vector<ClassReport>& reports,
             const GenerateArguments& arguments, const Seconds& seconds,
             const CommonOptions& common, nlohmann::json& manifest) {
  std::size_t requested = 0;
  std::size_t produced = 0;
  const Console console(common.is_quiet);
  for (const ClassReport& report : reports) {
    requested += report.requested;
    produced += report.produced;
    manifest["classes"].push_back(class_json(report));
    if (report.produced < report.requested) {
      console.warn(
          "class " + std::to_string(report.label) + ": " +
          with_commas(report.produced) + " of " +
          with_commas(report.requested) + " outliers are feasible; the " +
          report.binding + " test binds" +
          (std::string_view(report.plan.infeasible_by) == "energy"
               ? " (no proposal can reach the threshold " +
                     std::to_string(report.plan.threshold) + ", at most " +
                     std::to_string(report.plan.highest_reachable) + ")"
               : ""));
    }
  }
  manifest["requested"] = requested;
  manifest["produced"] = produced;
  if (common.is_json && common.prints_result) {
    nlohmann::json result = manifest;
    for (auto& entry : result["classes"]) entry.erase("anchors");
    result["out"] = arguments.out;
    result["seconds"] = seconds.total;
    result["prepare_seconds"] = seconds.prepare;
    result["sample_seconds"] = seconds.sample;
    std::printf("%s\n", result.dump(2).c_str());
  } else if (common.prints_result) {
    std::printf("%s of %s outliers in %s (%.2f s)\n",
                with_commas(produced).c_str(), with_commas(requested).c_str(),
                arguments.out.c_str(), seconds.total);
  }
  return produced == requested ? kDone : kNotReached;
}

template <typename T>
int generate(const GenerateArguments& arguments, const CommonOptions& common) {
  const Stopwatch watch;
  SamplerOptions options = to_sampler_options(arguments, common.seed);
  const RunInputs<T> inputs = load_inputs<T>(arguments);
  options.energy.metric = inputs.metric.view();
  options.count = count_of_class(arguments, 0, inputs.class_count());
  const Sampler<T> sampler(inputs.problem(), options);
  const RunFolder folder(arguments.out, to_toml(arguments, options),
                         inputs.checksum(), arguments.is_resumed);
  if (const nlohmann::json old = folder.finished_manifest(); !old.is_null()) {
    Console(common.is_quiet)
        .note("the run in " + arguments.out + " is already finished");
    end_with_report(arguments, common);
    return old["state"] == "complete" ? kDone : kNotReached;
  }
  nlohmann::json manifest = {
      {"version", build_version()},        {"seed", common.seed},
      {"input", arguments.input},          {"bank_rows", inputs.bank.rows()},
      {"dimension", inputs.bank.cols()},   {"rule", to_string(options.rule)},
      {"classes", nlohmann::json::array()}};
  folder.write_manifest(manifest, "running");
  ThreadPool pool(common.threads);
  const std::size_t classes = sampler.labels().size();
  PartPlan plan{{}, arguments.part};
  for (std::size_t c = 0; c < classes; ++c) {
    plan.counts.push_back(count_of_class(arguments, c, classes));
  }
  ProgressLine line("generating", common.is_quiet);
  FolderParts<T> parts(folder, inputs.bank.cols());
  const Stopwatch watch_of_classes;
  const SampleSummary summary =
      sample_parts<T>(sampler, plan, parts, {&pool, &line});
  parts.finish();
  if (summary.status == SolveStatus::kCancelled) {
    Console(common.is_quiet)
        .note("interrupted; go on with the same command and --resume");
    return kNotReached;
  }
  Seconds seconds;
  seconds.prepare = summary.prepare_seconds;
  seconds.sample = watch_of_classes.seconds() - seconds.prepare;
  write_outliers<T>(folder, arguments, summary, inputs.bank.view(),
                    sampler.options(), {&pool, nullptr});
  write_npy(folder.file("bank_energies.npy"),
            std::span<const double>(summary.bank_scores));
  seconds.total = watch.seconds();
  const int code =
      conclude(summary.reports, arguments, seconds, common, manifest);
  folder.write_manifest(manifest, code == kDone ? "complete" : "partial");
  folder.remove_parts();
  end_with_report(arguments, common);
  return code;
}

// The decoder that is named, or that of the kind. Throws InvalidArgument for
// one of the other kind.
std::string decoder_of(const std::string& named, bool is_series) {
  if (named.empty()) return is_series ? "edits" : "cvae";
  if ((named == "edits" || named == "vae") != is_series) {
    throw InvalidArgument("--decoder " + named + ": it is not for --kind " +
                          (is_series ? "series" : "image"));
  }
  return named;
}

// Options that images share with points and with series.
ImageRunArguments resolve_images(const CLI::App& command,
                                 const GenerateArguments& shared,
                                 const SeriesRunArguments& series,
                                 ImageRunArguments own) {
  own.input.data = shared.input;
  own.input.labels = shared.labels;
  own.model = series.model;
  own.training.epochs = series.epochs;
  own.training.decoder = decoder_of(series.decoder, false);
  if (command.count("--decoder-epochs") > 0) {
    own.training.decoder_epochs = series.decoder_epochs;
  }
  if (!shared.anchors.empty()) own.training.anchors = shared.anchors;
  return own;
}

}  // namespace

void add_generate(CLI::App& app, const CommonOptions& common, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "generate",
      "Make structured outliers of a bank, of a series or of images, as a run "
      "folder");
  const auto arguments = std::make_shared<GenerateArguments>();
  const auto series = std::make_shared<SeriesRunArguments>();
  declare_generate_options(*command, *arguments);
  const auto images = std::make_shared<ImageRunArguments>();
  declare_series_run_options(*command, *series);
  declare_image_run_options(*command, *images);
  command->callback([=, &common, &exit_code] {
    const std::string kind = resolve_kind(*command, *arguments);
    if (kind == "series") {
      series->decoder = decoder_of(series->decoder, true);
      exit_code = generate_series(*arguments, *series, common);
      return;
    }
    if (kind == "image") {
      arguments->kind = kind;
      exit_code = generate_image(
          *arguments, resolve_images(*command, *arguments, *series, *images),
          common);
      return;
    }
    if (arguments->part == 0) {
      throw InvalidArgument("--part: at least 1 output is expected");
    }
    exit_code = arguments->precision == "double"
                    ? generate<double>(*arguments, common)
                    : generate<float>(*arguments, common);
  });
}

}  // namespace sbog::cli
