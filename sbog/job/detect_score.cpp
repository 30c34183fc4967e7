// SPDX-License-Identifier: Apache-2.0
// See detect_score.h.
#include "sbog/job/detect_score.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "sbog/base/atomic_file.h"
#include "sbog/base/errors.h"
#include "sbog/base/labels.h"
#include "sbog/data/csv.h"
#include "sbog/data/npy.h"
#include "sbog/data/safetensors.h"
#include "sbog/detect/point_detector_file.h"
#include "sbog/job/embedded_data.h"
#include "sbog/job/files.h"
#include "sbog/metrics/detection.h"
#include "sbog/report/series_plots.h"
#include "sbog/run/run_json.h"
#include "sbog/series/cluster_detector_file.h"
#include "sbog/series/detector_file.h"
#include "sbog/series/detector_stream.h"
#include "sbog/series/evaluate_entity.h"

namespace sbog::job {

// A detector of energies with what it said about a series.
struct DetectScoreResult::Evidence {
  Evidence(Detector trained, Series scored, DetectorScores said)
      : detector(std::move(trained)),
        series(std::move(scored)),
        scores(std::move(said)),
        explainer(detector, series.values, scores) {}
  Evidence(const Evidence&) = delete;
  Evidence& operator=(const Evidence&) = delete;

  Detector detector;
  Series series;
  DetectorScores scores;
  Explainer explainer;
};

namespace {

using Json = nlohmann::ordered_json;

// Beyond this share of flagged rows, and beyond three times what the level
// asks for, drift is the likelier reason than anomalies.
constexpr double kDriftShare = 0.05;
constexpr double kDriftFactor = 3.0;

bool is_cluster_file(const std::string& path) {
  const auto metadata = read_safetensors(path).metadata;
  const auto format = metadata.find("format");
  return format != metadata.end() &&
         format->second.starts_with("sbog-cluster-detector-");
}

std::vector<std::int64_t> load_row_labels(const std::string& spec,
                                          std::size_t rows) {
  if (spec.empty()) return {};
  std::vector<std::int64_t> labels = load_labels(spec);
  check_label_count(labels, rows, "--labels");
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

void score_by_clusters(const std::string& model, const Series& series,
                       const Context& context, DetectScoreResult& result) {
  const series::ClusterDetector detector = series::read_cluster_detector(model);
  result.detector =
      detector.rule == series::NegativeRule::kCarla ? "carla" : "sbog";
  result.level = result.options.level.value_or(detector.level);
  result.threshold = detector.threshold(result.level);
  result.scores = score_rows(detector, series, context);
}

void score_by_energies(Detector detector, Series series, const Context& context,
                       DetectScoreResult& result) {
  if (result.options.level) detector.set_level(*result.options.level);
  check_channels(detector, series);
  result.detector = to_string(detector.options().kind);
  result.is_causal = detector.options().is_causal;
  result.level = detector.options().level;
  DetectorScores scores = detector.score(series.values, context);
  result.threshold = scores.threshold;
  result.scores = scores.scores;
  result.evidence = std::make_shared<const DetectScoreResult::Evidence>(
      std::move(detector), std::move(series), std::move(scores));
}

double share_of_flags(const DetectScoreResult& result) {
  std::size_t count = 0;
  for (std::size_t t = 0; t < result.thresholds.size(); ++t) {
    if (result.scores[t] > result.thresholds[t]) ++count;
  }
  return static_cast<double>(count) /
         static_cast<double>(result.thresholds.size());
}

std::optional<LabelQuality> label_quality(
    const DetectScoreResult& result, const std::vector<std::int64_t>& labels) {
  if (labels.empty()) return std::nullopt;
  const auto quality = detection_quality(result.scores, labels);
  if (!quality) return std::nullopt;
  // Flags rather than scores: thresholds may differ from row to row.
  std::vector<double> flags;
  for (std::size_t t = 0; t < result.thresholds.size(); ++t) {
    flags.push_back(result.scores[t] > result.thresholds[t] ? 1.0 : 0.0);
  }
  const ClassScores split = split_by_label(flags, labels);
  return LabelQuality{
      quality->average_precision, quality->vus_pr, quality->best_f1,
      f1_at(split.positives, split.negatives, 1.0)->value,
      *f1_floor(split.positives.size(), split.negatives.size())};
}

void write_scores(const DetectScoreResult& result) {
  const std::string& path = result.options.out;
  const std::vector<double>& scores = result.scores;
  if (!path.ends_with(".csv")) {
    write_npy(path, std::span<const double>(scores));
    return;
  }
  const bool has_times = !result.times.empty();
  std::string text = has_times ? "row,time,score,threshold,alarm\n"
                               : "row,score,threshold,alarm\n";
  for (std::size_t t = 0; t < scores.size(); ++t) {
    text += std::to_string(t) + ",";
    if (has_times) text += quote_csv(result.times[t]) + ",";
    text += shortest(scores[t]) + "," + shortest(result.thresholds[t]);
    text += scores[t] > result.thresholds[t] ? ",1\n" : ",0\n";
  }
  write_file_atomically(path, text);
}

void write_score_plot(const DetectScoreResult& result, const std::string& name,
                      const std::vector<std::int64_t>& labels) {
  ScorePlot plot;
  plot.title = "Scores of " + name + ": " +
               std::to_string(result.alarms.size()) + " alarm" +
               (result.alarms.size() == 1 ? "" : "s") + " in " +
               with_commas(result.rows) + " rows";
  plot.scores = result.scores;
  plot.thresholds = result.thresholds;
  for (const Alarm& alarm : result.alarms) {
    plot.alarms.push_back({alarm.first, alarm.end});
  }
  plot.labels = labelled_rows(labels);
  plot.times = result.times;
  write_file_atomically(result.options.plot, plot_scores(plot));
}

void warn_about_scores(const DetectScoreResult& result, Events& events) {
  if (!std::isfinite(result.threshold)) {
    events.on_warning(
        "the training series is too short for this level: no score can be "
        "above the threshold");
  }
  const double expected = 1.0 - result.level;
  if (result.flagged_share <= std::max(kDriftShare, kDriftFactor * expected)) {
    return;
  }
  char text[256];
  std::snprintf(text, sizeof text,
                "%.1f %% of the rows are flagged where %.1f %% were meant: "
                "long anomalies, or drift away from the training series; for "
                "drift, train on newer rows or use --recalibrate",
                100.0 * result.flagged_share, 100.0 * expected);
  events.on_warning(text);
}

DetectScoreResult score_image_files(const DetectScoreOptions& o, Events& events,
                                    const Context& context) {
  ImageScoreOptions options;
  options.model = o.model;
  options.data = o.input.data;
  options.labels = o.labels;
  options.out = o.out;
  options.settings = o.images;
  DetectScoreResult result;
  result.options = o;
  result.images = score_images(options, events, context);
  result.status = result.images->status;
  return result;
}

DetectScoreResult score_point_file(const DetectScoreOptions& o, Events& events,
                                   const Context& context) {
  PointScoreOptions options;
  options.model = o.model;
  options.data = o.input.data;
  options.columns = o.input.columns;
  options.labels = o.labels;
  options.out = o.out;
  options.items = o.items;
  options.outside = o.images.outside;
  options.level = o.level;
  options.top = o.top;
  DetectScoreResult result;
  result.options = o;
  result.points = score_rows_of(options, events, context);
  result.status = result.points->status;
  return result;
}

// By what the model is a detector of.
Kind kind_of_model(const std::string& model) {
  if (is_image_detector(model)) return Kind::kImages;
  return detect::is_point_detector(model) ? Kind::kPoints : Kind::kSeries;
}

DetectScoreResult score_series(const DetectScoreOptions& o, Events& events,
                               const Context& context) {
  if (o.level && !(*o.level > 0.0 && *o.level < 1.0)) {
    throw InvalidArgument("--level: a number in (0, 1) is expected, got " +
                          std::to_string(*o.level));
  }
  check_writable(o.out);
  check_writable(o.plot);
  constexpr std::string_view kPlots[] = {".svg"};
  check_ending(o.plot, "--plot", kPlots);
  const Context quiet{context.pool, nullptr};
  std::optional<Detector> detector;
  if (!is_cluster_file(o.model)) {
    detector.emplace(read_detector(o.model, quiet));
  }
  LoadedSeries loaded = load_series(o.input, events);
  DetectScoreResult result;
  result.options = o;
  result.rows = loaded.series.rows();
  result.channels = loaded.series.channel_count();
  result.times = loaded.series.times;
  const std::string name = loaded.series.name;
  const std::vector<std::int64_t> labels =
      load_row_labels(o.labels, result.rows);
  if (detector) {
    score_by_energies(std::move(*detector), std::move(loaded.series), quiet,
                      result);
  } else {
    score_by_clusters(o.model, loaded.series, quiet, result);
  }
  result.thresholds = rolling_thresholds(result.scores, result.threshold,
                                         result.level, o.recalibrate);
  result.alarms = find_alarms(result.scores, result.thresholds, o.gap);
  result.flagged_share = share_of_flags(result);
  result.quality = label_quality(result, labels);
  if (events.is_stopped()) return stopped_unwritten(std::move(result), events);
  if (!o.out.empty()) write_scores(result);
  if (!o.plot.empty()) write_score_plot(result, name, labels);
  warn_about_scores(result, events);
  return result;
}

// Named shares of a score, largest first.
std::vector<ScoreShare> ranked_shares(const std::vector<std::string>& names,
                                      const std::vector<double>& parts,
                                      double score) {
  std::vector<ScoreShare> shares;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    shares.push_back({names[i], score > 0.0 ? parts[i] / score : 0.0});
  }
  std::stable_sort(shares.begin(), shares.end(),
                   [](const ScoreShare& a, const ScoreShare& b) {
                     return a.share > b.share;
                   });
  return shares;
}

Json shares_json(const std::vector<ScoreShare>& shares) {
  Json json = Json::object();
  for (const ScoreShare& share : shares) json[share.name] = share.share;
  return json;
}

Json alarm_json(const DetectScoreResult& result, const Alarm& alarm) {
  Json json = {{"first", alarm.first},
               {"last", alarm.end - 1},
               {"peak", alarm.peak},
               {"score", alarm.score}};
  if (!result.times.empty()) {
    json["from"] = result.times[alarm.first];
    json["to"] = result.times[alarm.end - 1];
  }
  if (const auto carriers = result.carriers(alarm)) {
    json["channels"] = shares_json(carriers->channels);
    json["views"] = shares_json(carriers->views);
  }
  return json;
}

void add_score_files(OptionTable<DetectScoreOptions>& table) {
  using O = DetectScoreOptions;
  table.stage("Input");
  table.add("model", &O::model, "Detector that sbog detect train wrote")
      .positional()
      .value("FILE");
  table.include(series_or_images_table(), &O::input);
  table
      .add("labels", &O::labels,
           "Labels of the rows, 1 for anomalous and 0 for normal, to say how "
           "good the scores are; of points and images their classes")
      .basic()
      .value("FILE");
  table.stage("Output");
  table
      .add("out", &O::out,
           "File for the scores of all rows: .npy, or .csv with thresholds; of "
           "points the .csv has p-values, classes and the nearest rows of the "
           "bank as well")
      .basic()
      .writes()
      .value("FILE")
      .without("not written");
  table
      .add("plot", &O::plot,
           "File for a plot of scores, threshold and alarms over time, .svg")
      .basic()
      .kinds(kForSeries)
      .writes()
      .value("FILE")
      .without("not drawn");
}

void add_alarm_options(OptionTable<DetectScoreOptions>& table) {
  using O = DetectScoreOptions;
  table.stage("Alarms");
  table
      .add("level", &O::level,
           "Share of normal rows below the threshold, in (0, 1)")
      .basic()
      .kinds(kForSeries | kForPoints)
      .without("that of the detector");
  table
      .add("recalibrate", &O::recalibrate,
           "Number of the latest scores that the threshold follows; 0: it "
           "stays as trained")
      .basic()
      .kinds(kForSeries);
  table
      .add("gap", &O::gap,
           "Number of rows below the threshold that do not end an alarm")
      .basic()
      .kinds(kForSeries);
  table.add("top", &O::top, "Number of alarms, or of unusual points, to list")
      .basic()
      .kinds(kForSeries | kForPoints);
  table.stage("Points");
  table
      .add("items", &O::items,
           "Text with one line per row that the detector was trained on, a "
           "sentence or the path of a picture, to show what a row is near to")
      .basic()
      .kinds(kForPoints)
      .value("FILE")
      .without("those of the detector");
}

}  // namespace

std::optional<AlarmCarriers> DetectScoreResult::carriers(
    const Alarm& alarm) const {
  if (!evidence) return std::nullopt;
  const DetectorKind kind = evidence->detector.options().kind;
  std::vector<std::string> view_names;
  for (std::size_t v = 0; v < view_count(kind); ++v) {
    view_names.emplace_back(view_name(kind, v));
  }
  const Explanation found = evidence->explainer.explain(alarm.peak);
  return AlarmCarriers{
      ranked_shares(evidence->series.channels, found.channels(), found.score),
      ranked_shares(view_names, found.views(), found.score)};
}

const OptionTable<DetectScoreOptions>& detect_score_option_table() {
  using O = DetectScoreOptions;
  static const OptionTable<O> kTable = [] {
    OptionTable<O> table;
    add_score_files(table);
    add_alarm_options(table);
    table.include(image_score_table(), &O::images);
    settle_kind(table, [](const O& o) {
      return o.model.empty() ? Kind::kAuto : kind_of_model(o.model);
    });
    return table;
  }();
  return kTable;
}

DetectScoreResult run(const DetectScoreOptions& options, Events& events,
                      const Context& context) {
  switch (kind_of_model(options.model)) {
    case Kind::kImages:
      return score_image_files(options, events, context);
    case Kind::kPoints:
      return score_point_file(options, events, context);
    default:
      return score_series(options, events, context);
  }
}

Json to_json(const DetectScoreResult& result) {
  if (result.images) return to_json(*result.images);
  if (result.points) return to_json(*result.points);
  Json json;
  json["rows"] = result.rows;
  json["channels"] = result.channels;
  json["detector"] = result.detector;
  json["causal"] = result.is_causal;
  json["level"] = result.level;
  json["threshold"] = number_or_word(result.threshold);
  json["flagged_share"] = result.flagged_share;
  json["alarms"] = Json::array();
  for (const Alarm& alarm : result.alarms) {
    json["alarms"].push_back(alarm_json(result, alarm));
  }
  if (const auto& quality = result.quality) {
    json["quality"] = {{"average_precision", quality->average_precision},
                       {"vus_pr", quality->vus_pr},
                       {"best_f1", quality->best_f1},
                       {"f1_at_threshold", quality->f1_at_threshold},
                       {"f1_floor", quality->f1_floor}};
  }
  return json;
}

}  // namespace sbog::job
