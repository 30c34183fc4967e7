// SPDX-License-Identifier: Apache-2.0
// A detector whose score is learnt against negatives: an encoder of windows, a
// linear head that sorts their points into classes, and which of the classes
// are normal.
//
//   score of a window   1 - sum of p over the normal classes (scoring.h)
//   score of a row      mean over the windows that cover it
//   threshold           quantile of the scores of the training rows
//
// The negatives are windows with an injected anomaly (rule carla) or points of
// the sphere drawn by SBOG. The encoder does not move while the head learns.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "sbog/base/progress.h"
#include "sbog/nn/parameter_set.h"
#include "sbog/series/cluster_stage.h"
#include "sbog/series/negatives.h"
#include "sbog/series/series.h"
#include "sbog/series/series_model.h"

namespace sbog::series {

/// How a detector is trained.
struct ClusterDetectorOptions {
  NegativeRule rule = NegativeRule::kSbogPaper;
  SeriesTraining training;  ///< of the encoder
  ClusterOptions clusters;  ///< of the head
  double level = 0.99;      ///< share of the training rows below the threshold
};

/// How well the head was trained, on the training windows.
struct ClusterDiagnostics {
  std::size_t normal_classes = 0;
  ClusterSpread spread;
  std::size_t negatives = 0;
  /// Negatives that passed the test of their rule; all of them for rule carla,
  /// which has none.
  std::size_t feasible = 0;
};

/// See the top of the file.
struct ClusterDetector {
  SeriesModel model;
  NegativeRule rule = NegativeRule::kSbogPaper;
  nn::ParameterSet head;                ///< cluster.weight, cluster.bias
  std::vector<bool> normal;             ///< one flag per class
  std::vector<double> training_scores;  ///< of the training rows, ascending
  double level = 0.99;

  /// The quantile of the training scores; throws InvalidArgument unless the
  /// level lies in (0, 1).
  double threshold(double at_level) const;
};

/// Trains encoder and head on a series that is taken to be normal; nullopt
/// when cancelled. Progress is that of the encoder. The bits do not depend on
/// the number of threads. Throws InvalidArgument as train_series_model does,
/// for a level out of (0, 1) and options of the head out of range.
std::optional<ClusterDetector> train_cluster_detector(
    const Series& series, const ClusterDetectorOptions& options,
    const Context& context = {}, ClusterDiagnostics* diagnostics = nullptr);

/// One score per row, in [0, 1]. Throws InvalidArgument for other channels than
/// in training and for a series shorter than a window.
std::vector<double> score_rows(const ClusterDetector& detector,
                               const Series& series,
                               const Context& context = {});

}  // namespace sbog::series
