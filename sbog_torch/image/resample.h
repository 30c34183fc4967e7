// SPDX-License-Identifier: Apache-2.0
// Makes images of different origin alike where the origin would show: some are
// shrunk and enlarged again, by nearest pixels or bilinearly, and all are
// rounded to 8 bits.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <span>

#include "sbog_torch/image/draws.h"

namespace sbog::image {

/// How often and how far.
struct ResampleOptions {
  double share = 0.5;       ///< of the images that are shrunk; 0: only rounded
  double least_side = 0.7;  ///< the side is uniform on [least_side, 1] of it
};

/// Throws InvalidArgument for options out of range.
void check_options(const ResampleOptions& options);

/// New images of the same shape, float32 N x C x H x W in [0, 1], image i with
/// the draws of streams[i]. Throws InvalidArgument for other shapes and types
/// and when the counts differ.
torch::Tensor resample(const torch::Tensor& images,
                       std::span<const std::uint64_t> streams,
                       const ResampleOptions& options, std::uint64_t seed,
                       Purpose purpose);

}  // namespace sbog::image
