// SPDX-License-Identifier: Apache-2.0
// Values and gradients; see contrastive_loss.h.
#include "sbog/nn/contrastive_loss.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "sbog/base/errors.h"
#include "sbog/base/inner_product.h"

namespace sbog::series {
namespace {

constexpr double kPullPushMargin = 5.0;
constexpr double kLeastMargin = 0.01;
constexpr double kMarginShare = 0.1;

using Row = std::span<const float>;

// The points of a batch and where their gradients are added.
struct Batch {
  MatrixView<const float> points;
  Matrix<double> gradients;
  std::size_t size;

  explicit Batch(MatrixView<const float> all)
      : points(all), gradients(all.rows(), all.cols()), size(all.rows() / 3) {}

  Row anchor(std::size_t i) const { return points.row(i); }
  Row positive(std::size_t i) const { return points.row(size + i); }
  Row negative(std::size_t j) const { return points.row(2 * size + j); }

  // Gradient of factor * <x_i, x_j>.
  void add_product(std::size_t i, std::size_t j, double factor) {
    for (std::size_t k = 0; k < points.cols(); ++k) {
      gradients(i, k) += factor * points(j, k);
      gradients(j, k) += factor * points(i, k);
    }
  }
  // Gradient of factor * |x_i - x_j|^2.
  void add_distance(std::size_t i, std::size_t j, double factor) {
    for (std::size_t k = 0; k < points.cols(); ++k) {
      const double apart = double{points(i, k)} - double{points(j, k)};
      gradients(i, k) += 2.0 * factor * apart;
      gradients(j, k) -= 2.0 * factor * apart;
    }
  }
};

double info_nce(Batch& batch, std::size_t i, double temperature) {
  const std::size_t size = batch.size;
  std::vector<double> logits(size + 1);
  logits[0] = inner_product<float, float>(batch.anchor(i), batch.positive(i)) /
              temperature;
  for (std::size_t j = 0; j < size; ++j) {
    logits[j + 1] =
        inner_product<float, float>(batch.anchor(i), batch.negative(j)) /
        temperature;
  }
  const double highest = *std::max_element(logits.begin(), logits.end());
  double sum = 0.0;
  for (const double logit : logits) sum += std::exp(logit - highest);
  const double log_sum = highest + std::log(sum);
  const double share = 1.0 / (static_cast<double>(size) * temperature);
  batch.add_product(i, size + i, share * (std::exp(logits[0] - log_sum) - 1.0));
  for (std::size_t j = 0; j < size; ++j) {
    batch.add_product(i, 2 * size + j,
                      share * std::exp(logits[j + 1] - log_sum));
  }
  return log_sum - logits[0];
}

double hinge(Batch& batch, std::size_t i, double temperature, double margin) {
  const std::size_t size = batch.size;
  std::size_t nearest = 0;
  double least =
      squared_distance<float, float>(batch.anchor(i), batch.negative(0));
  for (std::size_t j = 1; j < size; ++j) {
    const double distance =
        squared_distance<float, float>(batch.anchor(i), batch.negative(j));
    if (distance < least) {
      least = distance;
      nearest = j;
    }
  }
  const double pull =
      squared_distance<float, float>(batch.anchor(i), batch.positive(i));
  const double value = margin + (pull - least) / temperature;
  if (value <= 0.0) return 0.0;
  const double share = 1.0 / (static_cast<double>(size) * temperature);
  batch.add_distance(i, size + i, share);
  batch.add_distance(i, 2 * size + nearest, -share);
  return value;
}

double pull_push(Batch& batch, std::size_t i, double temperature) {
  const std::size_t size = batch.size;
  const double share = 1.0 / static_cast<double>(size);
  const double pull =
      squared_distance<float, float>(batch.anchor(i), batch.positive(i)) /
      temperature;
  double total = 0.0;
  for (std::size_t j = 0; j < size; ++j) {
    const double value =
        kPullPushMargin + pull -
        squared_distance<float, float>(batch.anchor(i), batch.negative(j));
    if (value <= 0.0) continue;
    total += value;
    batch.add_distance(i, size + i, share / temperature);
    batch.add_distance(i, 2 * size + j, -share);
  }
  return total;
}

double value_of(ContrastiveLoss loss, Batch& batch, std::size_t i,
                double temperature, double margin) {
  switch (loss) {
    case ContrastiveLoss::kInfoNce:
      return info_nce(batch, i, temperature);
    case ContrastiveLoss::kHinge:
      return hinge(batch, i, temperature, margin);
    case ContrastiveLoss::kPullPush:
      return pull_push(batch, i, temperature);
  }
  return 0.0;
}

}  // namespace

LossResult contrastive_loss(ContrastiveLoss loss,
                            MatrixView<const float> points, double temperature,
                            double margin) {
  if (points.rows() == 0 || points.rows() % 3 != 0) {
    throw InvalidArgument(
        "contrastive_loss: anchors, positives and negatives "
        "of equal number are expected");
  }
  if (!(temperature > 0.0)) {
    throw InvalidArgument(
        "contrastive_loss: a temperature above 0 is "
        "expected");
  }
  Batch batch(points);
  LossResult result;
  for (std::size_t i = 0; i < batch.size; ++i) {
    result.value += value_of(loss, batch, i, temperature, margin);
  }
  result.value /= static_cast<double>(batch.size);
  result.gradients = Matrix<float>(points.rows(), points.cols());
  for (std::size_t k = 0; k < result.gradients.size(); ++k) {
    result.gradients.elements()[k] =
        static_cast<float>(batch.gradients.elements()[k]);
  }
  return result;
}

double next_margin(double margin, double loss) {
  return std::max(kLeastMargin, margin - kMarginShare * loss);
}

}  // namespace sbog::series
