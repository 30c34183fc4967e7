// SPDX-License-Identifier: Apache-2.0
// Scores of detection; see detector_scores.h.
#include "sbog_torch/image/detector_scores.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "sbog/base/errors.h"
#include "sbog/base/inner_product.h"
#include "sbog/energy/energy_model.h"
#include "sbog/metrics/detection.h"
#include "sbog_torch/image/tensors.h"

namespace sbog::image {
namespace {

std::vector<double> to_doubles(const torch::Tensor& values) {
  const torch::Tensor flat =
      values.detach().to(torch::kFloat64).contiguous().flatten();
  const double* data = flat.data_ptr<double>();
  return {data, data + flat.numel()};
}

torch::Tensor checked_logits(const torch::Tensor& logits) {
  if (!logits.defined() || logits.dim() != 2 || logits.size(1) < 1) {
    throw InvalidArgument("scores: logits N x classes are expected");
  }
  require_finite(logits, "scores: logits");
  return logits.detach().to(torch::kFloat64);
}

}  // namespace

std::vector<double> lse_scores(const torch::Tensor& logits) {
  return to_doubles(torch::logsumexp(checked_logits(logits), 1));
}

std::vector<double> msp_scores(const torch::Tensor& logits) {
  return to_doubles(
      std::get<0>(torch::softmax(checked_logits(logits), 1).max(1)));
}

std::vector<double> logit_scores(LogitScore score,
                                 const torch::Tensor& logits) {
  return score == LogitScore::kLogSumExp ? lse_scores(logits)
                                         : msp_scores(logits);
}

std::vector<double> knn_scores(MatrixView<const float> bank,
                               MatrixView<const float> queries, std::size_t k,
                               const Context& context) {
  if (k < 1 || k > bank.rows() || bank.cols() != queries.cols()) {
    throw InvalidArgument(
        "knn_scores: 1 <= k <= rows of the bank and queries as wide as the "
        "bank are expected");
  }
  check_points(bank, GroundCost::kCosine, "knn_scores: bank");
  check_points(queries, GroundCost::kCosine, "knn_scores: queries");
  std::vector<double> scores(queries.rows());
  parallel_for(context, queries.rows(), [&](std::size_t i, std::size_t) {
    std::vector<double> cosines(bank.rows());
    for (std::size_t j = 0; j < bank.rows(); ++j) {
      cosines[j] = inner_product<float, float>(queries.row(i), bank.row(j));
    }
    const auto at = cosines.begin() + static_cast<std::ptrdiff_t>(k - 1);
    std::nth_element(cosines.begin(), at, cosines.end(), std::greater<>());
    scores[i] = *at - 1.0;
  });
  return scores;
}

std::vector<double> soe_scores(MatrixView<const float> bank,
                               MatrixView<const float> queries, double epsilon,
                               const Context& context) {
  EnergyOptions options;
  options.epsilon = epsilon;
  const EnergyModel<float> model({bank, {}, {}}, options);
  std::vector<double> scores =
      model.evaluate(queries, {}, {context.pool, nullptr}).energies;
  for (double& score : scores) score = -score;
  return scores;
}

double score_threshold(std::span<const double> held_out, double share) {
  // The other class does not move this threshold.
  const std::vector<double> other = {0.0};
  const auto found = fpr_at_tpr(held_out, other, share, RecallRule::kAtLeast);
  if (!found) {
    throw InvalidArgument("score_threshold: at least one score is expected");
  }
  return found->threshold;
}

DetectionQuality detection_quality(std::span<const double> inside,
                                   std::span<const double> outside) {
  const auto strict = fpr_at_tpr(inside, outside, 0.95, RecallRule::kAtLeast);
  if (!strict) {
    throw InvalidArgument(
        "detection_quality: scores of in-distribution images and of others are "
        "expected");
  }
  return {strict->value,
          fpr_at_tpr(inside, outside, 0.95, RecallRule::kClosest)->value,
          *auroc(inside, outside), *average_precision(inside, outside)};
}

double classifier_accuracy(const torch::Tensor& logits,
                           const torch::Tensor& classes) {
  const torch::Tensor checked = checked_logits(logits);
  if (!classes.defined() || classes.dim() != 1 ||
      classes.size(0) != checked.size(0) || checked.size(0) == 0) {
    throw InvalidArgument(
        "classifier_accuracy: one class per row of logits is expected");
  }
  return checked.argmax(1)
      .eq(classes)
      .to(torch::kFloat64)
      .mean()
      .item<double>();
}

double artifact_auroc(const Detector& detector, const torch::Tensor& real,
                      const torch::Tensor& decoded) {
  const auto score = [&](const torch::Tensor& images) {
    return logit_scores(detector.score, detector.logits(quantise(images)));
  };
  return detection_quality(score(real), score(decoded)).auroc;
}

}  // namespace sbog::image
