// SPDX-License-Identifier: Apache-2.0
// A bank on the sphere with a dense middle and a thin rim, and a small series
// with an encoder that was trained on it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sbog/scenario/scenario.h"
#include "sbog/series/series_model.h"
#include "sbog/series/synthetic_plant.h"
#include "support.h"

namespace sbog::series::testing_support {

/// Unit rows around the first axis; the spread differs from row to row.
inline Matrix<float> cap_points(std::size_t rows, std::size_t dim,
                                std::uint64_t seed) {
  Matrix<float> points(rows, dim);
  nn::Draws draws(seed, nn::Purpose::kPairs, 18);
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<double> point(dim, 0.0);
    const double spread = 0.2 + 0.5 * draws.uniform();
    for (double& value : point) value = spread * draws.normal();
    point[0] += 1.0;
    const double norm = norm_of<double>(point);
    for (std::size_t k = 0; k < dim; ++k) {
      points(i, k) = static_cast<float>(point[k] / norm);
    }
  }
  return points;
}

/// The first rows of the plant, windows of 120 samples, and an encoder after
/// ten epochs. Made once.
struct SmallPlant {
  Series series = synthetic_plant(3000, 5);
  WindowSource windows{series.values, WindowOptions{120, 2, false}};
  Encoder encoder = trained(windows, 4, 10);

  static Encoder trained(const WindowSource& windows, std::uint64_t seed,
                         std::size_t epochs) {
    PretextOptions options = SeriesTraining::series_pretext();
    options.epochs = epochs;
    options.seed = seed;
    PretextTrainer trainer(windows, options);
    while (!trainer.is_done()) trainer.step();
    return trainer.encoder();
  }
  static const SmallPlant& get() {
    static const SmallPlant plant;
    return plant;
  }
};

}  // namespace sbog::series::testing_support
