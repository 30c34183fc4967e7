// SPDX-License-Identifier: Apache-2.0
// Highway implementation of robust_kernel.h.
//
// Per lane: losses l are shifted by their maximum and divided by their range,
// so g in [-1, 0]; the tilted law is q ~ Q exp(beta g) with beta = range /
// (lambda eps), and K(beta) = KL(q || Q), which grows, has to reach kappa = r /
// eps. sqrt(K) is nearly linear in beta: Newton on it, inside a bracket. A lane
// that is done keeps its beta, so it does not matter how long the others take.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sbog/dro/detail/robust_kernel.cpp"
#include "sbog/dro/detail/robust_kernel.h"

// foreach_target.h must come first, math-inl.h last.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
// clang-format on

#include <limits>

#include "sbog/dro/detail/exp_series-inl.h"
#include "sbog/energy/detail/exp2-inl.h"
#include "sbog/energy/detail/tile_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace sbog::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<double>;
using Vec = hn::Vec<Tag>;
using Mask = hn::Mask<Tag>;

constexpr double kLog2E = 1.4426950408889634;
constexpr double kUnit = std::numeric_limits<double>::epsilon();
constexpr double kTolerance = 1e-12;  // on K, relative
constexpr double kSmallBeta = 0.5;
constexpr double kLargestValue = 1e300;
constexpr double kSmallestRange = 1e-290;  // below it all losses are equal
constexpr double kInfiniteBeta = 1e300;
constexpr int kMostTurns = 120;
constexpr std::size_t kArrays = 3;

// What K, its slope and the law are made of, at one beta.
struct Tilt {
  Vec divergence;  // K
  Vec variance;    // of g under q
  Vec mean;        // of g under q
  Vec rounding;    // error of K that cannot be avoided
};

// One vector of rows. Arrays have one vector per atom.
class Group {
 public:
  Group(std::size_t atoms, double* scratch)
      : atoms_(atoms),
        lanes_(hn::Lanes(Tag())),
        gain_(scratch),
        log2_q_(scratch + atoms * lanes_),
        q_(scratch + 2 * atoms * lanes_) {}

  template <typename T>
  bool load(const RobustRows<T>& rows, std::size_t first, std::size_t count);
  bool prepare();
  void solve(double kappa);
  template <typename T>
  void store(const RobustRows<T>& rows, const RobustTargets<T>& out,
             std::size_t first, std::size_t count);

 private:
  HWY_INLINE Vec gain(std::size_t k) const {
    return hn::LoadU(Tag(), gain_ + k * lanes_);
  }
  HWY_INLINE Vec log2_q(std::size_t k) const {
    return hn::LoadU(Tag(), log2_q_ + k * lanes_);
  }
  HWY_INLINE Vec q(std::size_t k) const {
    return hn::LoadU(Tag(), q_ + k * lanes_);
  }
  Tilt large_tilt(Vec beta);
  Tilt small_tilt(Vec beta);
  Vec next_beta(Vec beta, const Tilt& tilt, Vec kappa, Mask can_gain,
                Vec& limit) const;

  std::size_t atoms_;
  std::size_t lanes_;
  double* gain_;
  double* log2_q_;
  double* q_;
  Vec top_;             // largest loss
  Vec bottom_;          // smallest loss
  Vec range_;           // largest less smallest
  Vec center_;          // E_Q[g]
  Vec variance_;        // Var_Q[g]
  Vec max_divergence_;  // -log Q(g = 0)
  Vec beta_;            // the solution; 0 nominal, kInfiniteBeta saturated
  Vec low_, high_;      // bracket of beta
  Vec log2_max_, sum_;  // of the last large_tilt
};

// Rows into lanes; lanes without a row repeat the last one.
template <typename T>
bool Group::load(const RobustRows<T>& rows, std::size_t first,
                 std::size_t count) {
  const double slope = kLog2E / rows.epsilon;
  bool is_good = true;
  for (std::size_t lane = 0; lane < lanes_; ++lane) {
    const std::size_t row = first + HWY_MIN(lane, count - 1);
    const T* HWY_RESTRICT values = rows.values + row * rows.value_stride;
    const T* HWY_RESTRICT costs =
        rows.costs + row / rows.classes * rows.cost_stride;
    const double sign = rows.signs[row];
    for (std::size_t k = 0; k < atoms_; ++k) {
      const double value = sign * static_cast<double>(values[k]);
      const double cost = static_cast<double>(costs[k]);
      is_good &= value <= kLargestValue && value >= -kLargestValue;
      is_good &= cost >= 0.0;
      gain_[k * lanes_ + lane] = value;
      log2_q_[k * lanes_ + lane] = rows.log2_weights[k] - slope * cost;
    }
  }
  return is_good;
}

// From losses and logits to gains and the law Q. False without support.
bool Group::prepare() {
  const Tag d;
  const Vec absent = hn::Set(d, kAbsentLogit);
  Vec peak = absent;
  for (std::size_t k = 0; k < atoms_; ++k) peak = hn::Max(peak, log2_q(k));
  const bool has_support = hn::AllTrue(d, hn::Gt(peak, absent));
  Vec sum = hn::Zero(d);
  top_ = hn::Set(d, -kLargestValue);
  bottom_ = hn::Set(d, kLargestValue);
  for (std::size_t k = 0; k < atoms_; ++k) {
    const Vec logit = log2_q(k);
    const Mask is_there = hn::Gt(logit, absent);
    const Vec shifted = hn::Sub(hn::Max(logit, absent), peak);
    sum = hn::Add(sum, exp2(d, shifted));
    hn::StoreU(shifted, d, log2_q_ + k * lanes_);
    const Vec loss = gain(k);
    top_ = hn::IfThenElse(is_there, hn::Max(top_, loss), top_);
    bottom_ = hn::IfThenElse(is_there, hn::Min(bottom_, loss), bottom_);
  }
  const Vec log2_sum = hn::Mul(hn::Log(d, sum), hn::Set(d, kLog2E));
  range_ = hn::Sub(top_, bottom_);
  range_ =
      hn::IfThenElseZero(hn::Ge(range_, hn::Set(d, kSmallestRange)), range_);
  const Vec one = hn::Set(d, 1.0);
  const Mask is_constant = hn::Eq(range_, hn::Zero(d));
  const Vec inverse =
      hn::IfThenElseZero(hn::Not(is_constant), hn::Div(one, range_));
  center_ = hn::Zero(d);
  Vec at_top = hn::Zero(d);
  for (std::size_t k = 0; k < atoms_; ++k) {
    const Vec log2 = hn::Sub(log2_q(k), log2_sum);
    // Atoms off the support may lie above the top.
    const Vec g =
        hn::Min(hn::Mul(hn::Sub(gain(k), top_), inverse), hn::Zero(d));
    const Vec weight = exp2(d, log2);
    hn::StoreU(g, d, gain_ + k * lanes_);
    hn::StoreU(log2, d, log2_q_ + k * lanes_);
    hn::StoreU(weight, d, q_ + k * lanes_);
    center_ = hn::MulAdd(weight, g, center_);
    at_top =
        hn::Add(at_top, hn::IfThenElseZero(hn::Eq(g, hn::Zero(d)), weight));
  }
  variance_ = hn::Zero(d);
  for (std::size_t k = 0; k < atoms_; ++k) {
    const Vec x = hn::Sub(gain(k), center_);
    variance_ = hn::MulAdd(hn::Mul(q(k), x), x, variance_);
  }
  // Where the top has underflown, its logarithm has not.
  const Tilt limit = large_tilt(hn::Set(d, kInfiniteBeta));
  static_cast<void>(limit);
  const Vec log_top =
      hn::Add(hn::Mul(log2_max_, hn::Set(d, 1.0 / kLog2E)), hn::Log(d, sum_));
  max_divergence_ = hn::IfThenElseZero(hn::Not(is_constant),
                                       hn::Max(hn::Neg(log_top), hn::Zero(d)));
  return has_support;
}

Tilt Group::large_tilt(Vec beta) {
  const Tag d;
  const Vec slope = hn::Mul(beta, hn::Set(d, kLog2E));
  Vec max = hn::Set(d, kAbsentLogit);
  for (std::size_t k = 0; k < atoms_; ++k) {
    max = hn::Max(max, hn::MulAdd(slope, gain(k), log2_q(k)));
  }
  Vec s0 = hn::Zero(d);
  Vec s1 = hn::Zero(d);
  Vec s2 = hn::Zero(d);
  constexpr std::size_t kTogether = 4;
  const auto add = [&](Vec e, std::size_t k) HWY_ATTR {
    const Vec eg = hn::Mul(e, gain(k));
    s0 = hn::Add(s0, e);
    s1 = hn::Add(s1, eg);
    s2 = hn::MulAdd(eg, gain(k), s2);
  };
  std::size_t k = 0;
  for (; k + kTogether <= atoms_; k += kTogether) {
    Vec e[kTogether];
    for (std::size_t i = 0; i < kTogether; ++i) {
      e[i] = hn::Sub(hn::MulAdd(slope, gain(k + i), log2_q(k + i)), max);
    }
    exp2<kTogether>(d, e);
    for (std::size_t i = 0; i < kTogether; ++i) add(e[i], k + i);
  }
  for (; k < atoms_; ++k) {
    add(exp2(d, hn::Sub(hn::MulAdd(slope, gain(k), log2_q(k)), max)), k);
  }
  log2_max_ = max;
  sum_ = s0;
  const Vec inverse = hn::Div(hn::Set(d, 1.0), s0);
  const Vec log_s = hn::MulAdd(max, hn::Set(d, 1.0 / kLog2E), hn::Log(d, s0));
  Tilt tilt;
  tilt.mean = hn::Mul(s1, inverse);
  tilt.divergence = hn::Max(hn::MulSub(beta, tilt.mean, log_s), hn::Zero(d));
  tilt.variance = hn::Max(
      hn::NegMulAdd(tilt.mean, tilt.mean, hn::Mul(s2, inverse)), hn::Zero(d));
  tilt.rounding = hn::Mul(hn::Abs(log_s), hn::Set(d, 4.0 * kUnit));
  return tilt;
}

// About the mean, so that nothing cancels: with x = g - center, y = beta x and
// R = E_Q[exp(y) - 1 - y], K = E_Q[y (exp(y) - 1)] / (1 + R) - log(1 + R).
Tilt Group::small_tilt(Vec beta) {
  const Tag d;
  const Vec one = hn::Set(d, 1.0);
  Vec s0 = hn::Zero(d);
  Vec s1 = hn::Zero(d);
  Vec s2 = hn::Zero(d);
  for (std::size_t k = 0; k < atoms_; ++k) {
    const Vec x = hn::Sub(gain(k), center_);
    const Vec y = hn::Mul(beta, x);
    const Vec series = exp_series(d, y);
    const Vec w = hn::Mul(q(k), hn::Mul(x, x));
    const Vec u = hn::MulAdd(y, series, one);
    s0 = hn::MulAdd(w, series, s0);
    s1 = hn::MulAdd(w, u, s1);
    s2 = hn::MulAdd(w, hn::MulAdd(y, u, one), s2);
  }
  const Vec square = hn::Mul(beta, beta);
  const Vec r = hn::Mul(square, s0);
  const Vec inverse = hn::Div(one, hn::Add(one, r));
  const Vec rise = hn::Mul(s1, inverse);
  const Vec shift = hn::Mul(beta, rise);
  Tilt tilt;
  tilt.mean = hn::Add(center_, shift);
  tilt.divergence =
      hn::Max(hn::MulSub(square, rise, hn::Log1p(d, r)), hn::Zero(d));
  tilt.variance =
      hn::Max(hn::NegMulAdd(shift, shift, hn::Mul(s2, inverse)), hn::Zero(d));
  tilt.rounding = hn::Zero(d);
  return tilt;
}

// Newton where it stays inside the bracket and gains, else the geometric mean
// of the bracket; while there is no bracket, steps by a factor of at most
// `limit`, which grows.
Vec Group::next_beta(Vec beta, const Tilt& tilt, Vec kappa, Mask can_gain,
                     Vec& limit) const {
  const Tag d;
  const Vec zero = hn::Zero(d);
  const Vec two = hn::Set(d, 2.0);
  const Vec slope = hn::Mul(beta, tilt.variance);  // dK / dbeta
  const Vec root = hn::Sqrt(hn::Mul(kappa, tilt.divergence));
  Vec step = hn::Div(hn::Mul(two, hn::Sub(root, tilt.divergence)), slope);
  // Near the top log(K_max - K) is nearly linear in beta.
  const Vec wanted = hn::Sub(max_divergence_, kappa);
  const Vec left = hn::Sub(max_divergence_, tilt.divergence);
  const Mask is_high = hn::And(
      hn::And(hn::Gt(kappa, hn::Mul(hn::Set(d, 0.5), max_divergence_)),
              hn::Gt(tilt.divergence, hn::Mul(hn::Set(d, 0.25), kappa))),
      hn::Gt(left, zero));
  if (!hn::AllFalse(d, is_high)) {
    const Vec log_ratio = hn::Log(d, hn::Div(left, wanted));
    step =
        hn::IfThenElse(is_high, hn::Mul(log_ratio, hn::Div(left, slope)), step);
  }
  const Vec newton = hn::Add(beta, step);
  const Mask is_bracketed =
      hn::And(hn::Gt(low_, zero), hn::Lt(high_, hn::Set(d, kInfiniteBeta)));
  const Mask is_inside =
      hn::And(hn::And(hn::Gt(newton, low_), hn::Lt(newton, high_)), can_gain);
  const Vec middle = hn::Mul(hn::Sqrt(low_), hn::Sqrt(high_));
  const Vec inside = hn::IfThenElse(is_inside, newton, middle);
  const Mask goes_up = hn::Lt(tilt.divergence, kappa);
  const Vec edge =
      hn::IfThenElse(goes_up, hn::Mul(beta, limit), hn::Div(beta, limit));
  const Mask is_short = hn::And(hn::And(hn::Gt(newton, hn::Div(beta, limit)),
                                        hn::Lt(newton, hn::Mul(beta, limit))),
                                hn::Ne(newton, beta));
  const Vec outside = hn::IfThenElse(is_short, newton, edge);
  limit = hn::IfThenElse(is_bracketed, limit,
                         hn::Min(hn::Mul(limit, limit), hn::Set(d, 1e100)));
  return hn::IfThenElse(is_bracketed, inside, outside);
}

void Group::solve(double radius_per_epsilon) {
  const Tag d;
  const Vec kappa = hn::Set(d, radius_per_epsilon);
  const Vec infinite = hn::Set(d, kInfiniteBeta);
  low_ = hn::Zero(d);
  high_ = infinite;
  if (!(radius_per_epsilon > 0.0)) {
    const Mask is_constant = hn::Eq(range_, hn::Zero(d));
    beta_ = hn::IfThenElseZero(is_constant, infinite);
    return;
  }
  const Mask is_saturated = hn::Ge(kappa, max_divergence_);
  Mask active = hn::Not(is_saturated);
  // K = beta^2 variance / 2 for small beta.
  const Vec start = hn::Sqrt(hn::Div(hn::Set(d, 2.0 * radius_per_epsilon),
                                     hn::Max(variance_, hn::Set(d, 1e-280))));
  Vec beta = hn::IfThenElse(is_saturated, infinite, start);
  Vec limit = hn::Set(d, 4.0);
  Vec last = infinite;
  for (int turn = 0; turn < kMostTurns && !hn::AllFalse(d, active); ++turn) {
    const Mask is_small = hn::Lt(beta, hn::Set(d, kSmallBeta));
    Tilt tilt;
    if (hn::AllFalse(d, hn::And(active, is_small))) {
      tilt = large_tilt(beta);
    } else {
      tilt = small_tilt(hn::Min(beta, hn::Set(d, kSmallBeta)));
      if (!hn::AllFalse(d, hn::AndNot(is_small, active))) {
        const Tilt other = large_tilt(beta);
        const auto pick = [&](Vec a, Vec b) HWY_ATTR {
          return hn::IfThenElse(is_small, a, b);
        };
        tilt.mean = pick(tilt.mean, other.mean);
        tilt.divergence = pick(tilt.divergence, other.divergence);
        tilt.variance = pick(tilt.variance, other.variance);
        tilt.rounding = pick(tilt.rounding, other.rounding);
      }
    }
    const Vec residual = hn::Abs(hn::Sub(tilt.divergence, kappa));
    const Vec enough =
        hn::Max(hn::Mul(kappa, hn::Set(d, kTolerance)), tilt.rounding);
    const Mask is_below = hn::Lt(tilt.divergence, kappa);
    low_ = hn::IfThenElse(is_below, beta, low_);
    high_ = hn::IfThenElse(is_below, high_, beta);
    const Mask is_narrow =
        hn::Le(hn::Sub(high_, low_), hn::Mul(high_, hn::Set(d, 2.0 * kUnit)));
    // Rounding of the log weights grows with beta: no more gain, gap closed.
    const Mask can_gain = hn::Le(residual, hn::Mul(hn::Set(d, 0.5), last));
    const Mask is_stuck =
        hn::And(hn::AndNot(can_gain,
                           hn::Le(residual, hn::Mul(beta, hn::Set(d, 1e-14)))),
                hn::Le(residual, hn::Mul(kappa, hn::Set(d, 1e-9))));
    const Mask is_done =
        hn::Or(hn::Or(hn::Le(residual, enough), is_narrow), is_stuck);
    active = hn::AndNot(is_done, active);
    beta = hn::IfThenElse(active, next_beta(beta, tilt, kappa, can_gain, limit),
                          beta);
    last = residual;
  }
  beta_ = beta;
}

template <typename T>
void Group::store(const RobustRows<T>& rows, const RobustTargets<T>& out,
                  std::size_t first, std::size_t count) {
  const Tag d;
  const Vec zero = hn::Zero(d);
  const Vec one = hn::Set(d, 1.0);
  const Tilt tilt = large_tilt(beta_);
  HWY_ALIGN double lane_values[hn::MaxLanes(Tag())];
  HWY_ALIGN double lane_lambdas[hn::MaxLanes(Tag())];
  const Mask is_saturated = hn::Eq(beta_, hn::Set(d, kInfiniteBeta));
  const Vec steep = hn::Div(range_, hn::Set(d, rows.epsilon));
  const Vec lambda =
      hn::IfThenElseZero(hn::Not(is_saturated), hn::Div(steep, beta_));
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
  if (out.tilted == nullptr && out.cost_gradients == nullptr) return;
  // (q - Q) / beta for small beta, without a difference: see small_tilt.
  const Mask is_small = hn::Lt(beta_, hn::Set(d, kSmallBeta));
  const bool has_small =
      out.cost_gradients != nullptr && !hn::AllFalse(d, is_small);
  const Vec small_beta = hn::Min(beta_, hn::Set(d, kSmallBeta));
  Vec r = zero;  // R / beta
  if (has_small) {
    for (std::size_t k = 0; k < atoms_; ++k) {
      const Vec x = hn::Sub(gain(k), center_);
      const Vec series = exp_series(d, hn::Mul(small_beta, x));
      r = hn::MulAdd(hn::Mul(q(k), hn::Mul(x, x)), series, r);
    }
    r = hn::Mul(r, small_beta);
  }
  const Vec slope = hn::Mul(beta_, hn::Set(d, kLog2E));
  const Vec inverse = hn::Div(one, sum_);
  for (std::size_t k = 0; k < atoms_; ++k) {
    const Vec exponent =
        hn::Sub(hn::MulAdd(slope, gain(k), log2_q(k)), log2_max_);
    const Vec p = hn::Mul(exp2(d, exponent), inverse);
    Vec change = hn::Mul(lambda, hn::Sub(p, q(k)));
    if (has_small) {
      const Vec x = hn::Sub(gain(k), center_);
      const Vec y = hn::Mul(small_beta, x);
      const Vec rise = hn::Mul(x, hn::MulAdd(y, exp_series(d, y), one));
      const Vec exact =
          hn::Mul(hn::Mul(steep, q(k)),
                  hn::Div(hn::Sub(rise, r), hn::MulAdd(small_beta, r, one)));
      change = hn::IfThenElse(is_small, exact, change);
    }
    change = hn::IfThenElseZero(hn::Not(is_saturated), change);
    // The arrays of Q and of log2 Q are no longer needed at k.
    hn::StoreU(p, d, q_ + k * lanes_);
    hn::StoreU(change, d, log2_q_ + k * lanes_);
  }
  for (std::size_t lane = 0; lane < count; ++lane) {
    const std::size_t row = first + lane;
    const double sign = -rows.signs[row];
    for (std::size_t k = 0; k < atoms_; ++k) {
      if (out.tilted != nullptr) {
        out.tilted[row * out.tilted_stride + k] =
            static_cast<T>(q_[k * lanes_ + lane]);
      }
      if (out.cost_gradients != nullptr) {
        out.cost_gradients[row * out.gradient_stride + k] =
            static_cast<T>(sign * log2_q_[k * lanes_ + lane]);
      }
    }
  }
}

template <typename T>
bool solve_rows(const RobustRows<T>& rows, std::size_t first, std::size_t count,
                const RobustTargets<T>& out, double* scratch) {
  const std::size_t lanes = hn::Lanes(Tag());
  const double kappa = rows.radius / rows.epsilon;
  for (std::size_t begin = 0; begin < count; begin += lanes) {
    const std::size_t size = HWY_MIN(lanes, count - begin);
    Group group(rows.atoms, scratch);
    if (!group.load(rows, first + begin, size)) return false;
    if (!group.prepare()) return false;
    group.solve(kappa);
    group.store(rows, out, first + begin, size);
  }
  return true;
}

bool solve_rows_float(const RobustRows<float>& rows, std::size_t first,
                      std::size_t count, const RobustTargets<float>& out,
                      double* scratch) {
  return solve_rows(rows, first, count, out, scratch);
}
bool solve_rows_double(const RobustRows<double>& rows, std::size_t first,
                       std::size_t count, const RobustTargets<double>& out,
                       double* scratch) {
  return solve_rows(rows, first, count, out, scratch);
}
std::size_t scratch_per_atom() { return kArrays * hn::Lanes(Tag()); }

}  // namespace HWY_NAMESPACE
}  // namespace sbog::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sbog::detail {
HWY_EXPORT(solve_rows_float);
HWY_EXPORT(solve_rows_double);
HWY_EXPORT(scratch_per_atom);

template <>
bool solve_robust_rows(const RobustRows<float>& rows, std::size_t first,
                       std::size_t count, const RobustTargets<float>& out,
                       double* scratch) {
  return HWY_DYNAMIC_DISPATCH(solve_rows_float)(rows, first, count, out,
                                                scratch);
}
template <>
bool solve_robust_rows(const RobustRows<double>& rows, std::size_t first,
                       std::size_t count, const RobustTargets<double>& out,
                       double* scratch) {
  return HWY_DYNAMIC_DISPATCH(solve_rows_double)(rows, first, count, out,
                                                 scratch);
}
std::size_t robust_scratch() {
  return HWY_DYNAMIC_DISPATCH(scratch_per_atom)();
}

}  // namespace sbog::detail
#endif  // HWY_ONCE
