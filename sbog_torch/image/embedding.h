// SPDX-License-Identifier: Apache-2.0
// Latents of whole image sets, in batches and without gradients, and the class
// whose anchor is nearest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/base/status.h"
#include "sbog/image/image_set.h"
#include "sbog_torch/image/embed.h"

namespace sbog::image {

/// Latents of a set.
struct EmbeddingResult {
  Matrix<float> latents;  ///< N x m unit rows; not all filled when cancelled
  SolveStatus status = SolveStatus::kDone;
};

/// Embeds all images, `batch` at a time; progress counts images. Throws
/// InvalidArgument when the encoder gives anything but finite unit rows of one
/// width, or for a batch of 0.
EmbeddingResult embed_images(const Embed& embed, const ImageSet& images,
                             std::size_t batch = 256,
                             const Context& context = {});

/// For each latent the class with the largest cosine; ties to the smaller.
std::vector<std::int32_t> nearest_anchors(MatrixView<const float> latents,
                                          MatrixView<const float> anchors);

/// The share of equal entries. Throws InvalidArgument when the counts differ or
/// are 0.
double accuracy(const std::vector<std::int32_t>& found,
                const std::vector<std::int32_t>& labels);

}  // namespace sbog::image
