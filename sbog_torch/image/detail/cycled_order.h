// SPDX-License-Identifier: Apache-2.0
// The rows of a list that is gone through again and again, each pass in an
// order of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sbog_torch/image/draws.h"

namespace sbog::image::detail {

/// The next rows of a list and the pass, from 0, that each belongs to.
struct CycledPart {
  std::vector<std::size_t> rows;
  std::vector<std::size_t> passes;
};

/// See the top of the file. The order of a pass is the draw of that index.
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

}  // namespace sbog::image::detail
