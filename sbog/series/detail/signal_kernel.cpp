// SPDX-License-Identifier: Apache-2.0
// Highway implementation of signal_kernel.h.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sbog/series/detail/signal_kernel.cpp"
#include "sbog/series/detail/signal_kernel.h"

#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sbog::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<double>;
using Vec = hn::Vec<Tag>;

constexpr std::size_t kTogether = 4;  // vectors whose latencies overlap

// `kCount` vectors of sums; a product and a sum, not one fused step, so that
// targets differ as little as they can.
template <std::size_t kCount>
HWY_INLINE void add_scaled_vectors(std::span<const double> factors,
                                   const double* table, std::size_t width,
                                   double* sums) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  Vec sum[kCount];
  for (std::size_t v = 0; v < kCount; ++v) {
    sum[v] = hn::LoadU(d, sums + v * lanes);
  }
  for (const double factor : factors) {
    const Vec scale = hn::Set(d, factor);
    for (std::size_t v = 0; v < kCount; ++v) {
      const Vec entry = hn::LoadU(d, table + v * lanes);
      sum[v] = hn::Add(sum[v], hn::Mul(scale, entry));
    }
    table += width;
  }
  for (std::size_t v = 0; v < kCount; ++v) {
    hn::StoreU(sum[v], d, sums + v * lanes);
  }
}

void add_scaled_rows(std::span<const double> factors, const double* table,
                     std::span<double> sums) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t width = sums.size();
  double* out = sums.data();
  std::size_t k = 0;
  for (; k + kTogether * lanes <= width; k += kTogether * lanes) {
    add_scaled_vectors<kTogether>(factors, table + k, width, out + k);
  }
  for (; k + lanes <= width; k += lanes) {
    add_scaled_vectors<1>(factors, table + k, width, out + k);
  }
  for (const double factor : factors) {
    for (std::size_t t = k; t < width; ++t) out[t] += factor * table[t];
    table += width;
  }
}

template <typename D>
HWY_INLINE void deviations_at(D d, std::span<const float* const> rows,
                              std::size_t c, float* out) {
  const hn::Rebind<float, D> half;
  const auto values = [&](const float* row) HWY_ATTR {
    return hn::PromoteTo(d, hn::LoadU(half, row + c));
  };
  const auto count = hn::Set(d, static_cast<double>(rows.size()));
  auto sum = hn::Zero(d);
  for (const float* row : rows) sum = hn::Add(sum, values(row));
  const auto mean = hn::Div(sum, count);
  auto square = hn::Zero(d);
  for (const float* row : rows) {
    const auto apart = hn::Sub(values(row), mean);
    square = hn::Add(square, hn::Mul(apart, apart));
  }
  const auto deviation = hn::Sqrt(hn::Div(square, count));
  hn::StoreU(hn::DemoteTo(half, deviation), half, out + c);
}

void deviations(std::span<const float* const> rows, std::span<float> out) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  if (out.size() < lanes) {
    const hn::CappedTag<double, 1> one;
    for (std::size_t c = 0; c < out.size(); ++c) {
      deviations_at(one, rows, c, out.data());
    }
    return;
  }
  std::size_t c = 0;
  for (; c + lanes <= out.size(); c += lanes) {
    deviations_at(d, rows, c, out.data());
  }
  // The last channels once more: cheaper than one by one.
  if (c < out.size()) deviations_at(d, rows, out.size() - lanes, out.data());
}

}  // namespace HWY_NAMESPACE
}  // namespace sbog::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sbog::detail {

HWY_EXPORT(add_scaled_rows);
HWY_EXPORT(deviations);

void add_scaled_rows(std::span<const double> factors, const double* table,
                     std::span<double> sums) {
  HWY_DYNAMIC_DISPATCH(add_scaled_rows)(factors, table, sums);
}

void deviations(std::span<const float* const> rows, std::span<float> out) {
  HWY_DYNAMIC_DISPATCH(deviations)(rows, out);
}

}  // namespace sbog::detail
#endif
