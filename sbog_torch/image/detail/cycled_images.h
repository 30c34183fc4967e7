// SPDX-License-Identifier: Apache-2.0
// A list of images that is gone through again and again, each pass in an order
// of its own, for batches beside those of the epochs.
#pragma once

#include <torch/torch.h>

#include <cstddef>
#include <cstdint>

#include "sbog_torch/image/detail/cycled_order.h"
#include "sbog_torch/image/draws.h"
#include "sbog_torch/image/resample.h"

namespace sbog::image::detail {

/// Streams of such a list: the order by pass, the rest by image + 2^32 pass.
struct CyclePurposes {
  Purpose order;
  Purpose augment;
  Purpose resample;
};

/// A batch; classes are undefined when the list has none.
struct CycledBatch {
  torch::Tensor images;
  torch::Tensor classes;
};

/// See the top of the file. The tensors are shared with whoever gave them.
class CycledImages {
 public:
  CycledImages(torch::Tensor images, torch::Tensor classes, std::uint64_t seed,
               const CyclePurposes& purposes);

  /// The next images, cropped, flipped and resampled; a batch may span the end
  /// of a pass.
  CycledBatch next(std::size_t count, const AugmentOptions& augment,
                   const ResampleOptions& resampling);

 private:
  torch::Tensor images_;
  torch::Tensor classes_;
  std::uint64_t seed_;
  CyclePurposes purposes_;
  CycledOrder order_;
};

}  // namespace sbog::image::detail
