// SPDX-License-Identifier: Apache-2.0
// Training and scoring; see cluster_detector.h.
#include "sbog/series/cluster_detector.h"

#include <algorithm>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/energy/threshold.h"
#include "sbog/series/detection_run.h"
#include "sbog/series/windows.h"

namespace sbog::series {
namespace {

void check_level(double level) {
  if (level > 0.0 && level < 1.0) return;
  throw InvalidArgument("level: a number in (0, 1) is expected, got " +
                        std::to_string(level));
}

std::vector<double> rows_of(std::vector<double> window_scores,
                            const WindowSource& windows) {
  // One less a sum of rounded probabilities may fall below zero.
  for (double& score : window_scores) score = std::clamp(score, 0.0, 1.0);
  return map_to_points(window_scores, windows.starts(), windows.width(),
                       windows.rows());
}

DetectionOptions detection_of(const ClusterDetectorOptions& options) {
  const PretextOptions& pretext = options.training.pretext;
  DetectionOptions detection;
  detection.carrier = Carrier::kLatent;
  detection.refresh_epochs = 0;  // the encoder stays as it is
  detection.rule = options.rule;
  detection.clusters = options.clusters;
  // The injected anomalies are those that the encoder was trained against.
  detection.injection.seed = pretext.seed;
  detection.injection.space = pretext.space;
  detection.injection.rejects_identical = pretext.rejects_identical;
  return detection;
}

}  // namespace

double ClusterDetector::threshold(double at_level) const {
  check_level(at_level);
  return quantile(training_scores, at_level);
}

std::optional<ClusterDetector> train_cluster_detector(
    const Series& series, const ClusterDetectorOptions& options,
    const Context& context, ClusterDiagnostics* diagnostics) {
  check_level(options.level);
  std::optional<SeriesModel> model =
      train_series_model(series, options.training, context);
  if (!model) return std::nullopt;
  const WindowSource windows = windows_of(*model, series, false);
  const Context quiet{context.pool, nullptr};
  DetectionRun run =
      train_detection(model->encoder, windows, detection_of(options), quiet);
  std::vector<double> scores = rows_of(
      score_windows(run, windows, ScoreRule::kNormalSet, quiet), windows);
  std::sort(scores.begin(), scores.end());
  if (diagnostics != nullptr) {
    const std::size_t negatives = run.negatives.points.rows();
    diagnostics->normal_classes = static_cast<std::size_t>(
        std::count(run.normal_set.begin(), run.normal_set.end(), true));
    diagnostics->spread = run.cluster_spread;
    diagnostics->negatives = negatives;
    diagnostics->feasible = options.rule == NegativeRule::kCarla
                                ? negatives
                                : run.negatives.feasible;
  }
  return ClusterDetector{std::move(*model), options.rule,
                         run.model.head(),  std::move(run.normal_set),
                         std::move(scores), options.level};
}

std::vector<double> score_rows(const ClusterDetector& detector,
                               const Series& series, const Context& context) {
  const WindowSource windows = windows_of(detector.model, series);
  ClusterModel clusters(detector.model.encoder, HeadInput::kPoints,
                        detector.normal.size(), 0);
  clusters.head() = detector.head;
  const Matrix<float> points = detector.model.encoder.embed(windows, context);
  return rows_of(
      anomaly_scores(clusters.probabilities(points), detector.normal), windows);
}

}  // namespace sbog::series
