// SPDX-License-Identifier: Apache-2.0
// Where negatives enter the classification stage, as one switch, and a whole
// run: negatives by a rule, clusters, scores.
//
//   kLatent    negatives are points on the sphere; the head reads z
//   kLifted    the same, lifted to features by ridge regression of f on z; the
//              head reads f
//   kRetrieval the window with an injected anomaly whose point is nearest to
//              the negative, out of a library; the head reads f
//   kWindow    windows with an injected anomaly; the head reads f
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/series/cluster_stage.h"
#include "sbog/series/collapse.h"
#include "sbog/series/encoder.h"
#include "sbog/series/negatives.h"
#include "sbog/series/scoring.h"
#include "sbog/series/triplets.h"
#include "sbog/series/window_source.h"

namespace sbog::series {

/// See the top of the file.
enum class Carrier { kLatent, kLifted, kRetrieval, kWindow };

/// Settings of a run.
struct DetectionOptions {
  Carrier carrier = Carrier::kLatent;
  NegativeRule rule = NegativeRule::kSbogPaper;
  /// Instead of the options of the rule, unless it is carla; count and seed are
  /// set by the run.
  std::optional<SamplerOptions> sampler{};
  /// kLatent and kLifted: 0 freezes the network; above 0 it learns, and the
  /// negatives are made again every so many epochs. The other carriers always
  /// learn.
  std::size_t refresh_epochs = 5;
  std::size_t library = 4;  ///< kRetrieval: injected windows per window
  double ridge = 1e-3;      ///< kLifted: relative to the mean square of z
  ClusterOptions clusters;
  TripletOptions injection;  ///< of rule carla and of the library
};

/// A trained detector and how it came about.
struct DetectionRun {
  ClusterModel model;
  ClusterHistory history;
  /// Of the last refresh; for rule carla the points alone, without a test.
  NegativeSet negatives;
  std::vector<bool> majority;
  std::vector<bool> normal_set;
  EncoderSpread spread;           ///< of the bank before the stage
  ClusterSpread cluster_spread;   ///< scores of the originals, normal_set
  double retrieval_cosine = 0.0;  ///< kRetrieval: mean over the negatives
};

/// Trains clusters on the windows with the given encoder. Throws
/// InvalidArgument for kWindow with a rule other than carla.
DetectionRun train_detection(const Encoder& encoder,
                             const WindowSource& windows,
                             const DetectionOptions& options,
                             const Context& context = {});

/// Scores of windows by a rule.
std::vector<double> score_windows(const DetectionRun& run,
                                  const WindowSource& windows, ScoreRule rule,
                                  const Context& context = {});

/// The lift: features ~ B z by ridge regression, one row of B per feature.
Matrix<double> fit_lift(MatrixView<const float> points,
                        MatrixView<const float> features, double ridge);
/// Rows B z.
Matrix<float> apply_lift(const Matrix<double>& lift,
                         MatrixView<const float> points);

}  // namespace sbog::series
