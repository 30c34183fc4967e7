// SPDX-License-Identifier: Apache-2.0
// A small detector for the tests of cluster_detector and its file.
#pragma once

#include "sbog/series/cluster_detector.h"
#include "sbog/series/series.h"
#include "series/window_support.h"

namespace sbog::series::testing_support {

/// Three channels of waves.
inline Series waves_series(std::size_t rows, std::uint64_t seed) {
  return make_series("waves", make_waves(rows, 3, seed));
}

/// Few short windows and few epochs.
inline ClusterDetectorOptions small_options(NegativeRule rule) {
  ClusterDetectorOptions options;
  options.rule = rule;
  options.training.windows = {24, 3, false};
  options.training.pretext.epochs = 2;
  options.training.pretext.batch = 20;
  options.clusters.epochs = 4;
  options.clusters.batch = 20;
  return options;
}

}  // namespace sbog::series::testing_support
