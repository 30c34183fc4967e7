// SPDX-License-Identifier: Apache-2.0
// The harness of evaluate_entity.h.
#include "sbog/series/evaluate_entity.h"

#include <chrono>
#include <ctime>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/metrics/detection.h"
#include "sbog/metrics/range_detection.h"
#include "sbog/series/baselines.h"
#include "sbog/series/detector.h"
#include "sbog/series/smoothing.h"

namespace sbog {
namespace {

constexpr std::size_t kPlainWidth = 100;

// Both clocks since the stopwatch was made.
class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }
  double processor_seconds() const {
    return static_cast<double>(std::clock() - processor_start_) /
           CLOCKS_PER_SEC;
  }

 private:
  using Clock = std::chrono::steady_clock;

  Clock::time_point start_ = Clock::now();
  std::clock_t processor_start_ = std::clock();
};

DetectionQuality quality_of(std::span<const double> scores,
                            const SeriesEntity& entity) {
  const auto quality = detection_quality(scores, entity.labels);
  if (!quality) {
    throw InvalidArgument(entity.name +
                          ": at least one anomalous row is expected");
  }
  return *quality;
}

EvaluationRow detector_row(DetectorKind kind, const SeriesEntity& entity,
                           DetectorOptions options, const Context& context) {
  options.kind = kind;
  const Stopwatch watch;
  const Detector detector = train_detector(entity.train, options, context);
  const DetectorScores scores = detector.score(entity.test.values, context);
  EvaluationRow row;
  row.seconds = watch.seconds();
  row.processor_seconds = watch.processor_seconds();
  row.detector = to_string(kind);
  row.quality = quality_of(scores.scores, entity);
  const ClassScores split = split_by_label(scores.scores, entity.labels);
  const auto f1 = f1_at(split.positives, split.negatives, scores.threshold);
  if (f1) row.threshold_f1 = f1->value;
  row.flagged_share = scores.flagged_share;
  return row;
}

void add_baseline(Baseline rule, const SeriesEntity& entity,
                  const EvaluationOptions& options, const Context& context,
                  std::vector<EvaluationRow>& rows) {
  const WindowSide side = options.detector.side();
  const Stopwatch watch;
  const std::vector<double> raw = baseline_scores(
      rule, entity.train.values, entity.test.values, options.seed, context);
  const double seconds = watch.seconds();
  const double processor_seconds = watch.processor_seconds();
  const std::string name(to_string(rule));
  const auto add = [&](const std::string& suffix,
                       std::span<const double> scores) {
    EvaluationRow row;
    row.detector = name + suffix;
    row.quality = quality_of(scores, entity);
    row.seconds = seconds;
    row.processor_seconds = processor_seconds;
    rows.push_back(std::move(row));
  };
  add("", raw);
  add(" m100", smooth_box(raw, kPlainWidth, side));
  add(" multi", smooth(raw, side));
}

}  // namespace

std::optional<DetectionQuality> detection_quality(
    std::span<const double> scores, std::span<const std::int64_t> labels) {
  const ClassScores split = split_by_label(scores, labels);
  const auto precision = average_precision(split.positives, split.negatives);
  const auto f1 = best_f1(split.positives, split.negatives);
  const auto vus = vus_pr(scores, labels);
  if (!precision || !f1 || !vus) return std::nullopt;
  return DetectionQuality{*precision, f1->value, *vus};
}

std::vector<EvaluationRow> evaluate_entity(const SeriesEntity& entity,
                                           const EvaluationOptions& options,
                                           const Context& context) {
  std::vector<EvaluationRow> rows;
  for (const DetectorKind kind :
       {DetectorKind::kViews, DetectorKind::kViewsBatch,
        DetectorKind::kChannel}) {
    if (kind == DetectorKind::kViewsBatch && options.detector.is_causal) {
      continue;
    }
    rows.push_back(detector_row(kind, entity, options.detector, context));
  }
  if (!options.has_baselines) return rows;
  for (const Baseline rule : kAllBaselines) {
    add_baseline(rule, entity, options, context, rows);
  }
  return rows;
}

}  // namespace sbog
