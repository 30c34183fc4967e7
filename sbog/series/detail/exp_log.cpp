// SPDX-License-Identifier: Apache-2.0
// Highway implementation of exp_log.h.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sbog/series/detail/exp_log.cpp"
#include "sbog/series/detail/exp_log.h"

// The order is that of Highway.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
// clang-format on

#include <algorithm>
#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace sbog::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<double>;

// The tail goes through a full vector too: one code path, the same bits.
template <typename Function>
HWY_INLINE void map(std::span<double> values, const Function& function) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= values.size(); i += lanes) {
    double* at = values.data() + i;
    hn::StoreU(function(d, hn::LoadU(d, at)), d, at);
  }
  if (i == values.size()) return;
  HWY_ALIGN double rest[hn::MaxLanes(Tag())];
  std::fill_n(rest, lanes, 0.5);
  std::copy(values.begin() + static_cast<std::ptrdiff_t>(i), values.end(),
            rest);
  hn::Store(function(d, hn::Load(d, rest)), d, rest);
  std::copy_n(rest, values.size() - i, values.data() + i);
}

void exponentials(std::span<double> values) {
  map(values, [](Tag d, auto x) HWY_ATTR { return hn::Exp(d, x); });
}

void logarithms(std::span<double> values) {
  map(values, [](Tag d, auto x) HWY_ATTR { return hn::Log(d, x); });
}

}  // namespace HWY_NAMESPACE
}  // namespace sbog::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sbog::detail {

HWY_EXPORT(exponentials);
HWY_EXPORT(logarithms);

void exponentials(std::span<double> values) {
  HWY_DYNAMIC_DISPATCH(exponentials)(values);
}

void logarithms(std::span<double> values) {
  HWY_DYNAMIC_DISPATCH(logarithms)(values);
}

}  // namespace sbog::detail
#endif
