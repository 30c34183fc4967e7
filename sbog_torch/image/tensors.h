// SPDX-License-Identifier: Apache-2.0
// From sets of 8-bit images to the tensors of the networks and back. Matrices
// of latents go through nn::to_tensor and nn::to_matrix.
#pragma once

#include <torch/torch.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "sbog/image/image_set.h"
#include "sbog_torch/nn/torch_bridge.h"

namespace sbog::image {

/// A size as LibTorch counts it.
inline std::int64_t extent(std::size_t value) {
  return static_cast<std::int64_t>(value);
}

/// The images as float32 N x C x H x W, each pixel divided by 255.
torch::Tensor to_tensor(const ImageSet& images);

/// The images of these rows, in this order. Throws InvalidArgument for a row
/// that is not there.
torch::Tensor to_tensor(const ImageSet& images,
                        std::span<const std::size_t> rows);

/// The classes of these rows as int64. Throws InvalidArgument when the set has
/// no classes or a row is not there.
torch::Tensor to_labels(const ImageSet& images,
                        std::span<const std::size_t> rows);

/// All classes as int64.
torch::Tensor to_labels(const ImageSet& images);

/// Images without classes from float N x C x H x W: limited to [0, 1], times
/// 255, rounded to nearest. Throws InvalidArgument for another shape and for
/// NaN.
ImageSet to_images(const torch::Tensor& images);

/// What an image is after a round trip through 8 bits, still in [0, 1].
torch::Tensor quantise(const torch::Tensor& images);

/// Throws InvalidArgument, beginning with `caller`, unless `images` is a float
/// or double tensor N x C x H x W of this shape.
void require_images(const torch::Tensor& images, const ImageShape& shape,
                    const std::string& caller);

/// Throws InvalidArgument unless every element is finite; `what` begins the
/// message.
void require_finite(const torch::Tensor& tensor, const std::string& what);

}  // namespace sbog::image
