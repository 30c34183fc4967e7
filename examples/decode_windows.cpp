// SPDX-License-Identifier: Apache-2.0
// Learns an encoder of windows and a conditional autoencoder from a generated
// series, then decodes points near recorded windows and tells how near the
// decoded windows come.
#include <cmath>
#include <cstdio>

#include "sbog/nn/random.h"
#include "sbog/series/series_model.h"
#include "sbog_torch/series/vae_training.h"

namespace {

constexpr std::size_t kChannels = 3;
constexpr std::size_t kWidth = 40;
constexpr std::size_t kPoints = 32;

// A load that wanders, a cycle whose speed follows it, and their mixture.
sbog::Matrix<double> make_plant(std::size_t rows) {
  sbog::Matrix<double> values(rows, kChannels);
  sbog::nn::Draws draws(1, sbog::nn::Purpose::kPairs, 0);
  double load = 0.0;
  double phase = 0.0;
  for (std::size_t t = 0; t < rows; ++t) {
    load = 0.97 * load + 0.2 * draws.normal();
    phase += 0.2 + 0.05 * std::tanh(load);
    values(t, 0) = load;
    values(t, 1) = std::sin(phase) + 0.05 * draws.normal();
    values(t, 2) = 0.5 * load + 0.5 * std::sin(phase);
  }
  return values;
}

}  // namespace

int main() {
  namespace series = sbog::series;
  const sbog::Series plant = sbog::make_series("plant", make_plant(900));
  series::SeriesTraining training;
  training.windows = {kWidth, 2, false};
  training.pretext.epochs = 6;
  const auto model = series::train_series_model(plant, training);
  const series::WindowSource windows = series::windows_of(*model, plant);
  series::VaeOptions options;
  options.epochs = 20;
  const series::WindowVae vae =
      series::train_window_vae(model->encoder, windows, options);

  // Points a little off those of recorded windows.
  sbog::Matrix<float> sources(kPoints, kChannels * kWidth);
  for (std::size_t i = 0; i < kPoints; ++i) {
    windows.fill(i * windows.size() / kPoints,
                 {sources.row(i).data(), kChannels, kWidth});
  }
  sbog::Matrix<float> targets = model->encoder.embed(sources);
  sbog::nn::Draws draws(2, sbog::nn::Purpose::kPairs, 0);
  for (std::size_t i = 0; i < kPoints; ++i) {
    double square = 0.0;
    for (float& x : targets.row(i)) {
      x += static_cast<float>(0.05 * draws.normal());
      square += x * x;
    }
    for (float& x : targets.row(i)) {
      x = static_cast<float>(x / std::sqrt(square));
    }
  }
  const series::DecodedWindows decoded = vae.decode(
      model->encoder, targets, sources, series::training_limits(windows));
  double mean = 0.0;
  for (const double ratio : decoded.ratios) mean += ratio / kPoints;
  std::printf("mean r = %.2f over %zu points (0: reached, 1: not nearer)\n",
              mean, kPoints);
}
