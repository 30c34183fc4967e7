// SPDX-License-Identifier: Apache-2.0
// One vector of rows of robust logits, per Highway target (no include guard
// across targets).
//
// Per lane: losses l are shifted by their maximum and divided by their range,
// so g in [-1, 0]; the tilted law is q ~ Q exp(beta g) with beta = range /
// (lambda eps), and K(beta) = KL(q || Q), which grows, has to reach kappa = r /
// eps. sqrt(K) is nearly linear in beta: Halley on it, inside a bracket. A lane
// that is done keeps its beta, so it does not matter how long the others take.
#if defined(SBOG_DRO_DETAIL_ROBUST_GROUP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SBOG_DRO_DETAIL_ROBUST_GROUP_INL_H_
#undef SBOG_DRO_DETAIL_ROBUST_GROUP_INL_H_
#else
#define SBOG_DRO_DETAIL_ROBUST_GROUP_INL_H_
#endif

// math-inl.h after highway.h.
// clang-format off
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
// clang-format on

#include <limits>

#include "sbog/dro/detail/exp_series-inl.h"
#include "sbog/dro/detail/robust_kernel.h"
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
// From here one more step ends a search: it multiplies the residual by about
// the square of the step, or by the step alone near the top.
constexpr double kLastResidual = 1e-5;
constexpr double kLastStep = 1e-4;
constexpr double kLastNearTop = 1e-2;  // times both
// Above this weight of the top no exponential needs a shift.
constexpr double kSafeTop = 1e-200;
constexpr double kSmallBeta = 0.5;
constexpr double kLargestValue = 1e300;
constexpr double kSmallestRange = 1e-290;  // below it all losses are equal
constexpr double kInfiniteBeta = 1e300;
constexpr int kMostTurns = 120;
constexpr std::size_t kArrays = 4;
// Atoms whose exponentials are computed side by side.
constexpr std::size_t kTogether = HWY_TARGET <= HWY_AVX3 ? 8 : 4;

// What K, its slope and the law are made of, at one beta.
struct Tilt {
  Vec divergence;  // K
  Vec variance;    // of g under q
  Vec third;       // third central moment of g under q
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
        q_(scratch + 2 * atoms * lanes_),
        e_(scratch + 3 * atoms * lanes_) {}

  /// Rows [first, first + count); lanes without a row repeat the last one.
  /// False when a value is not finite or too large.
  template <typename T>
  bool load(const RobustRows<T>& rows, std::size_t first, std::size_t count);
  void solve(double kappa);
  template <typename T>
  void store(const RobustRows<T>& rows, const RobustTargets<T>& out,
             std::size_t first, std::size_t count);

 private:
  HWY_INLINE Vec at(const double* array, std::size_t k) const {
    return hn::LoadU(Tag(), array + k * lanes_);
  }
  HWY_INLINE void put(Vec value, double* array, std::size_t k) const {
    hn::StoreU(value, Tag(), array + k * lanes_);
  }
  void load_laws(const double* log2_q, const double* q, std::size_t classes,
                 std::size_t first, std::size_t count);
  void prepare();
  Tilt large_tilt(Vec beta);
  Tilt small_tilt(Vec beta) const;
  Tilt tilt(Vec beta, Mask active);
  Vec start(Vec kappa) const;
  Vec halley_point(Vec beta, const Tilt& tilt, Vec kappa) const;
  Vec next_beta(Vec beta, Vec guess, Mask goes_up, Mask can_gain,
                Vec& limit) const;
  template <typename T>
  void store_laws(const RobustRows<T>& rows, const RobustTargets<T>& out,
                  std::size_t first, std::size_t count, Vec lambda);

  std::size_t atoms_;
  std::size_t lanes_;
  double* gain_;        // losses, then g
  double* log2_q_;      // log2 Q
  double* q_;           // Q
  double* e_;           // terms of the last large_tilt
  Vec top_;             // largest loss
  Vec bottom_;          // smallest loss
  Vec range_;           // largest less smallest
  Vec center_;          // E_Q[g]
  Vec variance_;        // Var_Q[g]
  Vec third_, fourth_;  // cumulants of g under Q
  Vec max_divergence_;  // -log Q(g = 0)
  Mask needs_shift_;    // Q(g = 0) is tiny
  Vec beta_;            // the solution; 0 nominal, kInfiniteBeta saturated
  Vec low_, high_;      // bracket of beta
  Vec log2_max_, sum_;  // of the last large_tilt
};

// Laws of the rows' samples. Most groups lie within one sample.
void Group::load_laws(const double* log2_q, const double* q,
                      std::size_t classes, std::size_t first,
                      std::size_t count) {
  const Tag d;
  const std::size_t sample = first / classes;
  if ((first + count - 1) / classes == sample) {
    for (std::size_t k = 0; k < atoms_; ++k) {
      put(hn::Set(d, log2_q[sample * atoms_ + k]), log2_q_, k);
      put(hn::Set(d, q[sample * atoms_ + k]), q_, k);
    }
    return;
  }
  for (std::size_t lane = 0; lane < lanes_; ++lane) {
    const std::size_t row = first + HWY_MIN(lane, count - 1);
    const std::size_t from = row / classes * atoms_;
    for (std::size_t k = 0; k < atoms_; ++k) {
      log2_q_[k * lanes_ + lane] = log2_q[from + k];
      q_[k * lanes_ + lane] = q[from + k];
    }
  }
}

template <typename T>
bool Group::load(const RobustRows<T>& rows, std::size_t first,
                 std::size_t count) {
  const Tag d;
  const hn::Rebind<T, Tag> dt;
  using Index = hn::TFromD<hn::RebindToSigned<decltype(dt)>>;
  HWY_ALIGN Index offsets[hn::MaxLanes(Tag())] = {};
  HWY_ALIGN double signs[hn::MaxLanes(Tag())] = {};
  for (std::size_t lane = 0; lane < lanes_; ++lane) {
    const std::size_t used = HWY_MIN(lane, count - 1);
    offsets[lane] = static_cast<Index>(used * rows.value_stride);
    signs[lane] = rows.signs[first + used];
  }
  const auto index = hn::Load(hn::RebindToSigned<decltype(dt)>(), offsets);
  const Vec sign = hn::Load(d, signs);
  const T* HWY_RESTRICT values = rows.values + first * rows.value_stride;
  Vec largest = hn::Zero(d);
  for (std::size_t k = 0; k < atoms_; ++k) {
    const auto stored = hn::GatherIndex(dt, values + k, index);
    Vec value;
    if constexpr (sizeof(T) == sizeof(double)) {
      value = stored;
    } else {
      value = hn::PromoteTo(d, stored);
    }
    // NaN and infinity must not get lost in a maximum.
    const Vec size = hn::Abs(value);
    const Mask is_good = hn::Le(size, hn::Set(d, kLargestValue));
    largest = hn::Max(
        largest, hn::IfThenElse(is_good, size, hn::Set(d, 2 * kLargestValue)));
    put(hn::Mul(value, sign), gain_, k);
  }
  if (!hn::AllTrue(d, hn::Le(largest, hn::Set(d, kLargestValue)))) {
    return false;
  }
  load_laws(rows.log2_q, rows.q, rows.classes, first, count);
  prepare();
  return true;
}

// From losses to gains, and what is known of them under Q.
void Group::prepare() {
  const Tag d;
  const Vec zero = hn::Zero(d);
  const Vec absent = hn::Set(d, 0.1 * kAbsentLogit);
  top_ = hn::Set(d, -kLargestValue);
  bottom_ = hn::Set(d, kLargestValue);
  for (std::size_t k = 0; k < atoms_; ++k) {
    const Mask is_there = hn::Gt(at(log2_q_, k), absent);
    const Vec loss = at(gain_, k);
    top_ = hn::IfThenElse(is_there, hn::Max(top_, loss), top_);
    bottom_ = hn::IfThenElse(is_there, hn::Min(bottom_, loss), bottom_);
  }
  range_ = hn::Sub(top_, bottom_);
  range_ =
      hn::IfThenElseZero(hn::Ge(range_, hn::Set(d, kSmallestRange)), range_);
  const Mask varies = hn::Gt(range_, zero);
  const Vec inverse =
      hn::IfThenElseZero(varies, hn::Div(hn::Set(d, 1.0), range_));
  center_ = zero;
  Vec at_top = zero;
  for (std::size_t k = 0; k < atoms_; ++k) {
    // Atoms off the support may lie above the top.
    const Vec g = hn::Min(hn::Mul(hn::Sub(at(gain_, k), top_), inverse), zero);
    const Vec weight = at(q_, k);
    put(g, gain_, k);
    center_ = hn::MulAdd(weight, g, center_);
    at_top = hn::Add(at_top, hn::IfThenElseZero(hn::Eq(g, zero), weight));
  }
  variance_ = zero;
  third_ = zero;
  fourth_ = zero;
  for (std::size_t k = 0; k < atoms_; ++k) {
    const Vec x = hn::Sub(at(gain_, k), center_);
    const Vec square = hn::Mul(x, x);
    const Vec w = hn::Mul(at(q_, k), square);
    variance_ = hn::Add(variance_, w);
    third_ = hn::MulAdd(w, x, third_);
    fourth_ = hn::MulAdd(w, square, fourth_);
  }
  const Vec normal = hn::Mul(hn::Set(d, 3.0), variance_);
  fourth_ = hn::NegMulAdd(normal, variance_, fourth_);
  needs_shift_ = hn::Lt(at_top, hn::Set(d, kSafeTop));
  Vec log_top = hn::Log(d, at_top);
  if (!hn::AllFalse(d, needs_shift_)) {
    // Where the top has underflown, its logarithm has not.
    static_cast<void>(large_tilt(hn::Set(d, kInfiniteBeta)));
    const Vec exact =
        hn::MulAdd(log2_max_, hn::Set(d, 1.0 / kLog2E), hn::Log(d, sum_));
    log_top = hn::IfThenElse(needs_shift_, exact, log_top);
  }
  max_divergence_ = hn::IfThenElseZero(varies, hn::Max(hn::Neg(log_top), zero));
}

// Central moments from the first, second and third about any point.
HWY_INLINE void set_moments(Tilt& tilt, Vec first, Vec second, Vec third) {
  const Tag d;
  const Vec square = hn::Mul(first, first);
  tilt.variance = hn::Max(hn::Sub(second, square), hn::Zero(d));
  const Vec inner =
      hn::MulSub(hn::Set(d, 2.0), square, hn::Mul(hn::Set(d, 3.0), second));
  tilt.third = hn::MulAdd(first, inner, third);
}

Tilt Group::large_tilt(Vec beta) {
  const Tag d;
  const Vec slope = hn::Mul(beta, hn::Set(d, kLog2E));
  Vec max = hn::Zero(d);
  if (!hn::AllFalse(d, needs_shift_)) {
    Vec largest = hn::Set(d, kAbsentLogit);
    for (std::size_t k = 0; k < atoms_; ++k) {
      largest =
          hn::Max(largest, hn::MulAdd(slope, at(gain_, k), at(log2_q_, k)));
    }
    max = hn::IfThenElseZero(needs_shift_, largest);
  }
  Vec s0 = hn::Zero(d);
  Vec s1 = hn::Zero(d);
  Vec s2 = hn::Zero(d);
  const auto exponent = [&](std::size_t k) HWY_ATTR {
    return hn::Sub(hn::MulAdd(slope, at(gain_, k), at(log2_q_, k)), max);
  };
  Vec s3 = hn::Zero(d);
  const auto add = [&](Vec e, std::size_t k) HWY_ATTR {
    const Vec g = at(gain_, k);
    const Vec eg = hn::Mul(e, g);
    const Vec egg = hn::Mul(eg, g);
    put(e, e_, k);
    s0 = hn::Add(s0, e);
    s1 = hn::Add(s1, eg);
    s2 = hn::Add(s2, egg);
    s3 = hn::MulAdd(egg, g, s3);
  };
  std::size_t k = 0;
  for (; k + kTogether <= atoms_; k += kTogether) {
    Vec e[kTogether];
    for (std::size_t i = 0; i < kTogether; ++i) e[i] = exponent(k + i);
    exp2<kTogether>(d, e);
    for (std::size_t i = 0; i < kTogether; ++i) add(e[i], k + i);
  }
  for (; k < atoms_; ++k) add(exp2(d, exponent(k)), k);
  log2_max_ = max;
  sum_ = s0;
  const Vec inverse = hn::Div(hn::Set(d, 1.0), s0);
  const Vec log_s = hn::MulAdd(max, hn::Set(d, 1.0 / kLog2E), hn::Log(d, s0));
  Tilt tilt;
  tilt.mean = hn::Mul(s1, inverse);
  tilt.divergence = hn::Max(hn::MulSub(beta, tilt.mean, log_s), hn::Zero(d));
  set_moments(tilt, tilt.mean, hn::Mul(s2, inverse), hn::Mul(s3, inverse));
  tilt.rounding = hn::Mul(hn::Abs(log_s), hn::Set(d, 4.0 * kUnit));
  return tilt;
}

// About the mean, so that nothing cancels: with x = g - center, y = beta x and
// R = E_Q[exp(y) - 1 - y], K = E_Q[y (exp(y) - 1)] / (1 + R) - log(1 + R).
Tilt Group::small_tilt(Vec beta) const {
  const Tag d;
  const Vec one = hn::Set(d, 1.0);
  Vec s0 = hn::Zero(d);
  Vec s1 = hn::Zero(d);
  Vec s2 = hn::Zero(d);
  Vec s3 = hn::Zero(d);
  for (std::size_t k = 0; k < atoms_; ++k) {
    const Vec x = hn::Sub(at(gain_, k), center_);
    const Vec y = hn::Mul(beta, x);
    const Vec series = exp_series(d, y);
    const Vec w = hn::Mul(at(q_, k), hn::Mul(x, x));
    const Vec u = hn::MulAdd(y, series, one);
    s0 = hn::MulAdd(w, series, s0);
    s1 = hn::MulAdd(w, u, s1);
    const Vec risen = hn::Mul(w, hn::MulAdd(y, u, one));
    s2 = hn::Add(s2, risen);
    s3 = hn::MulAdd(risen, x, s3);
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
  set_moments(tilt, shift, hn::Mul(s2, inverse), hn::Mul(s3, inverse));
  tilt.rounding = hn::Zero(d);
  return tilt;
}

// The one of the two that is exact for each active lane.
Tilt Group::tilt(Vec beta, Mask active) {
  const Tag d;
  const Mask is_small = hn::Lt(beta, hn::Set(d, kSmallBeta));
  if (hn::AllFalse(d, hn::And(active, is_small))) return large_tilt(beta);
  Tilt found = small_tilt(hn::Min(beta, hn::Set(d, kSmallBeta)));
  if (hn::AllFalse(d, hn::AndNot(is_small, active))) return found;
  const Tilt other = large_tilt(beta);
  found.mean = hn::IfThenElse(is_small, found.mean, other.mean);
  found.divergence =
      hn::IfThenElse(is_small, found.divergence, other.divergence);
  found.variance = hn::IfThenElse(is_small, found.variance, other.variance);
  found.third = hn::IfThenElse(is_small, found.third, other.third);
  found.rounding = hn::IfThenElse(is_small, found.rounding, other.rounding);
  return found;
}

// Halley's step on sqrt(K): with r = (sqrt(K) - sqrt(kappa)) / sqrt(K)', V and
// T the second and third moments, K' = beta V and K'' = V + beta T,
//   step = -r / (1 - (r / 2) (1 / beta + T / V - beta V / (2 K))).
Vec Group::halley_point(Vec beta, const Tilt& tilt, Vec kappa) const {
  const Tag d;
  const Vec one = hn::Set(d, 1.0);
  const Vec half = hn::Set(d, 0.5);
  const Vec slope = hn::Mul(beta, tilt.variance);  // dK / dbeta
  const Vec root = hn::Sqrt(hn::Mul(kappa, tilt.divergence));
  const Vec excess = hn::Sub(tilt.divergence, root);
  // One division for three: a division costs as much as ten products.
  const Vec both = hn::Mul(slope, tilt.divergence);
  const Vec inverse = hn::Div(one, hn::Mul(both, beta));
  const Vec per_beta = hn::Mul(inverse, both);
  const Vec shared = hn::Mul(inverse, beta);
  const Vec per_slope = hn::Mul(shared, tilt.divergence);
  const Vec per_divergence = hn::Mul(shared, slope);
  const Vec r = hn::Mul(hn::Add(excess, excess), per_slope);
  // |T| <= V, because g spans 1; rounding may say otherwise.
  const Vec skew = hn::Clamp(hn::Mul(hn::Mul(tilt.third, beta), per_slope),
                             hn::Set(d, -1.0), one);
  const Vec bend = hn::NegMulAdd(half, hn::Mul(slope, per_divergence),
                                 hn::Add(per_beta, skew));
  const Vec divisor = hn::Clamp(hn::NegMulAdd(hn::Mul(half, r), bend, one),
                                half, hn::Set(d, 2.0));
  Vec step = hn::Neg(hn::Div(r, divisor));
  // Near the top log(K_max - K) is nearly linear in beta.
  const Vec wanted = hn::Sub(max_divergence_, kappa);
  const Vec left = hn::Sub(max_divergence_, tilt.divergence);
  const Mask is_high = hn::And(
      hn::And(hn::Gt(kappa, hn::Mul(hn::Set(d, 0.5), max_divergence_)),
              hn::Gt(tilt.divergence, hn::Mul(hn::Set(d, 0.25), kappa))),
      hn::Gt(left, hn::Zero(d)));
  if (!hn::AllFalse(d, is_high)) {
    const Vec log_ratio = hn::Log(d, hn::Div(left, wanted));
    step =
        hn::IfThenElse(is_high, hn::Mul(log_ratio, hn::Div(left, slope)), step);
  }
  return hn::Add(beta, step);
}

// The given point where it stays inside the bracket and gains, else the
// geometric mean of the bracket; while there is no bracket, steps by a factor
// of at most `limit`, which grows.
Vec Group::next_beta(Vec beta, Vec guess, Mask goes_up, Mask can_gain,
                     Vec& limit) const {
  const Tag d;
  const Mask is_bracketed = hn::And(hn::Gt(low_, hn::Zero(d)),
                                    hn::Lt(high_, hn::Set(d, kInfiniteBeta)));
  const Mask is_inside =
      hn::And(hn::And(hn::Gt(guess, low_), hn::Lt(guess, high_)), can_gain);
  Vec inside = guess;
  if (!hn::AllTrue(d, is_inside)) {
    const Vec middle = hn::Mul(hn::Sqrt(low_), hn::Sqrt(high_));
    inside = hn::IfThenElse(is_inside, guess, middle);
  }
  const Vec most = hn::Mul(beta, limit);
  const Mask is_short =
      hn::And(hn::And(hn::Gt(hn::Mul(guess, limit), beta), hn::Lt(guess, most)),
              hn::Ne(guess, beta));
  Vec outside = guess;
  if (!hn::AllTrue(d, is_short)) {
    const Vec edge = hn::IfThenElse(goes_up, most, hn::Div(beta, limit));
    outside = hn::IfThenElse(is_short, guess, edge);
  }
  limit = hn::IfThenElse(is_bracketed, limit,
                         hn::Min(hn::Mul(limit, limit), hn::Set(d, 1e100)));
  return hn::IfThenElse(is_bracketed, inside, outside);
}

// K = beta^2 c2 / 2 + beta^3 c3 / 3 + beta^4 c4 / 8 + ... with the cumulants of
// g under Q, turned round: beta = b (1 - a b + (5 a^2 / 2 - c4 / (8 c2)) b^2)
// with b = sqrt(2 kappa / c2) and a = c3 / (3 c2).
Vec Group::start(Vec kappa) const {
  const Tag d;
  const Vec one = hn::Set(d, 1.0);
  const Vec inverse = hn::Div(one, hn::Max(variance_, hn::Set(d, 1e-280)));
  const Vec b = hn::Sqrt(hn::Mul(hn::Add(kappa, kappa), inverse));
  const Vec a = hn::Mul(hn::Mul(third_, inverse), hn::Set(d, 1.0 / 3.0));
  const Vec c = hn::NegMulAdd(hn::Mul(fourth_, inverse), hn::Set(d, 0.125),
                              hn::Mul(hn::Mul(a, a), hn::Set(d, 2.5)));
  const Vec factor = hn::MulAdd(b, hn::MulSub(b, c, a), one);
  const Mask is_sane =
      hn::And(hn::Gt(factor, hn::Set(d, 0.3)), hn::Lt(factor, hn::Set(d, 3.0)));
  return hn::IfThenElse(is_sane, hn::Mul(b, factor), b);
}

void Group::solve(double radius_per_epsilon) {
  const Tag d;
  const Vec kappa = hn::Set(d, radius_per_epsilon);
  const Vec infinite = hn::Set(d, kInfiniteBeta);
  low_ = hn::Zero(d);
  high_ = infinite;
  if (!(radius_per_epsilon > 0.0)) {
    beta_ = hn::IfThenElseZero(hn::Eq(range_, hn::Zero(d)), infinite);
    return;
  }
  const Mask is_saturated = hn::Ge(kappa, max_divergence_);
  Mask active = hn::Not(is_saturated);
  Vec beta = hn::IfThenElse(is_saturated, infinite, start(kappa));
  Vec limit = hn::Set(d, 4.0);
  Vec last = infinite;
  const auto times = [&](Vec v, double c)
                         HWY_ATTR { return hn::Mul(v, hn::Set(d, c)); };
  const Vec care = hn::IfThenElse(hn::Gt(kappa, times(max_divergence_, 0.5)),
                                  hn::Set(d, kLastNearTop), hn::Set(d, 1.0));
  for (int turn = 0; turn < kMostTurns && !hn::AllFalse(d, active); ++turn) {
    const Tilt found = tilt(beta, active);
    const Vec residual = hn::Abs(hn::Sub(found.divergence, kappa));
    const Mask is_below = hn::Lt(found.divergence, kappa);
    low_ = hn::IfThenElse(is_below, beta, low_);
    high_ = hn::IfThenElse(is_below, high_, beta);
    const Mask is_narrow =
        hn::Le(hn::Sub(high_, low_), times(high_, 2.0 * kUnit));
    // Rounding of the log weights grows with beta: no more gain, gap closed.
    const Mask can_gain = hn::Le(residual, times(last, 0.5));
    const Mask is_stuck =
        hn::And(hn::AndNot(can_gain, hn::Le(residual, times(beta, 1e-14))),
                hn::Le(residual, times(kappa, 1e-9)));
    const Mask is_exact =
        hn::Le(residual, hn::Max(times(kappa, kTolerance), found.rounding));
    const Mask is_done = hn::Or(hn::Or(is_exact, is_narrow), is_stuck);
    active = hn::AndNot(is_done, active);
    if (hn::AllFalse(d, active)) break;
    const Vec guess = halley_point(beta, found, kappa);
    const Vec next = next_beta(beta, guess, is_below, can_gain, limit);
    // After a step h from a residual e, the residual is of the order of
    // e h^2 (1 + 1 / beta)^2.
    const Vec step = hn::Abs(hn::Sub(guess, beta));
    const Mask is_last = hn::And(
        hn::And(hn::Le(residual, hn::Mul(times(kappa, kLastResidual), care)),
                hn::Le(hn::MulAdd(step, beta, step),
                       hn::Mul(times(beta, kLastStep), care))),
        hn::Eq(next, guess));
    beta = hn::IfThenElse(active, next, beta);
    active = hn::AndNot(is_last, active);
    last = residual;
  }
  beta_ = beta;
}

}  // namespace HWY_NAMESPACE
}  // namespace sbog::detail
HWY_AFTER_NAMESPACE();
#endif  // SBOG_DRO_DETAIL_ROBUST_GROUP_INL_H_
