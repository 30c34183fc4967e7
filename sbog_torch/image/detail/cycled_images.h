// SPDX-License-Identifier: Apache-2.0
// A list of images that is gone through again and again, each pass in an order
// of its own, for batches beside those of the epochs.
#pragma once

#include <torch/torch.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sbog_torch/image/draws.h"
#include "sbog_torch/image/resample.h"

namespace sbog::image::detail {

/// The next rows of a list and the pass, from 0, that each belongs to.
struct CycledPart {
  std::vector<std::size_t> rows;
  std::vector<std::size_t> passes;
};

/// The rows of a list that is gone through again and again. The order of a pass
/// is the draw of that index.
class CycledOrder {
 public:
  /// Of `count` rows, at least one.
  CycledOrder(std::size_t count, std::uint64_t seed, Purpose purpose);

  /// The next rows; they may span the end of a pass, or several.
  CycledPart next(std::size_t count);

 private:
  std::uint64_t seed_;
  Purpose purpose_;
  std::vector<std::size_t> order_;
  std::size_t pass_ = 0;  // of order_
  std::size_t used_ = 0;  // of order_
};

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
