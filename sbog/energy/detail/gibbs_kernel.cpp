// SPDX-License-Identifier: Apache-2.0
// Highway implementation of gibbs_kernel.h.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sbog/energy/detail/gibbs_kernel.cpp"
#include "sbog/energy/detail/gibbs_kernel.h"

#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "sbog/energy/detail/exp2-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sbog::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
using Tag = hn::ScalableTag<T>;

// Sums longer than this lose digits in float; a run of atoms stays in L1.
constexpr std::size_t kRunAtoms = 64;
// Atoms whose exponentials are computed side by side.
constexpr std::size_t kSideBySide = 4;

// The three sums of one vector of queries over a run of atoms.
template <typename T>
struct RunSums {
  using V = hn::Vec<Tag<T>>;
  V weight, first, second;

  HWY_INLINE void add(V w, V y) {
    weight = hn::Add(weight, w);
    const V wy = hn::Mul(w, y);
    first = hn::Add(first, wy);
    second = hn::MulAdd(wy, y, second);
  }
};

template <std::size_t kCount, typename T>
HWY_INLINE void add_atoms(const GibbsLogits<T>& group, std::size_t atom,
                          std::size_t lane, hn::Vec<Tag<T>> top,
                          hn::Vec<Tag<T>> scale, RunSums<T>& sums) {
  const Tag<T> d;
  hn::Vec<Tag<T>> y[kCount];
  hn::Vec<Tag<T>> w[kCount];
  for (std::size_t i = 0; i < kCount; ++i) {
    const auto logit =
        hn::LoadU(d, group.logits + (atom + i) * group.width + lane);
    y[i] = hn::Mul(hn::Sub(logit, top), scale);
    if (group.log2_weights != nullptr) {
      y[i] = hn::Add(y[i], hn::Set(d, group.log2_weights[atom + i]));
    }
    // Far below what counts, and no 0 times infinity.
    y[i] = hn::Max(y[i], hn::Set(d, T(-100)));
    w[i] = y[i];
  }
  exp2<kCount, Underflow::kNever>(d, w);
  for (std::size_t i = 0; i < kCount; ++i) sums.add(w[i], y[i]);
}

template <typename T>
HWY_INLINE void add_to(hn::Vec<Tag<T>> from, double* HWY_RESTRICT to) {
  const Tag<T> d;
  HWY_ALIGN T values[hn::MaxLanes(d)];
  hn::Store(from, d, values);
  for (std::size_t l = 0; l < hn::Lanes(d); ++l) {
    to[l] += static_cast<double>(values[l]);
  }
}

template <typename T>
void gibbs_sums_impl(const GibbsLogits<T>& group, const T* top, const T* scale,
                     const GibbsSums& sums) {
  const Tag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t l = 0; l < group.width; ++l) {
    sums.weight[l] = sums.first[l] = sums.second[l] = 0.0;
  }
  for (std::size_t run = 0; run < group.atoms; run += kRunAtoms) {
    const std::size_t end = HWY_MIN(run + kRunAtoms, group.atoms);
    for (std::size_t lane = 0; lane < group.width; lane += lanes) {
      const auto t = hn::LoadU(d, top + lane);
      const auto s = hn::LoadU(d, scale + lane);
      RunSums<T> part = {hn::Zero(d), hn::Zero(d), hn::Zero(d)};
      std::size_t atom = run;
      for (; atom + kSideBySide <= end; atom += kSideBySide) {
        add_atoms<kSideBySide>(group, atom, lane, t, s, part);
      }
      for (; atom < end; ++atom) add_atoms<1>(group, atom, lane, t, s, part);
      add_to<T>(part.weight, sums.weight + lane);
      add_to<T>(part.first, sums.first + lane);
      add_to<T>(part.second, sums.second + lane);
    }
  }
}

void gibbs_float(const GibbsLogits<float>& group, const float* top,
                 const float* scale, const GibbsSums& sums) {
  gibbs_sums_impl(group, top, scale, sums);
}
void gibbs_double(const GibbsLogits<double>& group, const double* top,
                  const double* scale, const GibbsSums& sums) {
  gibbs_sums_impl(group, top, scale, sums);
}

}  // namespace HWY_NAMESPACE
}  // namespace sbog::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sbog::detail {
HWY_EXPORT(gibbs_float);
HWY_EXPORT(gibbs_double);

template <>
void gibbs_sums(const GibbsLogits<float>& group, const float* top,
                const float* scale, const GibbsSums& sums) {
  HWY_DYNAMIC_DISPATCH(gibbs_float)(group, top, scale, sums);
}
template <>
void gibbs_sums(const GibbsLogits<double>& group, const double* top,
                const double* scale, const GibbsSums& sums) {
  HWY_DYNAMIC_DISPATCH(gibbs_double)(group, top, scale, sums);
}

}  // namespace sbog::detail
#endif  // HWY_ONCE
