// SPDX-License-Identifier: Apache-2.0
// Highway implementation of hardware_limits.h.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hardware_limits.cpp"
#include "hardware_limits.h"

#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "sbog/energy/detail/exp2-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sbog::bench {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace kernel = detail::HWY_NAMESPACE;
using Tag = hn::ScalableTag<float>;
using Vec = hn::Vec<Tag>;

// Enough independent chains to hide a latency of four or five cycles on two
// ports.
constexpr std::size_t kChains = 12;

double fma_peak(std::size_t rounds) {
  const Tag d;
  Vec chains[kChains];
  for (std::size_t c = 0; c < kChains; ++c) chains[c] = hn::Set(d, 0.1f);
  const Vec factor = hn::Set(d, 0.999f);
  const Vec term = hn::Set(d, 1e-3f);
  for (std::size_t r = 0; r < rounds; ++r) {
    for (std::size_t c = 0; c < kChains; ++c) {
      chains[c] = hn::MulAdd(chains[c], factor, term);
    }
  }
  Vec total = hn::Zero(d);
  for (std::size_t c = 0; c < kChains; ++c) total = hn::Add(total, chains[c]);
  volatile float sink = hn::GetLane(total);
  static_cast<void>(sink);
  return 2.0 * static_cast<double>(kChains * rounds * hn::Lanes(d));
}

double exp_limit(std::size_t rounds) {
  const Tag d;
  constexpr std::size_t kCount = 2048;
  HWY_ALIGN float buffer[kCount];
  for (std::size_t i = 0; i < kCount; ++i) {
    buffer[i] = -0.005f * static_cast<float>(i);
  }
  const std::size_t lanes = hn::Lanes(d);
  const Vec log2_e = hn::Set(d, 1.442695041f);
  Vec total[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  for (std::size_t r = 0; r < rounds; ++r) {
    for (std::size_t i = 0; i < kCount; i += 4 * lanes) {
      for (std::size_t c = 0; c < 4; ++c) {
        const Vec x = hn::Mul(hn::Load(d, buffer + i + c * lanes), log2_e);
        total[c] =
            hn::Add(total[c], kernel::exp2<kernel::Underflow::kNever>(d, x));
      }
    }
  }
  volatile float sink = hn::GetLane(
      hn::Add(hn::Add(total[0], total[1]), hn::Add(total[2], total[3])));
  static_cast<void>(sink);
  return static_cast<double>(kCount * rounds);
}

}  // namespace HWY_NAMESPACE
}  // namespace sbog::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sbog::bench {
HWY_EXPORT(fma_peak);
HWY_EXPORT(exp_limit);
double run_fma_peak(std::size_t rounds) {
  return HWY_DYNAMIC_DISPATCH(fma_peak)(rounds);
}
double run_exp_limit(std::size_t rounds) {
  return HWY_DYNAMIC_DISPATCH(exp_limit)(rounds);
}
}  // namespace sbog::bench
#endif  // HWY_ONCE
