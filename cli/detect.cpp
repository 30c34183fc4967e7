// SPDX-License-Identifier: Apache-2.0
// sbog detect: anomalies in multivariate series, without labels, and images
// of none of the known classes.
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commands.h"
#include "detect_clusters.h"
#include "detect_report.h"
#include "embedded_data.h"
#include "exit_code.h"
#include "image_detector_options.h"
#include "image_jobs.h"
#include "sbog/base/atomic_file.h"
#include "sbog/base/errors.h"
#include "sbog/data/safetensors.h"
#include "sbog/job/series_input.h"
#include "sbog/report/series_plots.h"
#include "sbog/series/detector_file.h"
#include "sbog/series/detector_stream.h"
#include "session.h"

namespace sbog::cli {
namespace {

constexpr const char* kFooter =
    "A detector learns from a series that is taken to be normal; a threshold\n"
    "follows from parts of it that are held out. Rows are moments, columns\n"
    "channels; a CSV file may have a header and a column of times.\n"
    "A detector of images learns their classes and, from the outliers of a "
    "run\n"
    "of sbog generate, what is none of them; with --model it works on the "
    "latents\n"
    "of a model of sbog train image. score knows it by its file or folder.\n"
    "\n"
    "Examples:\n"
    "  sbog detect train demo:series --out model.safetensors\n"
    "  sbog detect score model.safetensors demo:series-test --labels "
    "demo:series-labels";

constexpr const char* kTrainFooter =
    "Examples:\n"
    "  sbog detect train demo:series --out model.safetensors\n"
    "  sbog detect train demo:series --out causal.safetensors --detector "
    "channel --causal --json";

constexpr const char* kScoreFooter =
    "Examples:\n"
    "  sbog detect train demo:series --out m.safetensors && sbog detect score "
    "m.safetensors demo:series-test\n"
    "  sbog detect score m.safetensors demo:series-test --out scores.csv "
    "--plot scores.svg --json";

struct TrainArguments {
  job::SeriesInput input;
  std::string out;
  std::string detector = "views";
  DetectorOptions options;
  ClusterTrainArguments clusters;  // of the detectors carla and sbog
  std::string kind;                // "series", "image" or empty
  TrainImageDetectorArguments images;
};

struct ScoreSeriesArguments {
  job::SeriesInput input;
  std::string model;
  std::string out;
  std::string labels;
  std::string plot;
  double level = 0.0;  // 0: that of the model
  ScoreImagesArguments images;
  std::size_t recalibrate = 0;
  std::size_t gap = 10;
  std::size_t top = 20;
};

bool has_head(const std::string& detector) {
  return detector == "carla" || detector == "sbog";
}

// Options of the other kind of detector are a mistake, not to be passed over.
void check_kind(const CLI::App& command, const std::string& detector) {
  const bool is_other = has_head(detector);
  for (const char* name : {"--causal", "--joint-rows", "--line-rows"}) {
    if (is_other && command.count(name) > 0) {
      throw InvalidArgument(std::string(name) + ": the detector " + detector +
                            " has no such option");
    }
  }
  for (const char* name : {"--epochs", "--width", "--stride"}) {
    if (!is_other && command.count(name) > 0) {
      throw InvalidArgument(std::string(name) +
                            ": only the detectors carla and sbog have it");
    }
  }
}

// What is for series only; `named` are options of the one command or the other.
void refuse_series_options(const CLI::App& command,
                           std::initializer_list<const char*> named) {
  for (const char* name : named) {
    if (command.count(name) > 0) {
      throw InvalidArgument(std::string(name) +
                            ": this option is not for images");
    }
  }
}

void refuse_image_options(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() > 0 && option->get_group() == "Images") {
      throw InvalidArgument(option->get_name() +
                            ": this option is for images only");
    }
  }
}

int train_images(const CLI::App& command, const TrainArguments& a,
                 const CommonOptions& common) {
  refuse_series_options(
      command, {"--time", "--columns", "--detector", "--causal", "--joint-rows",
                "--line-rows", "--width", "--stride"});
  TrainImageDetectorArguments images = a.images;
  images.out = a.out;
  images.epochs = a.clusters.epochs;
  if (command.count("--level") > 0) images.level = a.options.level;
  check_image_training(command, images);
  return train_image_detector(images, common);
}

int train_head(const TrainArguments& a, const CommonOptions& common) {
  ClusterTrainArguments clusters = a.clusters;
  clusters.input = a.input;
  clusters.out = a.out;
  clusters.detector = a.detector;
  clusters.level = a.options.level;
  return train_clusters(clusters, common);
}

int train(const TrainArguments& a, const CommonOptions& common) {
  check_writable(a.out);
  DetectorOptions options = a.options;
  options.kind = parse_detector_kind(a.detector);
  check_detector_options(options);
  ConsoleEvents events(common.is_quiet);
  const LoadedSeries loaded = load_series(a.input, events);
  ThreadPool pool(common.threads);
  const Detector detector =
      train_detector(loaded.series, options, {&pool, nullptr});
  if (is_interrupted()) return kNotReached;
  write_detector(a.out, detector);
  const double threshold = detector.threshold(options.level);
  if (common.is_json) {
    nlohmann::ordered_json json;
    json["model"] = a.out;
    json["detector"] = a.detector;
    json["causal"] = options.is_causal;
    json["rows"] = loaded.series.rows();
    json["channels"] = loaded.series.channel_count();
    json["level"] = options.level;
    if (std::isfinite(threshold)) json["threshold"] = threshold;
    json["filled_values"] = loaded.report.filled_values;
    json["constant_channels"] = loaded.report.constant_channels.size();
    json["gaps"] = loaded.report.gaps.size();
    std::printf("%s\n", json.dump(2).c_str());
    return kDone;
  }
  std::printf("trained on %s rows of %s channels; threshold %.4g at level %g\n",
              with_commas(loaded.series.rows()).c_str(),
              with_commas(loaded.series.channel_count()).c_str(), threshold,
              options.level);
  return kDone;
}

std::vector<std::int64_t> load_labels(const std::string& spec,
                                      std::size_t rows) {
  if (spec.empty()) return {};
  const Array array = load_array(spec);
  std::vector<std::int64_t> labels = to_labels(array);
  if (labels.size() != rows) {
    throw InvalidArgument("--labels: one per row is expected (" +
                          std::to_string(rows) + "), got " +
                          std::to_string(labels.size()));
  }
  for (std::size_t t = 0; t < labels.size(); ++t) {
    if (labels[t] == 0 || labels[t] == 1) continue;
    throw InvalidArgument("--labels: 0 or 1 is expected, row " +
                          std::to_string(t) + " has " +
                          std::to_string(labels[t]));
  }
  return labels;
}

void check_channels(const Detector& detector, const Series& series) {
  if (series.channel_count() != detector.channel_count()) {
    throw InvalidArgument(series.name + ": the model was trained on " +
                          std::to_string(detector.channel_count()) +
                          " channels, got " +
                          std::to_string(series.channel_count()));
  }
  for (std::size_t c = 0; c < series.channels.size(); ++c) {
    if (series.channels[c] == detector.state().channels[c]) continue;
    throw InvalidArgument(series.name + ": channel " + std::to_string(c) +
                          " is '" + series.channels[c] +
                          "', but the model was trained on '" +
                          detector.state().channels[c] + "' there");
  }
}

void write_plot(const std::string& path, const ScoredSeries& scored) {
  ScorePlot plot;
  plot.title = "Scores of " + scored.series->name + ": " +
               std::to_string(scored.alarms.size()) + " alarm" +
               (scored.alarms.size() == 1 ? "" : "s") + " in " +
               with_commas(scored.series->rows()) + " rows";
  plot.scores = scored.scores.scores;
  plot.thresholds = scored.thresholds;
  for (const Alarm& alarm : scored.alarms) {
    plot.alarms.push_back({alarm.first, alarm.end});
  }
  plot.labels = labelled_rows(scored.labels);
  plot.times = scored.series->times;
  write_file_atomically(path, plot_scores(plot));
}

// Scores with the detector of the file, of whatever kind; `detector` keeps the
// one that `scored` points to.
void score_rows(const ScoreSeriesArguments& a, const LoadedSeries& loaded,
                const Context& context, std::optional<Detector>& detector,
                ScoredSeries& scored) {
  if (!detector) {
    ClusterScores found =
        score_clusters(a.model, loaded.series, a.level, context);
    scored.kind = found.detector;
    scored.level = found.level;
    scored.scores.scores = std::move(found.scores);
    scored.scores.threshold = found.threshold;
    return;
  }
  if (a.level != 0.0) detector->set_level(a.level);
  check_channels(*detector, loaded.series);
  scored.detector = &*detector;
  scored.kind = to_string(detector->options().kind);
  scored.level = detector->options().level;
  scored.scores = detector->score(loaded.series.values, context);
}

int score(const ScoreSeriesArguments& a, const CommonOptions& common) {
  check_writable(a.out);
  check_writable(a.plot);
  ThreadPool pool(common.threads);
  const Context context{&pool, nullptr};
  std::optional<Detector> detector;
  if (!is_cluster_file(a.model)) {
    detector.emplace(read_detector(a.model, context));
  }
  ConsoleEvents events(common.is_quiet);
  const LoadedSeries loaded = load_series(a.input, events);
  ScoredSeries scored;
  scored.series = &loaded.series;
  scored.labels = load_labels(a.labels, loaded.series.rows());
  scored.top = a.top;
  score_rows(a, loaded, context, detector, scored);
  scored.thresholds =
      rolling_thresholds(scored.scores.scores, scored.scores.threshold,
                         scored.level, a.recalibrate);
  scored.alarms = find_alarms(scored.scores.scores, scored.thresholds, a.gap);
  if (is_interrupted()) return kNotReached;
  if (!a.out.empty()) write_scores(a.out, scored);
  if (!a.plot.empty()) write_plot(a.plot, scored);
  report_detection(scored, common);
  return kDone;
}

// A series as everywhere, or images.
void declare_input(CLI::App& command, job::SeriesInput& input) {
  command.add_option("data", input.data)->required();
  command.add_option("--time", input.time, job::time_column_help());
  command.add_option("--columns", input.columns, "Columns to keep (CSV)")
      ->delimiter(',');
  command.get_option("data")->description(
      "A series (CSV, npy, npz:name, safetensors:name or demo:), or images (a "
      "folder with a folder per class, idx, npy, npz, CIFAR records or demo:)");
}

void add_detector_train(CLI::App& parent, const CommonOptions& common,
                        int& exit_code) {
  CLI::App* command = parent.add_subcommand(
      "train", "Learn what is normal from a series or from images");
  const auto a = std::make_shared<TrainArguments>();
  command->footer(kTrainFooter);
  declare_input(*command, a->input);
  command
      ->add_option("--out", a->out,
                   "The model, a safetensors file; of images with --model a "
                   "folder")
      ->required();
  command
      ->add_option("--detector", a->detector,
                   "views: joint and per-channel energies; channel: "
                   "per-channel energies in units of each channel (cheaper); "
                   "views-batch: views in units that look at the scored "
                   "series; carla, sbog: an encoder of windows and a head "
                   "trained against injected anomalies, or against outliers "
                   "of SBOG")
      ->check(
          CLI::IsMember({"views", "channel", "views-batch", "carla", "sbog"}));
  command->add_flag("--causal", a->options.is_causal,
                    "A score looks at its past only");
  command->add_option("--level", a->options.level,
                      "Share of normal rows meant to be below the threshold; "
                      "images: of held-out images to be taken as known (0.95)");
  command->add_option("--joint-rows", a->options.joint_rows,
                      "Training rows behind the joint energies, 0 = all");
  command->add_option("--line-rows", a->options.line_rows,
                      "Training rows behind the energies of single channels, "
                      "0 = all");
  command->add_option(
      "--epochs", a->clusters.epochs,
      "carla, sbog: passes over the windows (encoder 30, head "
      "50); images: of the classifier (8), or of the score head "
      "over the bank (40)");
  command->add_option("--width", a->clusters.width,
                      "carla, sbog: rows of a window, at least 10");
  command->add_option("--stride", a->clusters.stride,
                      "carla, sbog: rows from one window to the next; 0: so "
                      "that there are at most 5,000");
  command
      ->add_option("--kind", a->kind,
                   "series or image; without it demo:shapes, --outliers and "
                   "--model mean images")
      ->check(CLI::IsMember({"series", "image"}));
  declare_image_training(*command, a->images);
  command->callback([a, command, &common, &exit_code] {
    a->images.input.data = a->input.data;
    const bool is_image =
        a->kind.empty() ? is_for_images(a->images) : a->kind == "image";
    if (is_image) {
      exit_code = train_images(*command, *a, common);
      return;
    }
    refuse_image_options(*command);
    check_kind(*command, a->detector);
    exit_code =
        has_head(a->detector) ? train_head(*a, common) : train(*a, common);
  });
}

int score_with_images(const CLI::App& command, const ScoreSeriesArguments& a,
                      const CommonOptions& common) {
  refuse_series_options(command, {"--time", "--columns", "--plot", "--level",
                                  "--recalibrate", "--gap", "--top"});
  ScoreImagesArguments images = a.images;
  images.input.data = a.input.data;
  images.input.labels = a.labels;
  images.model = a.model;
  images.out = a.out;
  return score_images(images, common);
}

void add_series_score(CLI::App& parent, const CommonOptions& common,
                      int& exit_code) {
  CLI::App* command = parent.add_subcommand(
      "score", "Score a series and list its alarms, or score images");
  const auto a = std::make_shared<ScoreSeriesArguments>();
  command->footer(kScoreFooter);
  command->add_option("model", a->model, "What `sbog detect train` wrote")
      ->required();
  declare_input(*command, a->input);
  command->add_option("--out", a->out,
                      "Scores of all rows, .npy, or .csv with thresholds");
  command->add_option("--plot", a->plot,
                      "Scores over time with threshold and alarms, .svg");
  command->add_option("--labels", a->labels,
                      "1 for anomalous rows, to say how good the scores are; "
                      "of images their classes");
  command->add_option("--level", a->level,
                      "Another level than that of the model, in (0, 1)");
  command->add_option("--recalibrate", a->recalibrate,
                      "Let the threshold follow the last so many scores");
  command->add_option("--gap", a->gap,
                      "Rows below the threshold that do not end an alarm");
  command->add_option("--top", a->top, "Alarms to list");
  command
      ->add_option("--outside", a->images.outside,
                   "Images of something else, to say how good the detector is")
      ->group("Images");
  declare_image_options(*command, a->images.input, "Images");
  command->callback([a, command, &common, &exit_code] {
    if (is_image_detector(a->model)) {
      exit_code = score_with_images(*command, *a, common);
      return;
    }
    refuse_image_options(*command);
    if (command->count("--level") > 0 && !(a->level > 0.0 && a->level < 1.0)) {
      throw InvalidArgument("--level: a number in (0, 1) is expected, got " +
                            std::to_string(a->level));
    }
    exit_code = score(*a, common);
  });
}

}  // namespace

bool is_cluster_file(const std::string& path) {
  const auto metadata = read_safetensors(path).metadata;
  const auto format = metadata.find("format");
  return format != metadata.end() &&
         format->second.starts_with("sbog-cluster-detector-");
}

void add_detect(CLI::App& app, const CommonOptions& common, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "detect",
      "Find anomalies in a series, or images of no known class: train a "
      "detector, score with it");
  command->require_subcommand(1);
  command->footer(kFooter);
  add_detector_train(*command, common, exit_code);
  add_series_score(*command, common, exit_code);
}

}  // namespace sbog::cli
