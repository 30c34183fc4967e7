// SPDX-License-Identifier: Apache-2.0
// See train_series.h.
#include "sbog/job/train_series.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>

#include "sbog/base/errors.h"
#include "sbog/base/mean.h"
#include "sbog/base/stopwatch.h"
#include "sbog/job/files.h"
#include "sbog/series/series_model_file.h"

namespace sbog::job {
namespace {

// Beyond this, injected anomalies that change nothing are worth a warning.
constexpr double kIdenticalShare = 0.1;

series::SeriesTraining training_of(const TrainSeriesOptions& o) {
  series::SeriesTraining training;
  series::PretextOptions& pretext = training.pretext;
  pretext = series::pretext_profile(o.profile);
  training.windows.width = o.width;
  training.windows.stride = o.stride;
  pretext.epochs = o.epochs;
  pretext.batch = o.batch;
  pretext.mid = o.mid;
  pretext.head = o.head;
  pretext.loss = series::parse_loss(o.loss);
  pretext.space = series::parse_space(o.space);
  pretext.seed = o.seed;
  pretext.checkpoint = o.out + ".checkpoint";
  return training;
}

void look_for_checkpoint(bool is_resumed, const std::string& checkpoint,
                         Events& events) {
  const bool is_there = std::filesystem::exists(checkpoint);
  if (is_there && !is_resumed) {
    throw InvalidArgument(checkpoint +
                          " is left of an interrupted training: add --resume "
                          "to go on with it, or remove it");
  }
  if (!is_there && is_resumed) {
    events.on_note("there is no " + checkpoint + ": training begins afresh");
  }
}

void add_edge_losses(const series::PretextHistory& history,
                     TrainSeriesResult& result) {
  const std::span<const double> losses = history.losses;
  if (losses.empty()) return;
  const std::size_t steps =
      std::min(losses.size(), result.model->diagnostics.windows /
                                  result.model->training.batch);
  result.first_loss = mean_of(losses.first(steps));
  result.last_loss = mean_of(losses.last(steps));
}

void warn_about_training(const series::SeriesDiagnostics& told,
                         Events& events) {
  if (told.spread.is_collapsed) {
    events.on_warning(
        "the encoder has collapsed: every window gets nearly the same point, "
        "so that neither outliers nor scores can follow from it; train with "
        "--profile repaired, more --epochs or another --seed");
  } else if (told.negative_distance <= told.positive_distance) {
    events.on_warning(
        "injected anomalies move a window no further than its neighbours in "
        "time lie: the encoder tells nothing apart; train with more --epochs");
  }
  if (told.identical_share > kIdenticalShare) {
    char share[32];
    std::snprintf(share, sizeof share, "%.0f %%", 100.0 * told.identical_share);
    events.on_warning(std::string(share) +
                      " of the injected anomalies change nothing");
  }
}

void apply_profile(TrainSeriesOptions& o, const GivenOptions& /*given*/) {
  const TrainSeriesOptions defaults = train_series_profile(o.profile);
  o.epochs = defaults.epochs;
  o.batch = defaults.batch;
  o.mid = defaults.mid;
  o.head = defaults.head;
  o.loss = defaults.loss;
  o.space = defaults.space;
}

}  // namespace

TrainSeriesOptions train_series_profile(std::string_view profile) {
  const series::PretextOptions pretext =
      profile == "repaired" ? series::SeriesTraining::series_pretext()
                            : series::pretext_profile(profile);
  TrainSeriesOptions options;
  options.profile = profile;
  options.epochs = pretext.epochs;
  options.batch = pretext.batch;
  options.mid = pretext.mid;
  options.head = pretext.head;
  options.loss = series::to_string(pretext.loss);
  options.space = series::to_string(pretext.space);
  return options;
}

const OptionTable<TrainSeriesOptions>& train_series_option_table() {
  using O = TrainSeriesOptions;
  constexpr int kProfileOrder = 10;
  static const OptionTable<O> kTable = [] {
    OptionTable<O> table;
    table.include(series_input_table(), &O::input);
    table.stage("Output");
    table.add("out", &O::out, "File for the model, safetensors")
        .basic()
        .required()
        .writes()
        .value("FILE");
    table
        .add("resume", &O::resume,
             "Go on with a training that was interrupted, from OUT.checkpoint")
        .basic()
        .flag();
    table.stage("Windows");
    table.add("width", &O::width, "Number of rows of a window, at least 10")
        .basic();
    table
        .add("stride", &O::stride,
             "Number of rows from one window to the next; 0: the smallest that "
             "gives at most 5,000 windows")
        .basic();
    table.stage("Training");
    table
        .add("profile", &O::profile,
             "Defaults of the training: repaired, as the method is described, "
             "or faithful, as its public code runs, which collapses")
        .choices({"repaired", "faithful"})
        .order(kProfileOrder);
    table.settle(kProfileOrder, apply_profile);
    table.add("epochs", &O::epochs, "Number of passes over the windows")
        .basic();
    table.add("batch", &O::batch, "Number of windows in a step");
    table.add("mid", &O::mid,
              "Number of filters in the first block of the network");
    table.add("head", &O::head,
              "Number of coordinates of a window's embedding");
    table
        .add("loss", &O::loss,
             "Loss that pulls neighbours and pushes anomalies")
        .choices({"infonce", "hinge", "pull-push"});
    table
        .add("space", &O::space,
             "Units in which anomalies are injected: raw, or standard "
             "deviations of the channels")
        .choices({"raw", "standard"});
    table.add("seed", &O::seed, "Seed of the weights and of the injections")
        .also("random_state");
    return table;
  }();
  return kTable;
}

TrainSeriesResult run(const TrainSeriesOptions& options, Events& events,
                      const Context& context) {
  const Stopwatch watch;
  check_writable(options.out);
  const series::SeriesTraining training = training_of(options);
  const std::string& checkpoint = training.pretext.checkpoint;
  look_for_checkpoint(options.resume, checkpoint, events);
  const LoadedSeries loaded = load_series(options.input, events);
  TrainSeriesResult result;
  result.options = options;
  result.rows = loaded.series.rows();
  series::PretextHistory history;
  {
    Stage stage(events, context, "training");
    result.model =
        train_series_model(loaded.series, training, stage.context(), &history);
  }
  result.epochs = history.epochs;
  if (!result.model) {
    events.on_note("interrupted in epoch " +
                   std::to_string(history.epochs + 1) +
                   "; go on with the same command and --resume");
    result.status = Status::kStopped;
    return result;
  }
  write_series_model(options.out, *result.model);
  std::filesystem::remove(checkpoint);
  add_edge_losses(history, result);
  result.seconds = watch.seconds();
  warn_about_training(result.model->diagnostics, events);
  if (result.model->diagnostics.spread.is_collapsed) {
    result.status = Status::kNotReached;
  }
  return result;
}

nlohmann::ordered_json to_json(const TrainSeriesResult& result) {
  nlohmann::ordered_json json;
  json["model"] = result.options.out;
  json["profile"] = result.options.profile;
  json["rows"] = result.rows;
  if (!result.model) return json;
  const series::SeriesModel& model = *result.model;
  const series::SeriesDiagnostics& told = model.diagnostics;
  json["channels"] = model.channels.size();
  json["windows"] = told.windows;
  json["width"] = model.windows.width;
  json["stride"] = model.windows.stride;
  json["epochs"] = model.training.epochs;
  json["batch"] = model.training.batch;
  json["mid"] = model.training.mid;
  json["head"] = model.training.head;
  json["loss"] = series::to_string(model.training.loss);
  json["space"] = series::to_string(model.training.space);
  json["seed"] = model.training.seed;
  if (result.first_loss) {
    json["first_loss"] = *result.first_loss;
    json["last_loss"] = *result.last_loss;
  }
  json["pair_distance"] = told.spread.pair_distance;
  json["positive_distance"] = told.positive_distance;
  json["negative_distance"] = told.negative_distance;
  json["energy_quantiles"] = told.spread.energy_quantiles;
  json["identical_share"] = told.identical_share;
  json["collapsed"] = told.spread.is_collapsed;
  json["seconds"] = result.seconds;
  return json;
}

}  // namespace sbog::job
