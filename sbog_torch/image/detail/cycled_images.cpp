// SPDX-License-Identifier: Apache-2.0
// Passes through a list; see cycled_images.h.
#include "sbog_torch/image/detail/cycled_images.h"

#include <utility>
#include <vector>

#include "sbog_torch/image/detail/in_chunks.h"

namespace sbog::image::detail {

CycledImages::CycledImages(torch::Tensor images, torch::Tensor classes,
                           std::uint64_t seed, const CyclePurposes& purposes)
    : images_(std::move(images)),
      classes_(std::move(classes)),
      seed_(seed),
      purposes_(purposes),
      order_(static_cast<std::size_t>(images_.size(0)), seed, purposes.order) {}

CycledBatch CycledImages::next(std::size_t count, const AugmentOptions& augment,
                               const ResampleOptions& resampling) {
  const auto [rows, passes] = order_.next(count);
  std::vector<std::uint64_t> streams;
  for (std::size_t i = 0; i < count; ++i) {
    // A short list may be passed more often than there are streams.
    streams.push_back(epoch_stream(rows[i], passes[i] & 0xFFFFU));
  }
  CycledBatch batch;
  batch.images = resample(crop_and_flip(take_rows(images_, rows), streams,
                                        augment, seed_, purposes_.augment),
                          streams, resampling, seed_, purposes_.resample);
  if (classes_.defined()) batch.classes = take_rows(classes_, rows);
  return batch;
}

}  // namespace sbog::image::detail
