// SPDX-License-Identifier: Apache-2.0
// (exp(y) - 1 - y) / y^2 for |y| <= 1/2, per Highway target (no include guard
// across targets).
#if defined(SBOG_DRO_DETAIL_EXP_SERIES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SBOG_DRO_DETAIL_EXP_SERIES_INL_H_
#undef SBOG_DRO_DETAIL_EXP_SERIES_INL_H_
#else
#define SBOG_DRO_DETAIL_EXP_SERIES_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <iterator>

HWY_BEFORE_NAMESPACE();
namespace sbog::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// sum_k y^k / (k + 2)!, highest power first; the first term left out is 2^-15 /
// 17! < 1e-19 of the sum.
constexpr double kExpSeries[] = {1.0 / 20922789888000.0,
                                 1.0 / 1307674368000.0,
                                 1.0 / 87178291200.0,
                                 1.0 / 6227020800.0,
                                 1.0 / 479001600.0,
                                 1.0 / 39916800.0,
                                 1.0 / 3628800.0,
                                 1.0 / 362880.0,
                                 1.0 / 40320.0,
                                 1.0 / 5040.0,
                                 1.0 / 720.0,
                                 1.0 / 120.0,
                                 1.0 / 24.0,
                                 1.0 / 6.0,
                                 1.0 / 2.0};

template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp_series(D d, V y) {
  V sum = hn::Set(d, kExpSeries[0]);
  for (std::size_t c = 1; c < std::size(kExpSeries); ++c) {
    sum = hn::MulAdd(sum, y, hn::Set(d, kExpSeries[c]));
  }
  return sum;
}

}  // namespace HWY_NAMESPACE
}  // namespace sbog::detail
HWY_AFTER_NAMESPACE();
#endif  // SBOG_DRO_DETAIL_EXP_SERIES_INL_H_
