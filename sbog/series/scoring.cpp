// SPDX-License-Identifier: Apache-2.0
// Scores of windows; see scoring.h.
#include "sbog/series/scoring.h"

#include <algorithm>

#include "sbog/base/errors.h"

namespace sbog::series {

std::vector<std::size_t> assigned_classes(
    MatrixView<const float> probabilities) {
  std::vector<std::size_t> classes(probabilities.rows());
  for (std::size_t i = 0; i < probabilities.rows(); ++i) {
    const auto row = probabilities.row(i);
    classes[i] = static_cast<std::size_t>(
        std::max_element(row.begin(), row.end()) - row.begin());
  }
  return classes;
}

std::vector<bool> normal_classes(MatrixView<const float> pool,
                                 std::size_t originals, ScoreRule rule,
                                 bool counts_negatives) {
  if (originals == 0 || originals > pool.rows()) {
    throw InvalidArgument(
        "normal_classes: between 1 and all rows of the pool "
        "must be originals");
  }
  const std::vector<std::size_t> classes = assigned_classes(pool);
  std::vector<std::size_t> inside(pool.cols());
  std::vector<std::size_t> outside(pool.cols());
  for (std::size_t i = 0; i < classes.size(); ++i) {
    ++(i < originals ? inside : outside)[classes[i]];
  }
  std::vector<bool> normal(pool.cols());
  if (rule == ScoreRule::kNormalSet) {
    for (std::size_t c = 0; c < normal.size(); ++c) {
      normal[c] = inside[c] > outside[c];
    }
    const bool has_any =
        std::find(normal.begin(), normal.end(), true) != normal.end();
    if (has_any) return normal;
  }
  if (counts_negatives) {
    for (std::size_t c = 0; c < normal.size(); ++c) inside[c] += outside[c];
  }
  normal[static_cast<std::size_t>(
      std::max_element(inside.begin(), inside.end()) - inside.begin())] = true;
  return normal;
}

std::vector<double> anomaly_scores(MatrixView<const float> probabilities,
                                   const std::vector<bool>& normal) {
  if (normal.size() != probabilities.cols()) {
    throw InvalidArgument("anomaly_scores: one flag per class is expected");
  }
  std::vector<double> scores(probabilities.rows());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    double inside = 0.0;
    for (std::size_t c = 0; c < normal.size(); ++c) {
      if (normal[c]) inside += probabilities(i, c);
    }
    scores[i] = 1.0 - inside;
  }
  return scores;
}

}  // namespace sbog::series
