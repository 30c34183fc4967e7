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

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "sbog/base/philox.h"

HWY_BEFORE_NAMESPACE();
namespace sbog::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

void fill_normals_simd(std::array<std::uint32_t, 2> key, std::uint32_t k,
                       std::uint32_t class_round, std::uint32_t first_j,
                       std::uint32_t first_block, std::size_t count,
                       std::size_t width, float* out) {
  for (std::size_t lane = 0; lane < width; ++lane) {
    const auto j = static_cast<std::uint32_t>(first_j + lane);
    for (std::size_t b = 0; 4 * b < count; ++b) {
      const PhiloxBlock block = philox4x32(
          {k, class_round, j, first_block + static_cast<std::uint32_t>(b)},
          key);
      for (std::size_t pair = 0; pair < 2; ++pair) {
        const auto uniform = [&](std::size_t w) {
          return static_cast<float>(block.words[w] >> 1) * 0x1p-31f + 0x1p-32f;
        };
        const float radius = std::sqrt(-2.0f * std::log(uniform(2 * pair)));
        const double angle =
            2.0 * std::numbers::pi * double{uniform(2 * pair + 1)};
        out[(4 * b + 2 * pair) * width + lane] =
            radius * static_cast<float>(std::cos(angle));
        out[(4 * b + 2 * pair + 1) * width + lane] =
            radius * static_cast<float>(std::sin(angle));
      }
    }
  }
}

void fill_row_simd(std::array<std::uint32_t, 2> key, std::uint32_t k,
                   std::uint32_t class_round, std::uint32_t j,
                   std::uint32_t first_block, std::size_t count, float* out) {
  fill_normals_simd(key, k, class_round, j, first_block, count, 1, out);
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

// Several counters side by side, so that their steps overlap.
template <std::size_t kCount>
HWY_INLINE void philox(std::array<std::uint32_t, 2> key, VecU (&c)[kCount][4]) {
  const TagU d;
  const VecU m0 = hn::Set(d, 0xD2511F53u);
  const VecU m1 = hn::Set(d, 0xCD9E8D57u);
  std::uint32_t k0 = key[0];
  std::uint32_t k1 = key[1];
  for (int round = 0; round < 10; ++round) {
    for (std::size_t i = 0; i < kCount; ++i) {
      const Product p0 = multiply(c[i][0], m0);
      const Product p1 = multiply(c[i][2], m1);
      const VecU next0 = hn::Xor(hn::Xor(p1.high, c[i][1]), hn::Set(d, k0));
      const VecU next2 = hn::Xor(hn::Xor(p0.high, c[i][3]), hn::Set(d, k1));
      c[i][0] = next0;
      c[i][1] = p1.low;
      c[i][2] = next2;
      c[i][3] = p0.low;
    }
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

// Cosine and sine of u turns, 0 <= u <= 1: a quarter turn is taken off exactly,
// the rest is at most an eighth of a turn.
HWY_INLINE void turn(VecF u, VecF& cosine, VecF& sine) {
  const TagF d;
  const hn::RebindToSigned<TagF> di;
  const VecF quarters = hn::Round(hn::Mul(u, hn::Set(d, 4.0f)));
  const VecF part = hn::NegMulAdd(quarters, hn::Set(d, 0.25f), u);
  const VecF x = hn::Mul(part, hn::Set(d, 2.0f * std::numbers::pi_v<float>));
  const VecF x2 = hn::Mul(x, x);
  VecF s =
      hn::MulAdd(x2, hn::Set(d, -1.9515296e-4f), hn::Set(d, 8.3321609e-3f));
  s = hn::MulAdd(s, x2, hn::Set(d, -1.6666655e-1f));
  s = hn::MulAdd(hn::Mul(s, x2), x, x);
  VecF c =
      hn::MulAdd(x2, hn::Set(d, 2.4433157e-5f), hn::Set(d, -1.3887316e-3f));
  c = hn::MulAdd(c, x2, hn::Set(d, 4.1666646e-2f));
  c = hn::MulAdd(c, x2, hn::Set(d, -0.5f));
  c = hn::MulAdd(c, x2, hn::Set(d, 1.0f));
  const auto q = hn::ConvertTo(di, quarters);
  const auto one = hn::Set(di, 1);
  const auto two = hn::Set(di, 2);
  const auto is_odd = hn::MaskFromVec(
      hn::BitCast(d, hn::VecFromMask(di, hn::Eq(hn::And(q, one), one))));
  const auto sign_of = [&](auto bits) HWY_ATTR {
    return hn::BitCast(d, hn::ShiftLeft<30>(hn::And(bits, two)));
  };
  cosine = hn::Xor(hn::IfThenElse(is_odd, s, c), sign_of(hn::Add(q, one)));
  sine = hn::Xor(hn::IfThenElse(is_odd, c, s), sign_of(q));
}

HWY_INLINE void box_muller_pair(VecU w0, VecU w1, VecF& first, VecF& second) {
  const TagF d;
  const VecF radius =
      hn::Sqrt(hn::Mul(hn::Set(d, -2.0f), hn::Log(d, uniform(w0))));
  turn(uniform(w1), first, second);
  first = hn::Mul(radius, first);
  second = hn::Mul(radius, second);
}

// The four normals of each lane's block, in place of the counters.
template <std::size_t kCount>
HWY_INLINE void draw_fours(std::array<std::uint32_t, 2> key,
                           VecU (&c)[kCount][4], VecF (&normals)[kCount][4]) {
  philox(key, c);
  for (std::size_t i = 0; i < kCount; ++i) {
    box_muller_pair(c[i][0], c[i][1], normals[i][0], normals[i][1]);
    box_muller_pair(c[i][2], c[i][3], normals[i][2], normals[i][3]);
  }
}

// kCount vectors of proposals from `lane` on.
template <std::size_t kCount>
HWY_INLINE void fill_columns(std::array<std::uint32_t, 2> key, std::uint32_t k,
                             std::uint32_t class_round, std::uint32_t first_j,
                             std::uint32_t first_block, std::size_t count,
                             std::size_t width, std::size_t lane,
                             float* HWY_RESTRICT out) {
  const TagU du;
  const TagF d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t b = 0; 4 * b < count; ++b) {
    VecU c[kCount][4];
    for (std::size_t i = 0; i < kCount; ++i) {
      c[i][0] = hn::Set(du, k);
      c[i][1] = hn::Set(du, class_round);
      c[i][2] =
          hn::Iota(du, first_j + static_cast<std::uint32_t>(lane + i * lanes));
      c[i][3] = hn::Set(du, first_block + static_cast<std::uint32_t>(b));
    }
    VecF normals[kCount][4];
    draw_fours(key, c, normals);
    for (std::size_t i = 0; i < kCount; ++i) {
      for (std::size_t r = 0; r < 4; ++r) {
        hn::StoreU(normals[i][r], d,
                   out + (4 * b + r) * width + lane + i * lanes);
      }
    }
  }
}

void fill_normals_simd(std::array<std::uint32_t, 2> key, std::uint32_t k,
                       std::uint32_t class_round, std::uint32_t first_j,
                       std::uint32_t first_block, std::size_t count,
                       std::size_t width, float* out) {
  constexpr std::size_t kTogether = 3;  // as wide as a group of queries
  const std::size_t lanes = hn::Lanes(TagF());
  std::size_t lane = 0;
  for (; lane + kTogether * lanes <= width; lane += kTogether * lanes) {
    fill_columns<kTogether>(key, k, class_round, first_j, first_block, count,
                            width, lane, out);
  }
  for (; lane < width; lane += lanes) {
    fill_columns<1>(key, k, class_round, first_j, first_block, count, width,
                    lane, out);
  }
}

void fill_row_simd(std::array<std::uint32_t, 2> key, std::uint32_t k,
                   std::uint32_t class_round, std::uint32_t j,
                   std::uint32_t first_block, std::size_t count, float* out) {
  const TagU du;
  const TagF d;
  const std::size_t lanes = hn::Lanes(d);
  HWY_ALIGN float four[4 * hn::MaxLanes(TagF())];
  for (std::size_t b = 0; 4 * b < count; b += lanes) {
    VecU c[1][4] = {
        {hn::Set(du, k), hn::Set(du, class_round), hn::Set(du, j),
         hn::Iota(du, first_block + static_cast<std::uint32_t>(b))}};
    VecF normals[1][4];
    draw_fours(key, c, normals);
    hn::StoreInterleaved4(normals[0][0], normals[0][1], normals[0][2],
                          normals[0][3], d, four);
    const std::size_t size = HWY_MIN(4 * lanes, count - 4 * b);
    for (std::size_t i = 0; i < size; ++i) out[4 * b + i] = four[i];
  }
}

#endif  // HWY_TARGET == HWY_SCALAR

// Lanes of double: half a vector of floats at a time.
void column_squares_simd(const float* HWY_RESTRICT tile, std::size_t rows,
                         std::size_t width, double* HWY_RESTRICT out) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> df;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t l = 0; l < width; l += lanes) {
    auto sum = hn::Zero(d);
    for (std::size_t r = 0; r < rows; ++r) {
      const auto x = hn::PromoteTo(d, hn::LoadU(df, tile + r * width + l));
      sum = hn::MulAdd(x, x, sum);
    }
    hn::StoreU(sum, d, out + l);
  }
}

void column_products_simd(const float* HWY_RESTRICT tile,
                          std::span<const double> weights, std::size_t width,
                          double* HWY_RESTRICT out) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> df;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t l = 0; l < width; l += lanes) {
    auto sum = hn::Zero(d);
    for (std::size_t r = 0; r < weights.size(); ++r) {
      const auto x = hn::PromoteTo(d, hn::LoadU(df, tile + r * width + l));
      sum = hn::MulAdd(hn::Set(d, weights[r]), x, sum);
    }
    hn::StoreU(sum, d, out + l);
  }
}

// kRows rows of the factor and kVectors vectors of lanes in registers while k
// runs. Every lane has its own sum, in order of k.
template <std::size_t kRows, std::size_t kVectors>
HWY_INLINE void combine_some(const float* const* HWY_RESTRICT rows,
                             std::size_t used, const float* HWY_RESTRICT tile,
                             std::size_t width, float* HWY_RESTRICT out) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  hn::Vec<decltype(d)> sums[kRows][kVectors];
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t v = 0; v < kVectors; ++v) sums[i][v] = hn::Zero(d);
  }
  for (std::size_t k = 0; k < used; ++k) {
    hn::Vec<decltype(d)> x[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) {
      x[v] = hn::LoadU(d, tile + k * width + v * lanes);
    }
    for (std::size_t i = 0; i < kRows; ++i) {
      const auto factor = hn::Set(d, rows[i][k]);
      for (std::size_t v = 0; v < kVectors; ++v) {
        sums[i][v] = hn::MulAdd(factor, x[v], sums[i][v]);
      }
    }
  }
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      hn::StoreU(sums[i][v], d, out + i * width + v * lanes);
    }
  }
}

template <std::size_t kRows>
HWY_INLINE void combine_rows(const float* const* rows, std::size_t used,
                             const float* tile, std::size_t width, float* out) {
  constexpr std::size_t kVectors = 3;  // as wide as a group of queries
  const std::size_t lanes = hn::Lanes(hn::ScalableTag<float>());
  std::size_t lane = 0;
  for (; lane + kVectors * lanes <= width; lane += kVectors * lanes) {
    combine_some<kRows, kVectors>(rows, used, tile + lane, width, out + lane);
  }
  for (; lane < width; lane += lanes) {
    combine_some<kRows, 1>(rows, used, tile + lane, width, out + lane);
  }
}

void combine_columns_simd(MatrixView<const float> factor,
                          std::span<const std::size_t> used, const float* tile,
                          std::size_t width, float* out) {
  constexpr std::size_t kTogether = 4;
  const float* rows[kTogether];
  std::size_t i = 0;
  for (; i + kTogether <= factor.rows(); i += kTogether) {
    for (std::size_t r = 0; r < kTogether; ++r) {
      rows[r] = factor.row(i + r).data();
    }
    // What follows the used part of an earlier row is 0.
    combine_rows<kTogether>(rows, used[i + kTogether - 1], tile, width,
                            out + i * width);
  }
  for (; i < factor.rows(); ++i) {
    rows[0] = factor.row(i).data();
    combine_rows<1>(rows, used[i], tile, width, out + i * width);
  }
}

void shift_columns_simd(float* HWY_RESTRICT tile,
                        std::span<const double> shifts, std::size_t width,
                        const float* HWY_RESTRICT scales,
                        const float* HWY_RESTRICT factors) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t l = 0; l < width; l += lanes) {
    const auto scale = hn::LoadU(d, scales + l);
    const auto factor = hn::LoadU(d, factors + l);
    for (std::size_t r = 0; r < shifts.size(); ++r) {
      float* HWY_RESTRICT at = tile + r * width + l;
      const auto shift = hn::Set(d, static_cast<float>(shifts[r]));
      hn::StoreU(hn::MulAdd(hn::LoadU(d, at), scale, hn::Mul(shift, factor)), d,
                 at);
    }
  }
}

void scale_columns_simd(float* HWY_RESTRICT tile, std::size_t rows,
                        std::size_t width, const float* HWY_RESTRICT factors) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t l = 0; l < width; l += lanes) {
    const auto factor = hn::LoadU(d, factors + l);
    for (std::size_t r = 0; r < rows; ++r) {
      float* HWY_RESTRICT at = tile + r * width + l;
      hn::StoreU(hn::Mul(hn::LoadU(d, at), factor), d, at);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace sbog::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sbog::detail {
HWY_EXPORT(fill_normals_simd);
HWY_EXPORT(fill_row_simd);
HWY_EXPORT(column_squares_simd);
HWY_EXPORT(column_products_simd);
HWY_EXPORT(combine_columns_simd);
HWY_EXPORT(shift_columns_simd);
HWY_EXPORT(scale_columns_simd);

void fill_normals(std::array<std::uint32_t, 2> key, std::uint32_t k,
                  std::uint32_t class_round, std::uint32_t first_j,
                  std::size_t count, std::size_t width, float* out) {
  HWY_DYNAMIC_DISPATCH(fill_normals_simd)
  (key, k, class_round, first_j, kSubspaceBlock, count, width, out);
}
void fill_row_normals(std::array<std::uint32_t, 2> key, std::uint32_t k,
                      std::uint32_t class_round, std::uint32_t j,
                      std::uint32_t first_block, std::span<float> out) {
  // The scalar code writes whole blocks.
  std::vector<float> blocks((out.size() + 3) / 4 * 4);
  HWY_DYNAMIC_DISPATCH(fill_row_simd)
  (key, k, class_round, j, first_block, out.size(), blocks.data());
  std::copy_n(blocks.begin(), out.size(), out.begin());
}
void column_squares(const float* tile, std::size_t rows, std::size_t width,
                    double* out) {
  HWY_DYNAMIC_DISPATCH(column_squares_simd)(tile, rows, width, out);
}
void column_products(const float* tile, std::span<const double> weights,
                     std::size_t width, double* out) {
  HWY_DYNAMIC_DISPATCH(column_products_simd)(tile, weights, width, out);
}
void combine_columns(MatrixView<const float> factor,
                     std::span<const std::size_t> used, const float* tile,
                     std::size_t width, float* out) {
  HWY_DYNAMIC_DISPATCH(combine_columns_simd)(factor, used, tile, width, out);
}
void shift_columns(float* tile, std::span<const double> shifts,
                   std::size_t width, const float* scales,
                   const float* factors) {
  HWY_DYNAMIC_DISPATCH(shift_columns_simd)
  (tile, shifts, width, scales, factors);
}
void scale_columns(float* tile, std::size_t rows, std::size_t width,
                   const float* factors) {
  HWY_DYNAMIC_DISPATCH(scale_columns_simd)(tile, rows, width, factors);
}

}  // namespace sbog::detail
#endif  // HWY_ONCE
