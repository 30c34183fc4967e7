// SPDX-License-Identifier: Apache-2.0
// See detect_train.h.
#include "sbog/job/detect_train.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/base/stopwatch.h"
#include "sbog/job/embedded_data.h"
#include "sbog/job/files.h"
#include "sbog/series/cluster_detector_file.h"
#include "sbog/series/detector_file.h"

namespace sbog::job {
namespace {

using series::ClusterDetector;
using series::ClusterDetectorOptions;

constexpr double kSeriesLevel = 0.99;

bool has_head(const std::string& detector) {
  return detector == "carla" || detector == "sbog";
}

// What `data` and options of one kind say where no kind is named.
Kind kind_of(const DetectTrainOptions& o) {
  if (o.kind != Kind::kAuto) return o.kind;
  if (is_for_images(o.input.data, o.images)) return Kind::kImages;
  const bool is_bank = o.input.data == "demo:bank";
  return is_bank || !o.points.labels.empty() ? Kind::kPoints : Kind::kSeries;
}

// The same for options as they are given: --labels and --score, which series
// do not have, ask for points, but not where `data` is known to be a series.
Kind kind_of(const DetectTrainOptions& o, const std::vector<OptionInfo>& infos,
             const GivenOptions& given) {
  const Kind kind = kind_of(o);
  if (o.kind != Kind::kAuto || kind != Kind::kSeries ||
      is_embedded(o.input.data)) {
    return kind;
  }
  const bool is_asked = std::ranges::any_of(infos, [&](const OptionInfo& i) {
    return given.contains(i.name) && (i.kinds & kForPoints) != 0 &&
           (i.kinds & kForSeries) == 0;
  });
  return is_asked ? Kind::kPoints : Kind::kSeries;
}

// Points and images share the names of some options.
void take_shared_options(DetectTrainOptions& o, const GivenOptions& given) {
  if (given.contains("score") || o.kind == Kind::kImages) {
    o.points.score = o.images.score;
  }
  o.points.labels = o.images.labels;
  o.points.class_names = o.images.input.class_names;
  if (o.images.held_out) o.points.held_out = *o.images.held_out;
  if (o.images.neighbours) o.points.neighbours = *o.images.neighbours;
  o.points.epsilon = o.images.epsilon;
}

// As check_detector_has, for the scores of points and embeddings.
void check_score_has(const DetectTrainOptions& o, const GivenOptions& given) {
  const PointTrainOptions& p = o.points;
  const bool has_classes = o.kind == Kind::kImages || !p.labels.empty();
  const auto check = [&](const char* option,
                         std::initializer_list<const char*> scores) {
    if (!given.contains(option) ||
        std::ranges::any_of(scores, [&](const char* name) {
          return uses_score(p, has_classes, name);
        })) {
      return;
    }
    throw InvalidArgument("--" + dashed(option) + ": the score " + p.score +
                          " has no such option");
  };
  check("neighbours", {"knn"});
  check("epsilon", {"soe"});
  check("soe_reference", {"soe"});
  check("epochs", {"head", "lse", "msp"});
  check("outliers_per_epoch", {"head"});
  check("radius", {"head"});
}

// Options of the other detectors are a mistake, not to be passed over.
void check_detector_has(const DetectTrainOptions& o,
                        const GivenOptions& given) {
  const bool is_head = has_head(o.detector);
  for (const char* name : {"causal", "joint_rows", "line_rows"}) {
    if (is_head && given.contains(name)) {
      throw InvalidArgument("--" + dashed(name) + ": the detector " +
                            o.detector + " has no such option");
    }
  }
  for (const char* name : {"epochs", "width", "stride"}) {
    if (!is_head && given.contains(name)) {
      throw InvalidArgument("--" + dashed(name) +
                            ": only the detectors carla and sbog have it");
    }
  }
}

void add_detector_input(OptionTable<DetectTrainOptions>& table) {
  using O = DetectTrainOptions;
  table.include(series_or_images_table(), &O::input);
  table
      .add_enum(
          "kind", &O::kind, parse_kind,
          [](Kind kind) { return to_string(kind); },
          {to_string(Kind::kPoints), to_string(Kind::kSeries),
           to_string(Kind::kImages)},
          "What DATA holds: latent (points), series or image")
      .without(
          "image for demo:shapes and with --outliers or --model, latent for "
          "demo:bank and with --labels or --score, else series");
  table.stage("Output");
  table
      .add("out", &O::out,
           "File for the detector, safetensors; with --model a folder")
      .basic()
      .required()
      .writes()
      .value("FILE");
}

void add_detector_options(OptionTable<DetectTrainOptions>& table) {
  using O = DetectTrainOptions;
  table.stage("Detector");
  table
      .add("detector", &O::detector,
           "Detector of a series: views, joint and per-channel energies; "
           "channel, per-channel energies in units of each channel (cheaper); "
           "views-batch, views in units that look at the scored series; "
           "carla and sbog, an encoder of windows and a head trained against "
           "injected anomalies or against outliers of SBOG")
      .basic()
      .kinds(kForSeries)
      .choices({"views", "channel", "views-batch", "carla", "sbog"});
  table
      .add("level", &O::level,
           "Share of normal rows below the threshold, in (0, 1); of images "
           "the share of held-out images that are taken as known")
      .basic()
      .without("0.99; points and images 0.95");
  table
      .add("causal", &O::causal,
           "A score looks only at the past of its row (views, channel)")
      .basic()
      .kinds(kForSeries)
      .flag();
  table
      .add("joint_rows", &O::joint_rows,
           "Number of training rows behind the joint energies (views); 0: all")
      .kinds(kForSeries);
  table
      .add("line_rows", &O::line_rows,
           "Number of training rows behind the energies of single channels; "
           "0: all")
      .kinds(kForSeries);
  table
      .add("epochs", &O::epochs,
           "Number of passes over the windows (carla, sbog), over the points "
           "(head, lse, msp) or over the images")
      .without(
          "encoder 30, head 50; points and embeddings 12; classifier of "
          "images 8");
  table
      .add("width", &O::width,
           "Number of rows of a window, at least 10 (carla, sbog)")
      .kinds(kForSeries);
  table
      .add("stride", &O::stride,
           "Number of rows from one window to the next (carla, sbog); 0: the "
           "smallest that gives at most 5,000 windows")
      .kinds(kForSeries);
  table.add("seed", &O::seed, "Seed of weights, injections and splits")
      .also("random_state");
}

DetectTrainResult train_images(const DetectTrainOptions& o, Events& events,
                               const Context& context) {
  ImageDetectorOptions options;
  options.data = o.input.data;
  options.out = o.out;
  if (o.level) options.level = *o.level;
  options.epochs = o.epochs;
  options.settings = o.images;
  options.seed = o.seed;
  options.points = o.points.settings;
  DetectTrainResult result;
  result.options = o;
  result.images = train_image_detector(options, events, context);
  result.status = result.images->status;
  return result;
}

DetectTrainResult train_point_file(const DetectTrainOptions& o, Events& events,
                                   const Context& context) {
  PointTrainOptions options = o.points;
  options.data = o.input.data;
  options.columns = o.input.columns;
  options.out = o.out;
  if (o.level) options.level = *o.level;
  if (o.epochs) options.epochs = *o.epochs;
  options.seed = o.seed;
  DetectTrainResult result;
  result.options = o;
  result.points = train_points(options, events, context);
  result.status = result.points->status;
  return result;
}

DetectTrainResult first_result(const DetectTrainOptions& options,
                               const LoadedSeries& loaded) {
  DetectTrainResult result;
  result.options = options;
  result.rows = loaded.series.rows();
  result.channels = loaded.series.channel_count();
  result.level = options.level.value_or(kSeriesLevel);
  result.filled_values = loaded.report.filled_values;
  result.constant_channels = loaded.report.constant_channels.size();
  result.gaps = loaded.report.gaps.size();
  return result;
}

DetectTrainResult train_energies(const DetectTrainOptions& o, Events& events,
                                 const Context& context) {
  const Stopwatch watch;
  DetectorOptions options;
  options.kind = parse_detector_kind(o.detector);
  options.is_causal = o.causal;
  options.joint_rows = o.joint_rows;
  options.line_rows = o.line_rows;
  options.level = o.level.value_or(kSeriesLevel);
  check_detector_options(options);
  const LoadedSeries loaded = load_series(o.input, events);
  DetectTrainResult result = first_result(o, loaded);
  const Detector detector =
      train_detector(loaded.series, options, {context.pool, nullptr});
  if (events.is_stopped()) return stopped_unwritten(std::move(result), events);
  write_detector(o.out, detector);
  result.threshold = detector.threshold(options.level);
  result.seconds = watch.seconds();
  return result;
}

ClusterDetectorOptions cluster_options_of(const DetectTrainOptions& o) {
  ClusterDetectorOptions options;
  // Of the two profiles of SBOG the paper's gave the better head on the
  // entities that settings are chosen on.
  options.rule = o.detector == "carla" ? series::NegativeRule::kCarla
                                       : series::NegativeRule::kSbogPaper;
  options.level = o.level.value_or(kSeriesLevel);
  options.training.windows.width = o.width;
  options.training.windows.stride = o.stride;
  options.training.pretext.seed = o.seed;
  options.clusters.seed = o.seed;
  if (o.epochs) {
    options.training.pretext.epochs = *o.epochs;
    options.clusters.epochs = *o.epochs;
  }
  return options;
}

void warn_about_collapse(const ClusterTraining& training, Events& events) {
  if (training.is_encoder_collapsed) {
    events.on_warning(
        "the encoder has collapsed: every window gets nearly the same point, "
        "so that no score can follow from it; train with more --epochs or "
        "another --seed");
  } else if (training.head.spread.is_collapsed) {
    events.on_warning(
        "the head has collapsed: every window gets nearly the same score; "
        "train with more --epochs or another --seed");
  }
}

ClusterTraining training_facts(const ClusterDetector& detector,
                               const series::ClusterDiagnostics& head) {
  const series::SeriesModel& model = detector.model;
  ClusterTraining facts;
  facts.windows = model.diagnostics.windows;
  facts.width = model.windows.width;
  facts.stride = model.windows.stride;
  facts.classes = detector.normal.size();
  facts.pair_distance = model.diagnostics.spread.pair_distance;
  facts.is_encoder_collapsed = model.diagnostics.spread.is_collapsed;
  facts.head = head;
  return facts;
}

DetectTrainResult train_clusters(const DetectTrainOptions& o, Events& events,
                                 const Context& context) {
  const Stopwatch watch;
  const ClusterDetectorOptions options = cluster_options_of(o);
  const LoadedSeries loaded = load_series(o.input, events);
  DetectTrainResult result = first_result(o, loaded);
  series::ClusterDiagnostics head;
  std::optional<ClusterDetector> detector;
  {
    Stage stage(events, context, "training");
    detector =
        train_cluster_detector(loaded.series, options, stage.context(), &head);
  }
  if (!detector || events.is_stopped()) {
    return stopped_unwritten(std::move(result), events);
  }
  write_cluster_detector(o.out, *detector);
  result.threshold = detector->threshold(detector->level);
  result.clusters = training_facts(*detector, head);
  result.seconds = watch.seconds();
  warn_about_collapse(*result.clusters, events);
  if (result.clusters->is_encoder_collapsed || head.spread.is_collapsed) {
    result.status = Status::kNotReached;
  }
  return result;
}

nlohmann::ordered_json cluster_json(const DetectTrainResult& result) {
  const ClusterTraining& facts = *result.clusters;
  nlohmann::ordered_json json;
  json["model"] = result.options.out;
  json["detector"] = result.options.detector;
  json["rows"] = result.rows;
  json["channels"] = result.channels;
  json["windows"] = facts.windows;
  json["width"] = facts.width;
  json["stride"] = facts.stride;
  json["seed"] = result.options.seed;
  json["level"] = result.level;
  json["threshold"] = result.threshold;
  json["classes"] = facts.classes;
  json["normal_classes"] = facts.head.normal_classes;
  json["classes_used"] = facts.head.spread.classes_used;
  json["negatives"] = facts.head.negatives;
  json["feasible_negatives"] = facts.head.feasible;
  json["pair_distance"] = facts.pair_distance;
  json["score_deviation"] = facts.head.spread.score_deviation;
  json["collapsed"] = result.status == Status::kNotReached;
  json["seconds"] = result.seconds;
  return json;
}

}  // namespace

const OptionTable<DetectTrainOptions>& detect_train_option_table() {
  using O = DetectTrainOptions;
  static const OptionTable<O> kTable = [] {
    OptionTable<O> table;
    add_detector_input(table);
    add_detector_options(table);
    table.include(image_detector_table(), &O::images);
    table.include(point_detector_table(), [](O& o) -> PointDetectorSettings& {
      return o.points.settings;
    });
    const O defaults;
    table.settle(kLastOrder, [infos = table.infos(defaults)](
                                 O& o, const GivenOptions& given) {
      o.kind = kind_of(o, infos, given);
      refuse_foreign_options(infos, given, o.kind);
      if (o.kind == Kind::kSeries) check_detector_has(o, given);
      const bool is_of_points =
          o.kind == Kind::kPoints ||
          (o.kind == Kind::kImages && !is_on_pixels(o.images.score));
      if (!is_of_points) return;
      take_shared_options(o, given);
      check_score_has(o, given);
    });
    return table;
  }();
  return kTable;
}

DetectTrainResult run(const DetectTrainOptions& options, Events& events,
                      const Context& context) {
  const Kind kind = kind_of(options);
  if (kind == Kind::kImages) return train_images(options, events, context);
  if (kind == Kind::kPoints) return train_point_file(options, events, context);
  check_writable(options.out);
  return has_head(options.detector) ? train_clusters(options, events, context)
                                    : train_energies(options, events, context);
}

nlohmann::ordered_json to_json(const DetectTrainResult& result) {
  if (result.images) return to_json(*result.images);
  if (result.points) return to_json(*result.points);
  if (result.clusters) return cluster_json(result);
  nlohmann::ordered_json json;
  json["model"] = result.options.out;
  json["detector"] = result.options.detector;
  json["causal"] = result.options.causal;
  json["rows"] = result.rows;
  json["channels"] = result.channels;
  json["level"] = result.level;
  if (std::isfinite(result.threshold)) json["threshold"] = result.threshold;
  json["filled_values"] = result.filled_values;
  json["constant_channels"] = result.constant_channels;
  json["gaps"] = result.gaps;
  return json;
}

}  // namespace sbog::job
