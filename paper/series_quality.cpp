// SPDX-License-Identifier: Apache-2.0
// Scores to figures; see series_quality.h.
#include "paper/series_quality.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <optional>
#include <string>

#include "sbog/metrics/detection.h"
#include "sbog/series/evaluate_entity.h"

namespace sbog::paper {
namespace {

constexpr double kTie = 1e-6;

Json quality_json(const DetectionQuality& quality) {
  return {{"ap", number(quality.average_precision)},
          {"best_f1", number(quality.best_f1)},
          {"vus_pr", number(quality.vus_pr)}};
}

bool has_anomalies(const SeriesEntity& entity) {
  return std::find(entity.labels.begin(), entity.labels.end(), 1) !=
         entity.labels.end();
}

}  // namespace

Json entity_figures(const SeriesEntity& entity) {
  const std::size_t positives = static_cast<std::size_t>(
      std::count(entity.labels.begin(), entity.labels.end(), 1));
  const std::size_t rows = entity.labels.size();
  return {{"train_rows", entity.train.rows()},
          {"test_rows", rows},
          {"channels", entity.train.channel_count()},
          {"base_rate",
           number(static_cast<double>(positives) / static_cast<double>(rows))},
          {"floor_f1", number(f1_floor(positives, rows - positives))}};
}

Json score_figures(std::span<const double> scores, const SeriesEntity& entity,
                   double threshold) {
  std::vector<double> rounded(scores.begin(), scores.end());
  for (double& score : rounded) score = std::round(score / kTie) * kTie;
  const double limit = std::round(threshold / kTie) * kTie;
  const auto quality = detection_quality(rounded, entity.labels);
  if (!quality) return nullptr;
  Json figures = quality_json(*quality);
  const ClassScores split = split_by_label(rounded, entity.labels);
  const auto f1 = f1_at(split.positives, split.negatives, limit);
  figures["threshold_f1"] = f1 ? number(f1->value) : Json(nullptr);
  const auto flagged =
      std::count_if(rounded.begin(), rounded.end(),
                    [&](double score) { return score >= limit; });
  figures["flagged_share"] = number(static_cast<double>(flagged) /
                                    static_cast<double>(rounded.size()));
  return figures;
}

Json detector_rows(const SeriesEntity& entity, const CellContext& context) {
  if (!has_anomalies(entity)) return nullptr;
  Json rows = Json::object();
  const Json what = entity_figures(entity);
  rows["floor"] = {{"ap", what.at("base_rate")},
                   {"best_f1", what.at("floor_f1")}};
  for (const EvaluationRow& row : evaluate_entity(entity, {}, context)) {
    Json figures = quality_json(row.quality);
    figures["threshold_f1"] = number(row.threshold_f1);
    figures["flagged_share"] = number(row.flagged_share);
    rows[row.detector] = std::move(figures);
    note_seconds(context, row.detector, row.processor_seconds);
  }
  return rows;
}

double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

void note_seconds(const CellContext& context, const std::string& name,
                  double seconds) {
  if (context.seconds == nullptr) return;
  // Milliseconds: more digits would say nothing.
  const double rounded = std::round(seconds * 1e3) / 1e3;
  (*context.seconds)[name] = rounded;
}

}  // namespace sbog::paper
