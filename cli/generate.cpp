// SPDX-License-Identifier: Apache-2.0
// sbog generate: structured outliers of a bank, as a run folder. Series and
// images are handed on to generate_series.h and image_jobs.h.
#include <cstdio>
#include <future>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "class_certifier.h"
#include "sbog/run/class_json.h"
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
#include "sbog/sample/sampler.h"

namespace sbog::cli {
namespace {

// Where the time went.
struct Seconds {
  double total = 0.0;
  double prepare = 0.0;
  double sample = 0.0;
};

// Adds progress over classes and pieces to one line.
class RunProgress : public Observer {
 public:
  RunProgress(ProgressLine& line, std::size_t total)
      : line_(line), total_(total) {}
  void set_base(std::size_t base) { base_ = base; }
  bool on_progress(std::uint64_t done, std::uint64_t /*total*/) override {
    return line_.on_progress(base_ + done, total_);
  }

 private:
  ProgressLine& line_;
  std::size_t total_;
  std::size_t base_ = 0;
};

// Makes or takes up every piece of one class.
template <typename T>
class ClassGenerator {
 public:
  ClassGenerator(const Sampler<T>& sampler, const RunFolder& folder,
                 const GenerateArguments& arguments, ThreadPool& pool,
                 RunProgress& progress, MatrixView<const T> bank)
      : sampler_(sampler),
        folder_(folder),
        arguments_(arguments),
        pool_(pool),
        progress_(progress),
        dim_(bank.cols()),
        bank_scores_(bank.rows()) {}

  /// Spent so far on scoring banks and choosing anchors.
  double prepare_seconds() const { return prepare_seconds_; }
  /// Of the bank, row by row, once all classes are done.
  const std::vector<double>& bank_scores() const { return bank_scores_; }

  // False when interrupted.
  bool run(std::size_t c, std::size_t count, std::size_t done_before,
           ClassReport& report, ClassHalves& halves) {
    const Stopwatch watch;
    const ClassRun<T> run = sampler_.prepare(c, {&pool_, nullptr});
    prepare_seconds_ += watch.seconds();
    for (std::size_t i = 0; i < run.rows().size(); ++i) {
      bank_scores_[run.rows()[i]] = run.scores()[i];
    }
    const std::size_t max_rounds = sampler_.options().max_rounds;
    std::vector<AnchorTally> tallies(run.anchor_count());
    std::vector<std::size_t> rounds(max_rounds, 0);
    std::size_t produced = 0;
    for (std::size_t first = 0; first < count; first += arguments_.part) {
      const std::size_t size = std::min(arguments_.part, count - first);
      const PartKey key{c, first, size, folder_.identity()};
      const std::string path = folder_.part_path(key);
      std::optional<RunPart<T>> part = read_part<T>(path, key, dim_);
      if (!part) {
        std::vector<Output<T>> outputs;
        std::vector<AnchorTally> fresh(run.anchor_count());
        progress_.set_base(done_before + first);
        if (!run.sample(first, size, outputs, fresh, {&pool_, &progress_})) {
          return false;
        }
        part = make_part(std::move(outputs), std::move(fresh), max_rounds);
        write_later(path, key, *part);
      }
      produced += part->outputs.size();
      for (std::size_t a = 0; a < tallies.size(); ++a) {
        tallies[a].add(part->tallies[a]);
      }
      for (std::size_t r = 0; r < rounds.size(); ++r) {
        rounds[r] += part->rounds[r];
      }
    }
    finish_write();
    if (sampler_.options().splits_bank) {
      halves = {run.reference_rows(), run.calibration_rows()};
    }
    report = run.report(count, produced, std::move(rounds), std::move(tallies));
    return true;
  }

 private:
  // Writes while the next piece is made; one at a time, so that memory stays
  // that of two pieces.
  void write_later(const std::string& path, const PartKey& key,
                   const RunPart<T>& part) {
    finish_write();
    writing_ = std::async(std::launch::async, [path, key, part, dim = dim_] {
      write_part(path, key, part, dim);
    });
  }
  void finish_write() {
    if (writing_.valid()) writing_.get();
  }

  const Sampler<T>& sampler_;
  const RunFolder& folder_;
  const GenerateArguments& arguments_;
  ThreadPool& pool_;
  RunProgress& progress_;
  std::size_t dim_;
  std::vector<double> bank_scores_;
  double prepare_seconds_ = 0.0;
  std::future<void> writing_;
};

template <typename T>
void write_outliers(const RunFolder& folder, const GenerateArguments& arguments,
                    const std::vector<ClassReport>& reports,
                    const std::vector<ClassHalves>& halves,
                    MatrixView<const T> bank, const SamplerOptions& options,
                    const Context& context) {
  const std::size_t dim = bank.cols();
  std::size_t rows = 0;
  for (const ClassReport& report : reports) rows += report.produced;
  OutlierWriter<T> writer(folder, rows, dim);
  for (std::size_t c = 0; c < reports.size(); ++c) {
    const ClassCertifier<T> certifier =
        options.splits_bank
            ? ClassCertifier<T>(bank, halves[c], options, reports.size())
            : ClassCertifier<T>();
    for (std::size_t first = 0; first < reports[c].requested;
         first += arguments.part) {
      const PartKey key{c, first,
                        std::min(arguments.part, reports[c].requested - first),
                        folder.identity()};
      const auto part = read_part<T>(folder.part_path(key), key, dim);
      if (!part) throw IoError(folder.part_path(key), "was changed meanwhile");
      writer.add(reports[c].label, *part, certifier.certify(*part, context));
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
  std::size_t total = 0;
  for (std::size_t c = 0; c < classes; ++c) {
    total += count_of_class(arguments, c, classes);
  }
  ProgressLine line("generating", common.is_quiet);
  RunProgress progress(line, total);
  ClassGenerator<T> generator(sampler, folder, arguments, pool, progress,
                              inputs.bank.view());
  std::vector<ClassReport> reports(classes);
  std::vector<ClassHalves> halves(classes);
  std::size_t done = 0;
  const Stopwatch watch_of_classes;
  for (std::size_t c = 0; c < classes; ++c) {
    const std::size_t count = count_of_class(arguments, c, classes);
    if (is_interrupted() ||
        !generator.run(c, count, done, reports[c], halves[c])) {
      Console(common.is_quiet)
          .note("interrupted; go on with the same command and --resume");
      return kNotReached;
    }
    done += count;
  }
  Seconds seconds;
  seconds.prepare = generator.prepare_seconds();
  seconds.sample = watch_of_classes.seconds() - seconds.prepare;
  write_outliers<T>(folder, arguments, reports, halves, inputs.bank.view(),
                    sampler.options(), {&pool, nullptr});
  write_npy(folder.file("bank_energies.npy"),
            std::span<const double>(generator.bank_scores()));
  seconds.total = watch.seconds();
  const int code = conclude(reports, arguments, seconds, common, manifest);
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
