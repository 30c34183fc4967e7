// SPDX-License-Identifier: Apache-2.0
// Scores that tell in-distribution images from others, a threshold on them and
// their quality. Every score is high for in-distribution images, which are the
// positive class.
#pragma once

#include <torch/torch.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog_torch/image/detector.h"

namespace sbog::image {

/// log sum_c exp(logit_c) of each row, in double.
std::vector<double> lse_scores(const torch::Tensor& logits);

/// The largest probability of each row, in double.
std::vector<double> msp_scores(const torch::Tensor& logits);

/// One of the two.
std::vector<double> logit_scores(LogitScore score, const torch::Tensor& logits);

/// Minus the k-th smallest 1 - cos of each query to the bank, both unit rows.
/// Throws InvalidArgument unless 1 <= k <= rows of the bank, widths agree and
/// all is finite.
std::vector<double> knn_scores(MatrixView<const float> bank,
                               MatrixView<const float> queries, std::size_t k,
                               const Context& context = {});

/// Minus the Sinkhorn outlier energy of each query against the bank under the
/// cosine cost. Throws InvalidArgument as EnergyModel does.
std::vector<double> soe_scores(MatrixView<const float> bank,
                               MatrixView<const float> queries,
                               double epsilon = 0.05,
                               const Context& context = {});

/// The largest score that at least `share` of the held-out in-distribution
/// scores reach. Throws InvalidArgument without scores, for NaN and unless
/// 0 < share <= 1.
double score_threshold(std::span<const double> held_out, double share = 0.95);

/// How well scores separate, in-distribution as the positive class.
struct DetectionQuality {
  double fpr95 = 0.0;          ///< at the largest threshold of recall >= 0.95
  double fpr95_closest = 0.0;  ///< at the recall closest to 0.95
  double auroc = 0.0;
  double aupr = 0.0;  ///< average precision
};

/// Throws InvalidArgument when one side is empty and for NaN.
DetectionQuality detection_quality(std::span<const double> inside,
                                   std::span<const double> outside);

/// Share of images whose largest logit is that of their class. Throws
/// InvalidArgument when counts differ or there are none.
double classifier_accuracy(const torch::Tensor& logits,
                           const torch::Tensor& classes);

/// AUROC of the detector's score between real and decoded images of
/// in-distribution latents: near 0.5 when being decoded means nothing to it.
double artifact_auroc(const Detector& detector, const torch::Tensor& real,
                      const torch::Tensor& decoded);

}  // namespace sbog::image
