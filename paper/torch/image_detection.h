// SPDX-License-Identifier: Apache-2.0
// How well scores tell the known images of a bench from its other sets.
#pragma once

#include <cstdint>
#include <vector>

#include "paper/experiment.h"
#include "paper/image_data.h"
#include "sbog/base/matrix.h"
#include "sbog_torch/image/detector.h"
#include "sbog_torch/image/image_model.h"

namespace sbog::paper {

/// "outside" (FPR95 of both kinds, AUROC and average precision by set) and
/// "mean", their plain means, of the log-sum-exp of the logits; "msp" has the
/// same two of the largest probability.
Json detection_by_logits(const image::Detector& detector,
                         const ImageBench& bench);

/// The same two for scores that need no classifier, only latents and the bank:
/// "k-NN" (k = 50, or the bank) and "SOE" (epsilon 0.05). The bank are these
/// rows of the training images.
Json detection_by_latents(const image::Embed& embed,
                          const std::vector<std::int64_t>& bank_rows,
                          const ImageBench& bench, const Context& context);

/// What detection_by_logits gives, for a linear head on the latents that was
/// shown these outliers (unit rows, maybe none), with no decoder in between;
/// and "accuracy_before", of the nearest class anchors, and "accuracy".
Json detection_by_head(const image::ImageModel& model,
                       MatrixView<const float> outliers,
                       const ImageBench& bench, std::uint64_t seed,
                       const Context& context);

}  // namespace sbog::paper
