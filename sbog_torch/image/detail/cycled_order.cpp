// SPDX-License-Identifier: Apache-2.0
// Passes through a list; see cycled_order.h.
#include "sbog_torch/image/detail/cycled_order.h"

#include "sbog/base/errors.h"

namespace sbog::image::detail {

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
