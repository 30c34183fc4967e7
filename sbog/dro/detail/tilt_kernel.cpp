// SPDX-License-Identifier: Apache-2.0
// Highway implementation of tilt_kernel.h.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sbog/dro/detail/tilt_kernel.cpp"
#include "sbog/dro/detail/tilt_kernel.h"

#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "sbog/dro/detail/exp_series-inl.h"
#include "sbog/energy/detail/exp2-inl.h"
#include "sbog/energy/detail/tile_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace sbog::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<double>;
using Vec = hn::Vec<Tag>;

constexpr std::size_t kTogether = 4;  // atoms whose latencies overlap
constexpr double kLog2E = 1.4426950408889634;

HWY_INLINE Vec load(Tag d, const double* from) { return hn::LoadU(d, from); }
HWY_INLINE Vec load(Tag d, const float* from) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, Tag>(), from));
}

// The rows of one vector.
struct Lane {
  Vec peak;
  Vec log2_sum;
  Vec top;
};
HWY_INLINE Lane lane_of(Tag d, const TiltRows& rows, std::size_t l) {
  return {hn::LoadU(d, rows.peak + l), hn::LoadU(d, rows.log2_sum + l),
          hn::LoadU(d, rows.top + l)};
}

// log2 Q; the difference to the peak comes first, because it is small where Q
// is not.
template <typename T>
HWY_INLINE Vec log2_kernel(Tag d, const T* HWY_RESTRICT logit,
                           const Lane& lane) {
  const Vec x = hn::Max(load(d, logit), hn::Set(d, kAbsentLogit));
  return hn::Sub(hn::Sub(x, lane.peak), lane.log2_sum);
}

// An atom that a row does not see may have a gain above the row's top.
HWY_INLINE Vec gain_of(Tag d, double gain, const Lane& lane) {
  return hn::Min(hn::Sub(hn::Set(d, gain), lane.top), hn::Zero(d));
}

template <typename T>
void tilt(const TiltTile<T>& tile, double theta, const TiltRows& rows,
          const TiltSums& sums) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  const Vec slope = hn::Set(d, theta * kLog2E);
  HWY_ALIGN double exponents[kBlockAtoms * hn::MaxLanes(Tag())];
  for (std::size_t l = 0; l < tile.width; l += lanes) {
    const Lane lane = lane_of(d, rows, l);
    const Vec old_max = hn::LoadU(d, sums.max + l);
    Vec max = old_max;
    for (std::size_t a = 0; a < tile.atoms; ++a) {
      const Vec q = log2_kernel(d, tile.logits + a * tile.width + l, lane);
      const Vec x = hn::MulAdd(slope, gain_of(d, tile.gains[a], lane), q);
      hn::Store(x, d, exponents + a * lanes);
      max = hn::Max(max, x);
    }
    Vec s0 = hn::Zero(d);
    Vec s1 = hn::Zero(d);
    Vec s2 = hn::Zero(d);
    const auto add = [&](Vec e, std::size_t a) HWY_ATTR {
      const Vec t = gain_of(d, tile.gains[a], lane);
      const Vec et = hn::Mul(e, t);
      s0 = hn::Add(s0, e);
      s1 = hn::Add(s1, et);
      s2 = hn::MulAdd(et, t, s2);
    };
    std::size_t a = 0;
    for (; a + kTogether <= tile.atoms; a += kTogether) {
      Vec e[kTogether];
      for (std::size_t i = 0; i < kTogether; ++i) {
        e[i] = hn::Sub(hn::Load(d, exponents + (a + i) * lanes), max);
      }
      exp2<kTogether>(d, e);
      for (std::size_t i = 0; i < kTogether; ++i) add(e[i], a + i);
    }
    for (; a < tile.atoms; ++a) {
      add(exp2(d, hn::Sub(hn::Load(d, exponents + a * lanes), max)), a);
    }
    const Vec factor = exp2(d, hn::Sub(old_max, max));
    const auto merge = [&](double* sum, Vec block) HWY_ATTR {
      hn::StoreU(hn::MulAdd(hn::LoadU(d, sum), factor, block), d, sum);
    };
    merge(sums.s0 + l, s0);
    merge(sums.s1 + l, s1);
    merge(sums.s2 + l, s2);
    hn::StoreU(max, d, sums.max + l);
  }
}

template <typename T>
void small_tilt(const TiltTile<T>& tile, double theta, const TiltRows& rows,
                const TiltSums& sums) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  const Vec one = hn::Set(d, 1.0);
  const Vec slope = hn::Set(d, theta);
  for (std::size_t l = 0; l < tile.width; l += lanes) {
    const Lane lane = lane_of(d, rows, l);
    const Vec center = hn::LoadU(d, rows.center + l);
    Vec s0 = hn::Zero(d);
    Vec s1 = hn::Zero(d);
    Vec s2 = hn::Zero(d);
    const auto add = [&](Vec weight, std::size_t a) HWY_ATTR {
      const Vec x = hn::Sub(gain_of(d, tile.gains[a], lane), center);
      const Vec y = hn::Mul(slope, x);
      const Vec q = exp_series(d, y);
      const Vec w = hn::Mul(weight, hn::Mul(x, x));
      const Vec u = hn::MulAdd(y, q, one);
      s0 = hn::MulAdd(w, q, s0);
      s1 = hn::MulAdd(w, u, s1);
      s2 = hn::MulAdd(w, hn::MulAdd(y, u, one), s2);
    };
    std::size_t a = 0;
    for (; a + kTogether <= tile.atoms; a += kTogether) {
      Vec weights[kTogether];
      for (std::size_t i = 0; i < kTogether; ++i) {
        weights[i] =
            log2_kernel(d, tile.logits + (a + i) * tile.width + l, lane);
      }
      exp2<kTogether>(d, weights);
      for (std::size_t i = 0; i < kTogether; ++i) add(weights[i], a + i);
    }
    for (; a < tile.atoms; ++a) {
      add(exp2(d, log2_kernel(d, tile.logits + a * tile.width + l, lane)), a);
    }
    const auto merge = [&](double* sum, Vec block) HWY_ATTR {
      hn::StoreU(hn::Add(hn::LoadU(d, sum), block), d, sum);
    };
    merge(sums.s0 + l, s0);
    merge(sums.s1 + l, s1);
    merge(sums.s2 + l, s2);
  }
}

template <typename T>
void law_of(const TiltTile<T>& tile, double theta, const TiltRows& rows,
            const double* log2_partition, const double* weights, double* law) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  const Vec slope = hn::Set(d, theta * kLog2E);
  HWY_ALIGN double totals[kBlockAtoms * hn::MaxLanes(Tag())];
  for (std::size_t l = 0; l < tile.width; l += lanes) {
    const Lane lane = lane_of(d, rows, l);
    const Vec partition = hn::LoadU(d, log2_partition + l);
    const Vec weight = hn::LoadU(d, weights + l);
    for (std::size_t a = 0; a < tile.atoms; ++a) {
      const Vec q = log2_kernel(d, tile.logits + a * tile.width + l, lane);
      const Vec x = hn::MulAdd(slope, gain_of(d, tile.gains[a], lane), q);
      const Vec p = exp2(d, hn::Sub(x, partition));
      double* HWY_RESTRICT total = totals + a * lanes;
      const Vec before = l == 0 ? hn::Zero(d) : hn::Load(d, total);
      hn::Store(hn::MulAdd(weight, p, before), d, total);
    }
  }
  for (std::size_t a = 0; a < tile.atoms; ++a) {
    double sum = 0.0;
    for (std::size_t l = 0; l < lanes; ++l) sum += totals[a * lanes + l];
    law[a] += sum;
  }
}

void tilt_float(const TiltTile<float>& tile, double theta, const TiltRows& rows,
                const TiltSums& sums) {
  tilt(tile, theta, rows, sums);
}
void tilt_double(const TiltTile<double>& tile, double theta,
                 const TiltRows& rows, const TiltSums& sums) {
  tilt(tile, theta, rows, sums);
}
void small_tilt_float(const TiltTile<float>& tile, double theta,
                      const TiltRows& rows, const TiltSums& sums) {
  small_tilt(tile, theta, rows, sums);
}
void small_tilt_double(const TiltTile<double>& tile, double theta,
                       const TiltRows& rows, const TiltSums& sums) {
  small_tilt(tile, theta, rows, sums);
}
void law_float(const TiltTile<float>& tile, double theta, const TiltRows& rows,
               const double* log2_partition, const double* weights,
               double* law) {
  law_of(tile, theta, rows, log2_partition, weights, law);
}
void law_double(const TiltTile<double>& tile, double theta,
                const TiltRows& rows, const double* log2_partition,
                const double* weights, double* law) {
  law_of(tile, theta, rows, log2_partition, weights, law);
}

}  // namespace HWY_NAMESPACE
}  // namespace sbog::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sbog::detail {
HWY_EXPORT(tilt_float);
HWY_EXPORT(tilt_double);
HWY_EXPORT(small_tilt_float);
HWY_EXPORT(small_tilt_double);
HWY_EXPORT(law_float);
HWY_EXPORT(law_double);

template <>
void add_tilt(const TiltTile<float>& tile, double theta, const TiltRows& rows,
              const TiltSums& sums) {
  HWY_DYNAMIC_DISPATCH(tilt_float)(tile, theta, rows, sums);
}
template <>
void add_tilt(const TiltTile<double>& tile, double theta, const TiltRows& rows,
              const TiltSums& sums) {
  HWY_DYNAMIC_DISPATCH(tilt_double)(tile, theta, rows, sums);
}
template <>
void add_small_tilt(const TiltTile<float>& tile, double theta,
                    const TiltRows& rows, const TiltSums& sums) {
  HWY_DYNAMIC_DISPATCH(small_tilt_float)(tile, theta, rows, sums);
}
template <>
void add_small_tilt(const TiltTile<double>& tile, double theta,
                    const TiltRows& rows, const TiltSums& sums) {
  HWY_DYNAMIC_DISPATCH(small_tilt_double)(tile, theta, rows, sums);
}
template <>
void add_law(const TiltTile<float>& tile, double theta, const TiltRows& rows,
             const double* log2_partition, const double* weights, double* law) {
  HWY_DYNAMIC_DISPATCH(law_float)
  (tile, theta, rows, log2_partition, weights, law);
}
template <>
void add_law(const TiltTile<double>& tile, double theta, const TiltRows& rows,
             const double* log2_partition, const double* weights, double* law) {
  HWY_DYNAMIC_DISPATCH(law_double)
  (tile, theta, rows, log2_partition, weights, law);
}

}  // namespace sbog::detail
#endif  // HWY_ONCE
