// SPDX-License-Identifier: Apache-2.0
// Philox4x32-10 and Box-Muller across SIMD lanes; see normal_tile.h.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sbog/sample/detail/normal_tile.cpp"
#include "sbog/sample/detail/normal_tile.h"

// foreach_target.h must come first, math-inl.h last.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
// clang-format on

#include <cmath>
#include <numbers>

#include "sbog/base/philox.h"

HWY_BEFORE_NAMESPACE();
namespace sbog::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

void fill_normals_simd(std::array<std::uint32_t, 2> key, std::uint32_t k,
                       std::uint32_t class_round, std::uint32_t first_j,
                       std::size_t count, std::size_t width, float* out) {
  for (std::size_t lane = 0; lane < width; ++lane) {
    const auto j = static_cast<std::uint32_t>(first_j + lane);
    for (std::size_t b = 0; 4 * b < count; ++b) {
      const PhiloxBlock block = philox4x32(
          {k, class_round, j, kSubspaceBlock + static_cast<std::uint32_t>(b)},
          key);
      for (std::size_t pair = 0; pair < 2; ++pair) {
        const auto uniform = [&](std::size_t w) {
          return static_cast<float>(block.words[w] >> 1) * 0x1p-31f + 0x1p-32f;
        };
        const float radius = std::sqrt(-2.0f * std::log(uniform(2 * pair)));
        const float angle =
            2.0f * std::numbers::pi_v<float> * uniform(2 * pair + 1);
        out[(4 * b + 2 * pair) * width + lane] = radius * std::cos(angle);
        out[(4 * b + 2 * pair + 1) * width + lane] = radius * std::sin(angle);
      }
    }
  }
}

#else

using TagU = hn::ScalableTag<std::uint32_t>;
using TagF = hn::ScalableTag<float>;
using VecU = hn::Vec<TagU>;
using VecF = hn::Vec<TagF>;

struct Product {
  VecU high;
  VecU low;
};

// Both halves of the 64-bit products of all lanes with one factor.
HWY_INLINE Product multiply(VecU a, VecU factor) {
  const hn::RepartitionToWide<TagU> wide;
  const TagU d;
  const auto even = hn::MulEven(a, factor);
  const VecU odd_lanes =
      hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(wide, a)));
  const auto odd = hn::MulEven(odd_lanes, factor);
  return {hn::OddEven(hn::BitCast(d, odd),
                      hn::BitCast(d, hn::ShiftRight<32>(even))),
          hn::OddEven(hn::BitCast(d, hn::ShiftLeft<32>(odd)),
                      hn::BitCast(d, even))};
}

HWY_INLINE void philox(std::array<std::uint32_t, 2> key, VecU (&c)[4]) {
  const TagU d;
  const VecU m0 = hn::Set(d, 0xD2511F53u);
  const VecU m1 = hn::Set(d, 0xCD9E8D57u);
  std::uint32_t k0 = key[0];
  std::uint32_t k1 = key[1];
  for (int round = 0; round < 10; ++round) {
    const Product p0 = multiply(c[0], m0);
    const Product p1 = multiply(c[2], m1);
    const VecU next0 = hn::Xor(hn::Xor(p1.high, c[1]), hn::Set(d, k0));
    const VecU next2 = hn::Xor(hn::Xor(p0.high, c[3]), hn::Set(d, k1));
    c[0] = next0;
    c[1] = p1.low;
    c[2] = next2;
    c[3] = p0.low;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
}

// (floor(word / 2) + 1/2) / 2^31, rounded to float: precise near 0, where its
// logarithm makes the tails, and never 0.
HWY_INLINE VecF uniform(VecU word) {
  const TagF d;
  const hn::RebindToSigned<TagF> di;
  const VecF half = hn::ConvertTo(d, hn::BitCast(di, hn::ShiftRight<1>(word)));
  return hn::MulAdd(half, hn::Set(d, 0x1p-31f), hn::Set(d, 0x1p-32f));
}

HWY_INLINE void box_muller_pair(VecU w0, VecU w1, VecF& first, VecF& second) {
  const TagF d;
  const VecF radius =
      hn::Sqrt(hn::Mul(hn::Set(d, -2.0f), hn::Log(d, uniform(w0))));
  const VecF angle =
      hn::Mul(hn::Set(d, 2.0f * std::numbers::pi_v<float>), uniform(w1));
  first = hn::Mul(radius, hn::Cos(d, angle));
  second = hn::Mul(radius, hn::Sin(d, angle));
}

void fill_normals_simd(std::array<std::uint32_t, 2> key, std::uint32_t k,
                       std::uint32_t class_round, std::uint32_t first_j,
                       std::size_t count, std::size_t width, float* out) {
  const TagU du;
  const TagF d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t lane = 0; lane < width; lane += lanes) {
    const VecU j = hn::Iota(du, first_j + static_cast<std::uint32_t>(lane));
    for (std::size_t b = 0; 4 * b < count; ++b) {
      VecU c[4] = {hn::Set(du, k), hn::Set(du, class_round), j,
                   hn::Set(du, kSubspaceBlock + static_cast<std::uint32_t>(b))};
      philox(key, c);
      VecF normals[4];
      box_muller_pair(c[0], c[1], normals[0], normals[1]);
      box_muller_pair(c[2], c[3], normals[2], normals[3]);
      for (std::size_t i = 0; i < 4; ++i) {
        hn::StoreU(normals[i], d, out + (4 * b + i) * width + lane);
      }
    }
  }
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace sbog::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sbog::detail {
HWY_EXPORT(fill_normals_simd);

void fill_normals(std::array<std::uint32_t, 2> key, std::uint32_t k,
                  std::uint32_t class_round, std::uint32_t first_j,
                  std::size_t count, std::size_t width, float* out) {
  HWY_DYNAMIC_DISPATCH(fill_normals_simd)
  (key, k, class_round, first_j, count, width, out);
}

}  // namespace sbog::detail
#endif  // HWY_ONCE
