// SPDX-License-Identifier: Apache-2.0
// Training of a model of a series; see train_series.h.
#include "train_series.h"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>

#include "exit_code.h"
#include "sbog/base/errors.h"
#include "sbog/base/mean.h"
#include "sbog/series/series_model_file.h"

namespace sbog::cli {
namespace {

using series::PretextHistory;
using series::SeriesDiagnostics;
using series::SeriesModel;
using series::SeriesTraining;

// Beyond this, injected anomalies that change nothing are worth a warning.
constexpr double kIdenticalShare = 0.1;

// What is said about a training besides its model.
struct TrainingFacts {
  std::size_t rows = 0;
  PretextHistory history;
  double seconds = 0.0;
};

SeriesTraining training_of(const TrainSeriesArguments& a, std::uint64_t seed) {
  SeriesTraining training;
  if (a.profile != "repaired") {
    training.pretext = series::pretext_profile(a.profile);
  }
  series::PretextOptions& pretext = training.pretext;
  training.windows.width = a.width;
  training.windows.stride = a.stride;
  if (a.epochs) pretext.epochs = *a.epochs;
  if (a.batch) pretext.batch = *a.batch;
  if (a.mid) pretext.mid = *a.mid;
  if (a.head) pretext.head = *a.head;
  if (a.loss) pretext.loss = series::parse_loss(*a.loss);
  if (a.space) pretext.space = series::parse_space(*a.space);
  pretext.seed = seed;
  pretext.checkpoint = a.out + ".checkpoint";
  return training;
}

void look_for_checkpoint(const TrainSeriesArguments& a,
                         const std::string& checkpoint,
                         const Console& console) {
  const bool is_there = std::filesystem::exists(checkpoint);
  if (is_there && !a.is_resumed) {
    throw InvalidArgument(checkpoint +
                          " is left of an interrupted training: add --resume "
                          "to go on with it, or remove it");
  }
  if (!is_there && a.is_resumed) {
    console.note("there is no " + checkpoint + ": training begins afresh");
  }
}

// Mean losses of the first and the last epoch of this call.
struct EdgeLosses {
  double first = 0.0;
  double last = 0.0;
};

EdgeLosses edge_losses(const SeriesModel& model,
                       const PretextHistory& history) {
  const std::span<const double> losses = history.losses;
  const std::size_t steps =
      std::min(losses.size(), model.diagnostics.windows / model.training.batch);
  return {mean_of(losses.first(steps)), mean_of(losses.last(steps))};
}

void print_json(const SeriesModel& model, const TrainSeriesArguments& a,
                const TrainingFacts& facts) {
  const SeriesDiagnostics& told = model.diagnostics;
  nlohmann::ordered_json json;
  json["model"] = a.out;
  json["profile"] = a.profile;
  json["rows"] = facts.rows;
  json["channels"] = model.channels.size();
  json["windows"] = told.windows;
  json["width"] = model.windows.width;
  json["stride"] = model.windows.stride;
  json["epochs"] = model.training.epochs;
  json["batch"] = model.training.batch;
  json["mid"] = model.training.mid;
  json["head"] = model.training.head;
  json["loss"] = to_string(model.training.loss);
  json["space"] = to_string(model.training.space);
  json["seed"] = model.training.seed;
  if (!facts.history.losses.empty()) {
    const EdgeLosses losses = edge_losses(model, facts.history);
    json["first_loss"] = losses.first;
    json["last_loss"] = losses.last;
  }
  json["pair_distance"] = told.spread.pair_distance;
  json["positive_distance"] = told.positive_distance;
  json["negative_distance"] = told.negative_distance;
  json["energy_quantiles"] = told.spread.energy_quantiles;
  json["identical_share"] = told.identical_share;
  json["collapsed"] = told.spread.is_collapsed;
  json["seconds"] = facts.seconds;
  std::printf("%s\n", json.dump(2).c_str());
}

void print_words(const SeriesModel& model, const TrainSeriesArguments& a,
                 const TrainingFacts& facts) {
  const SeriesDiagnostics& told = model.diagnostics;
  const auto& energies = told.spread.energy_quantiles;
  std::printf(
      "%s: trained on %s rows of %s channel%s, %s windows of %zu rows at "
      "stride %zu (%s)\n",
      a.out.c_str(), with_commas(facts.rows).c_str(),
      with_commas(model.channels.size()).c_str(),
      model.channels.size() == 1 ? "" : "s", with_commas(told.windows).c_str(),
      model.windows.width, model.windows.stride,
      duration(facts.seconds).c_str());
  if (!facts.history.losses.empty()) {
    const EdgeLosses losses = edge_losses(model, facts.history);
    std::printf("loss: %.4g in the first epoch, %.4g in the last\n",
                losses.first, losses.last);
  }
  std::printf(
      "spread: two windows are %.3g apart on average (1 - cosine; below %.2g "
      "is collapse)\n",
      told.spread.pair_distance, series::kLeastPairDistance);
  std::printf(
      "contrast: an injected anomaly moves a window by %.3g, neighbours in "
      "time differ by %.3g\n",
      told.negative_distance, told.positive_distance);
  std::printf(
      "energies of the windows: %.3g (5 %%), %.3g (median), %.3g (95 %%)\n",
      energies[0], energies[1], energies[2]);
}

void warn(const SeriesDiagnostics& told, const Console& console) {
  char share[32];
  std::snprintf(share, sizeof share, "%.0f %%", 100.0 * told.identical_share);
  if (told.spread.is_collapsed) {
    console.warn(
        "the encoder has collapsed: every window gets nearly the same point, "
        "so that neither outliers nor scores can follow from it; train with "
        "--profile repaired, more --epochs or another --seed");
  } else if (told.negative_distance <= told.positive_distance) {
    console.warn(
        "injected anomalies move a window no further than its neighbours in "
        "time lie: the encoder tells nothing apart; train with more --epochs");
  }
  if (told.identical_share > kIdenticalShare) {
    console.warn(std::string(share) +
                 " of the injected anomalies change nothing");
  }
}

}  // namespace

int train_series(const TrainSeriesArguments& a, const CommonOptions& common) {
  const auto start = std::chrono::steady_clock::now();
  check_writable(a.out);
  const Console console(common.is_quiet);
  const SeriesTraining training = training_of(a, common.seed);
  const std::string& checkpoint = training.pretext.checkpoint;
  look_for_checkpoint(a, checkpoint, console);
  const LoadedSeries loaded = load_series(a.input, console);
  ThreadPool pool(common.threads);
  TrainingFacts facts;
  facts.rows = loaded.series.rows();
  std::optional<SeriesModel> model;
  {
    ProgressLine line("training", common.is_quiet);
    model = train_series_model(loaded.series, training, {&pool, &line},
                               &facts.history);
  }
  if (!model) {
    console.note("interrupted in epoch " +
                 std::to_string(facts.history.epochs + 1) +
                 "; go on with the same command and --resume");
    return kNotReached;
  }
  write_series_model(a.out, *model);
  std::filesystem::remove(checkpoint);
  facts.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  if (common.is_json) {
    print_json(*model, a, facts);
  } else {
    print_words(*model, a, facts);
  }
  warn(model->diagnostics, console);
  return model->diagnostics.spread.is_collapsed ? kNotReached : kDone;
}

}  // namespace sbog::cli
