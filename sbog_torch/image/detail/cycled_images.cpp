// SPDX-License-Identifier: Apache-2.0
// Passes through a list; see cycled_images.h.
#include "sbog_torch/image/detail/cycled_images.h"

#include <utility>

#include "sbog_torch/image/detail/in_chunks.h"

namespace sbog::image::detail {

CycledImages::CycledImages(torch::Tensor images, torch::Tensor classes,
                           std::uint64_t seed, const CyclePurposes& purposes)
    : images_(std::move(images)),
      classes_(std::move(classes)),
      seed_(seed),
      purposes_(purposes),
      order_(draw_order(static_cast<std::size_t>(images_.size(0)), seed,
                        purposes.order, 0)) {}

CycledBatch CycledImages::next(std::size_t count, const AugmentOptions& augment,
                               const ResampleOptions& resampling) {
  std::vector<std::size_t> rows;
  std::vector<std::uint64_t> streams;
  while (rows.size() < count) {
    if (used_ == order_.size()) {
      ++pass_;
      used_ = 0;
      order_ = draw_order(order_.size(), seed_, purposes_.order, pass_);
    }
    rows.push_back(order_[used_++]);
    // A short list may be passed more often than there are streams.
    streams.push_back(epoch_stream(rows.back(), pass_ & 0xFFFFU));
  }
  CycledBatch batch;
  batch.images = resample(crop_and_flip(take_rows(images_, rows), streams,
                                        augment, seed_, purposes_.augment),
                          streams, resampling, seed_, purposes_.resample);
  if (classes_.defined()) batch.classes = take_rows(classes_, rows);
  return batch;
}

}  // namespace sbog::image::detail
