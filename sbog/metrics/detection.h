// SPDX-License-Identifier: Apache-2.0
// Quality of a detector from its scores. A larger score is more positive, a
// point is predicted positive when its score is at least the threshold, and
// every function takes O(n log n). Scores may be infinite; a NaN is refused
// with its index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sbog {

/// Scores of the two classes apart.
struct ClassScores {
  std::vector<double> positives;
  std::vector<double> negatives;
};

/// Sorts scores by their label, 1 for positive and 0 for negative. Throws
/// InvalidArgument for other labels or another number of them.
ClassScores split_by_label(std::span<const double> scores,
                           std::span<const std::int64_t> labels);

/// P(positive > negative) + P(equal) / 2 (Mann-Whitney); nullopt when one of
/// the classes is empty.
std::optional<double> auroc(std::span<const double> positives,
                            std::span<const double> negatives);

/// Area under precision-recall as the step-wise average precision
/// sum_k (R_k - R_{k-1}) P_k over distinct scores, so tied scores count as one
/// step; nullopt without positives.
std::optional<double> average_precision(std::span<const double> positives,
                                        std::span<const double> negatives);

/// Precision and recall of a threshold, and their harmonic mean.
struct F1Score {
  double value = 0.0;
  double threshold = 0.0;
  double precision = 0.0;  ///< 0 when nothing is predicted positive
  double recall = 0.0;
};

/// F1 = 2 TP / (2 TP + FP + FN) at a threshold, point by point without any
/// adjustment of segments; nullopt without positives.
std::optional<F1Score> f1_at(std::span<const double> positives,
                             std::span<const double> negatives,
                             double threshold);

/// The largest F1 over all thresholds among the scores; of equally good
/// thresholds the largest. nullopt without positives.
std::optional<F1Score> best_f1(std::span<const double> positives,
                               std::span<const double> negatives);

/// F1 of calling everything positive, 2p / (1 + p) for a share p of positives:
/// no best F1 on these labels can be lower. nullopt without positives.
std::optional<double> f1_floor(std::size_t positives, std::size_t negatives);

/// Which threshold stands for a wanted recall.
enum class RecallRule {
  /// The ceil(tpr n)-th largest positive score: recall is at least tpr.
  kAtLeast,
  /// The positive score whose recall is closest to tpr; of two equally close
  /// the one with more recall.
  kClosest,
};

/// False positives at a wanted recall of the positives.
struct FprAtTpr {
  double value = 0.0;      ///< share of negatives at or above the threshold
  double threshold = 0.0;  ///< one of the positive scores
  double recall = 0.0;     ///< share of positives at or above the threshold
};

/// With tpr = 0.95 and in-distribution points as positives this is FPR95.
/// nullopt when one of the classes is empty. Throws InvalidArgument unless
/// 0 < tpr <= 1.
std::optional<FprAtTpr> fpr_at_tpr(std::span<const double> positives,
                                   std::span<const double> negatives,
                                   double tpr = 0.95,
                                   RecallRule rule = RecallRule::kAtLeast);

/// Share of points on the right side of the threshold; nullopt when there are
/// none.
std::optional<double> accuracy_at(std::span<const double> positives,
                                  std::span<const double> negatives,
                                  double threshold);

/// Share of predicted labels that are right; nullopt when there are none.
/// Throws InvalidArgument for lists of different length.
std::optional<double> accuracy(std::span<const std::int64_t> predicted,
                               std::span<const std::int64_t> labels);

}  // namespace sbog
