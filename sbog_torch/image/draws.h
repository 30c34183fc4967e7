// SPDX-License-Identifier: Apache-2.0
// Random draws of the image networks: order of batches, crops and flips,
// normals as tensors. LibTorch's generator is never used.
//
// A stream is keyed by what is drawn: key = seed, counter = (index low,
// reserved class, block and index high, purpose), see sbog/nn/random.h.
// Whatever belongs to an image in an epoch has index image + 2^32 epoch, so the
// batch that it fell into does not matter and training can be resumed.
#pragma once

#include <torch/torch.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sbog/nn/random.h"

namespace sbog::image {

/// Numbers that keep the streams of this folder apart from each other and from
/// those of nn::Purpose. Weights are drawn with nn::Purpose::kInitialise.
enum class Purpose : std::uint32_t {
  kOrder = 0x55000001,         ///< order of training images; index: epoch
  kAugment = 0x55000002,       ///< crop and flip; image + 2^32 epoch
  kFrame = 0x55000003,         ///< class anchors; index: row
  kProjection = 0x55000004,    ///< map of user anchors; index: direction
  kLatentAtom = 0x55000005,    ///< image + 2^32 epoch
  kInputAtom = 0x55000006,     ///< image + 2^32 (256 epoch + atom)
  kBankOrder = 0x55000007,     ///< order of a bank's candidates; index: 0
  kBankAugment = 0x55000008,   ///< crop and flip for the bank; image
  kAtomAugment = 0x55000009,   ///< image + 2^32 (256 epoch + atom)
  kDecoderNoise = 0x55000011,  ///< of a decoded latent; its id
  kDecoderOrder = 0x55000012,  ///< order of training images; epoch
  kPosterior = 0x55000013,     ///< noise of an autoencoder; image + 2^32 epoch
  kPerturbation = 0x55000014,  ///< of a latent; image + 2^32 epoch
  kFreshNoise = 0x55000015,    ///< of a perturbed latent; image + 2^32 epoch
  kFlowTime = 0x55000016,      ///< image + 2^32 epoch
  kFlowNoise = 0x55000017,     ///< image + 2^32 epoch
  kMix = 0x55000018,           ///< of a decoded latent; its id
  kResample = 0x55000019,      ///< image + 2^32 epoch
  kOutlierOrder = 0x5500001A,  ///< order of outliers; pass through them
  kOutlierAugment = 0x5500001B,   ///< outlier + 2^32 pass
  kOutlierResample = 0x5500001C,  ///< outlier + 2^32 pass
  kDecodedOrder = 0x5500001D,     ///< order of decoded images; pass
  kDecodedAugment = 0x5500001E,   ///< decoded image + 2^32 pass
  kDecodedResample = 0x5500001F,  ///< decoded image + 2^32 pass
  kHeadOrder = 0x55000020,        ///< order of latents of a bank; epoch
  kHeadOutlierOrder = 0x55000021  ///< order of outlying latents; pass
};

/// Draws of one stream.
nn::Draws open_draws(std::uint64_t seed, Purpose purpose, std::uint64_t index);

/// image + 2^32 epoch. Throws InvalidArgument unless image < 2^32 and
/// epoch < 2^16.
std::uint64_t epoch_stream(std::size_t image, std::size_t epoch);

/// epoch_stream of each image.
std::vector<std::uint64_t> epoch_streams(std::span<const std::size_t> images,
                                         std::size_t epoch);

/// 0 .. count - 1, uniformly permuted; one permutation per (seed, purpose,
/// index).
std::vector<std::size_t> draw_order(std::size_t count, std::uint64_t seed,
                                    Purpose purpose, std::uint64_t index);

/// float32 streams x width, each row the first standard normals of its stream.
torch::Tensor draw_normals(std::span<const std::uint64_t> streams,
                           std::size_t width, std::uint64_t seed,
                           Purpose purpose);

/// The same with uniforms; rounded to float they lie in (0, 1].
torch::Tensor draw_uniforms(std::span<const std::uint64_t> streams,
                            std::size_t width, std::uint64_t seed,
                            Purpose purpose);

/// How training images are varied.
struct AugmentOptions {
  /// Black pixels added on each side before a crop of the old size; 0: none.
  std::size_t padding = 2;
  /// Left and right exchanged for every second image; off for digits.
  bool has_flips = true;
};

/// Crops and flips float32 images N x C x H x W, image i with the draws of
/// streams[i]. The result is new, contiguous memory. Throws InvalidArgument
/// for other shapes and types and when the counts differ.
torch::Tensor crop_and_flip(const torch::Tensor& images,
                            std::span<const std::uint64_t> streams,
                            const AugmentOptions& options, std::uint64_t seed,
                            Purpose purpose = Purpose::kAugment);

}  // namespace sbog::image
