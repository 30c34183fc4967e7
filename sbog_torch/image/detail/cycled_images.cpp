// SPDX-License-Identifier: Apache-2.0
// Passes through a list; see cycled_images.h.
#include "sbog_torch/image/detail/cycled_images.h"

#include <utility>
#include <vector>

#include "sbog/base/errors.h"
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

CycledOrder::CycledOrder(std::size_t count, std::uint64_t seed, Purpose purpose)
    : seed_(seed), purpose_(purpose) {
  // Without rows next() would never end.
  if (count == 0) throw InvalidArgument("cycled order: rows are expected");
  order_ = draw_order(count, seed, purpose, 0);
}

CycledPart CycledOrder::next(std::size_t count) {
  CycledPart part;
  while (part.rows.size() < count) {
    if (used_ == order_.size()) {
      order_ = draw_order(order_.size(), seed_, purpose_, ++pass_);
      used_ = 0;
    }
    part.rows.push_back(order_[used_++]);
    part.passes.push_back(pass_);
  }
  return part;
}

}  // namespace sbog::image::detail
