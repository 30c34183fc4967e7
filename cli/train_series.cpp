// SPDX-License-Identifier: Apache-2.0
// sbog train and sbog train series: their words, and the result as text.
#include "sbog/job/train_series.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "command.h"
#include "json_output.h"

namespace sbog::cli {
namespace {

void print_model(const job::TrainSeriesResult& result, Session& session) {
  if (session.is_json()) {
    print_json(to_json(result));
    return;
  }
  const series::SeriesModel& model = *result.model;
  const series::SeriesDiagnostics& told = model.diagnostics;
  const auto& energies = told.spread.energy_quantiles;
  std::printf(
      "%s: trained on %s rows of %s channel%s, %s windows of %zu rows at "
      "stride %zu (%s)\n",
      result.options.out.c_str(), with_commas(result.rows).c_str(),
      with_commas(model.channels.size()).c_str(),
      model.channels.size() == 1 ? "" : "s", with_commas(told.windows).c_str(),
      model.windows.width, model.windows.stride,
      duration(result.seconds).c_str());
  if (result.first_loss) {
    std::printf("loss: %.4g in the first epoch, %.4g in the last\n",
                *result.first_loss, *result.last_loss);
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

}  // namespace

Command train_group() {
  return {"train",
          "Train an encoder once, to be used again after",
          "  sbog train series demo:series --out m.safetensors --width 50 "
          "--epochs 2\n"
          "  sbog train series demo:series --out n.safetensors --width 50 "
          "--stride 2 --epochs 6 --json",
          {},
          {},
          {}};
}

Command train_series_command() {
  Command words{
      "train series",
      "Learn an encoder of windows from a series",
      "  sbog train series demo:series --out m.safetensors --width 50 "
      "--epochs 2\n"
      "  sbog train series demo:series --out w.safetensors --width 50 "
      "--epochs 2 --mid 8 --head 8 --seed 7",
      "The encoder turns windows into points of a sphere, so that a window "
      "lies\n"
      "near its neighbours in time and far from windows with an injected\n"
      "anomaly. While it trains, OUT.checkpoint is kept; after Ctrl-C the "
      "same\n"
      "command with --resume goes on to the same model, bit for bit. A series\n"
      "of up to 1,024 channels is taken to be normal; it must give at least "
      "one\n"
      "batch of windows. Exit 1 means that the encoder collapsed or that\n"
      "training was interrupted.",
      {},
      {}};
  words.options = job::train_series_option_table().infos(
      {}, {{"faithful", job::train_series_profile("faithful")}});
  return job_command(std::move(words), job::train_series_option_table(),
                     print_model);
}

}  // namespace sbog::cli
