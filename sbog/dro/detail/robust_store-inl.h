// SPDX-License-Identifier: Apache-2.0
// Results of one vector of rows, per Highway target (no include guard across
// targets).
#if defined(SBOG_DRO_DETAIL_ROBUST_STORE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SBOG_DRO_DETAIL_ROBUST_STORE_INL_H_
#undef SBOG_DRO_DETAIL_ROBUST_STORE_INL_H_
#else
#define SBOG_DRO_DETAIL_ROBUST_STORE_INL_H_
#endif

#include "sbog/dro/detail/robust_group-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sbog::detail {
namespace HWY_NAMESPACE {

template <typename T>
void Group::store(const RobustRows<T>& rows, const RobustTargets<T>& out,
                  std::size_t first, std::size_t count) {
  const Tag d;
  const Tilt tilt = large_tilt(beta_);
  HWY_ALIGN double lane_values[hn::MaxLanes(Tag())];
  HWY_ALIGN double lane_lambdas[hn::MaxLanes(Tag())];
  const Mask is_saturated = hn::Eq(beta_, hn::Set(d, kInfiniteBeta));
  const Vec lambda = hn::IfThenElseZero(
      hn::Not(is_saturated),
      hn::Div(range_, hn::Mul(beta_, hn::Set(d, rows.epsilon))));
  const Vec mean = hn::IfThenElseZero(hn::Not(is_saturated), tilt.mean);
  // Rounding must not leave the range of the losses.
  hn::Store(hn::Max(hn::MulAdd(range_, mean, top_), bottom_), d, lane_values);
  hn::Store(lambda, d, lane_lambdas);
  for (std::size_t lane = 0; lane < count; ++lane) {
    const std::size_t row = first + lane;
    if (out.values != nullptr) {
      out.values[row] = static_cast<T>(rows.signs[row] * lane_values[lane]);
    }
    if (out.lambdas != nullptr) {
      out.lambdas[row] = static_cast<T>(lane_lambdas[lane]);
    }
  }
  if (out.tilted != nullptr || out.cost_gradients != nullptr) {
    store_laws(rows, out, first, count, lambda);
  }
}

// rows[lane][k] <- factor[lane] * array[k][lane].
template <typename T>
HWY_INLINE void store_rows(const double* HWY_RESTRICT array, std::size_t atoms,
                           std::size_t lanes, std::size_t count,
                           const double* HWY_RESTRICT factors,
                           T* HWY_RESTRICT rows, std::size_t stride) {
  for (std::size_t lane = 0; lane < count; ++lane) {
    T* HWY_RESTRICT row = rows + lane * stride;
    for (std::size_t k = 0; k < atoms; ++k) {
      row[k] = static_cast<T>(factors[lane] * array[k * lanes + lane]);
    }
  }
}

template <typename T>
void Group::store_laws(const RobustRows<T>& rows, const RobustTargets<T>& out,
                       std::size_t first, std::size_t count, Vec lambda) {
  const Tag d;
  const Vec one = hn::Set(d, 1.0);
  const Vec inverse = hn::Div(one, sum_);
  HWY_ALIGN double factors[hn::MaxLanes(Tag())];
  if (out.tilted != nullptr) {
    hn::Store(inverse, d, factors);
    store_rows(e_, atoms_, lanes_, count, factors,
               out.tilted + first * out.tilted_stride, out.tilted_stride);
  }
  if (out.cost_gradients == nullptr) return;
  // (q - Q) / beta for small beta, without a difference: see small_tilt.
  const Mask is_small = hn::Lt(beta_, hn::Set(d, kSmallBeta));
  const Vec beta = hn::Min(beta_, hn::Set(d, kSmallBeta));
  const Vec steep = hn::Div(range_, hn::Set(d, rows.epsilon));
  Vec r = hn::Zero(d);  // R / beta
  for (std::size_t k = 0; k < atoms_; ++k) {
    const Vec x = hn::Sub(at(gain_, k), center_);
    const Vec series = exp_series(d, hn::Mul(beta, x));
    r = hn::MulAdd(hn::Mul(at(q_, k), hn::Mul(x, x)), series, r);
  }
  r = hn::Mul(r, beta);
  for (std::size_t k = 0; k < atoms_; ++k) {
    const Vec q = at(q_, k);
    const Vec p = hn::Mul(at(e_, k), inverse);
    const Vec x = hn::Sub(at(gain_, k), center_);
    const Vec y = hn::Mul(beta, x);
    const Vec rise = hn::Mul(x, hn::MulAdd(y, exp_series(d, y), one));
    const Vec near = hn::Mul(
        hn::Mul(steep, q), hn::Div(hn::Sub(rise, r), hn::MulAdd(beta, r, one)));
    const Vec far = hn::Mul(lambda, hn::Sub(p, q));
    put(hn::IfThenElse(is_small, near, far), e_, k);
  }
  for (std::size_t lane = 0; lane < count; ++lane) {
    factors[lane] = -rows.signs[first + lane];
  }
  store_rows(e_, atoms_, lanes_, count, factors,
             out.cost_gradients + first * out.gradient_stride,
             out.gradient_stride);
}

}  // namespace HWY_NAMESPACE
}  // namespace sbog::detail
HWY_AFTER_NAMESPACE();
#endif  // SBOG_DRO_DETAIL_ROBUST_STORE_INL_H_
