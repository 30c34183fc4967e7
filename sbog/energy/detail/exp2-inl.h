// SPDX-License-Identifier: Apache-2.0
// 2^x for SIMD vectors, per Highway target (no include guard across targets).
//
// x = n + f with n integer and |f| <= 1/2; 2^f by a polynomial fitted to the
// smallest largest relative error with constant term 1: 4.4e-7 for float
// (degree 5), 2e-17 for double (degree 11).
#if defined(SBOG_ENERGY_DETAIL_EXP2_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SBOG_ENERGY_DETAIL_EXP2_INL_H_
#undef SBOG_ENERGY_DETAIL_EXP2_INL_H_
#else
#define SBOG_ENERGY_DETAIL_EXP2_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <iterator>

HWY_BEFORE_NAMESPACE();
namespace sbog::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Highest power first; the constant term is 1.
template <typename T>
struct Exp2Coefficients;
template <>
struct Exp2Coefficients<float> {
  static constexpr float kValues[] = {
      1.1125509263544020e-3f, 9.6662825474932290e-3f, 5.5574004686395205e-2f,
      2.4022350650173076e-1f, 6.9314283061102996e-1f, 1.0f};
};
template <>
struct Exp2Coefficients<double> {
  static constexpr double kValues[] = {
      4.0780719295883367e-10, 7.0725704128144235e-9, 1.0180647659234139e-7,
      1.3215442675329822e-6,  1.5252727385193868e-5, 1.5403530441572130e-4,
      1.3333558153439965e-3,  9.6181291076070024e-3, 5.5504108664790395e-2,
      2.4022650695910098e-1,  6.9314718055994570e-1, 1.0};
};

/// What happens below the range of normal numbers.
enum class Underflow {
  kNever,  ///< the caller knows that it cannot happen, or that far below it the
           ///< result is 0 (in between, results may be subnormal and slow)
  kToZero  ///< exactly 0
};

// p * 2^n for integral n.
#if HWY_TARGET <= HWY_AVX3
template <Underflow kUnderflow>
HWY_INLINE hn::Vec512<float> scale_by_power(hn::Full512<float> /*d*/,
                                            hn::Vec512<float> p,
                                            hn::Vec512<float> n) {
  if constexpr (kUnderflow == Underflow::kNever) {
    return hn::Vec512<float>{_mm512_scalef_ps(p.raw, n.raw)};
  } else {
    const __mmask16 is_normal =
        _mm512_cmp_ps_mask(n.raw, _mm512_set1_ps(-126.0f), _CMP_GE_OQ);
    return hn::Vec512<float>{_mm512_maskz_scalef_ps(is_normal, p.raw, n.raw)};
  }
}
template <Underflow kUnderflow>
HWY_INLINE hn::Vec512<double> scale_by_power(hn::Full512<double> /*d*/,
                                             hn::Vec512<double> p,
                                             hn::Vec512<double> n) {
  if constexpr (kUnderflow == Underflow::kNever) {
    return hn::Vec512<double>{_mm512_scalef_pd(p.raw, n.raw)};
  } else {
    const __mmask8 is_normal =
        _mm512_cmp_pd_mask(n.raw, _mm512_set1_pd(-1022.0), _CMP_GE_OQ);
    return hn::Vec512<double>{_mm512_maskz_scalef_pd(is_normal, p.raw, n.raw)};
  }
}
#endif

template <Underflow kUnderflow, class D, class V>
HWY_INLINE V scale_by_power(D d, V p, V n) {
  using T = hn::TFromD<D>;
  const hn::RebindToSigned<D> di;
  constexpr int kMantissa = sizeof(T) == 4 ? 23 : 52;
  const V lowest = hn::Set(d, sizeof(T) == 4 ? T(-126) : T(-1022));
  const auto is_normal = hn::Ge(n, lowest);
  const auto exponent = hn::ConvertTo(di, hn::IfThenElseZero(is_normal, n));
  const auto bits =
      hn::Add(hn::BitCast(di, p), hn::ShiftLeft<kMantissa>(exponent));
  return hn::IfThenElseZero(is_normal, hn::BitCast(d, bits));
}

/// x[i] <- 2^x[i] for kCount vectors at once: written step by step so that
/// their latencies overlap. x <= 127 (float) or 1023 (double).
template <std::size_t kCount, Underflow kUnderflow = Underflow::kToZero,
          class D, class V = hn::Vec<D>>
HWY_INLINE void exp2(D d, V* HWY_RESTRICT x) {
  using Coefficients = Exp2Coefficients<hn::TFromD<D>>;
  V n[kCount];
  V p[kCount];
  for (std::size_t i = 0; i < kCount; ++i) n[i] = hn::Round(x[i]);
  for (std::size_t i = 0; i < kCount; ++i) {
    x[i] = hn::Sub(x[i], n[i]);
    p[i] = hn::Set(d, Coefficients::kValues[0]);
  }
  for (std::size_t c = 1; c < std::size(Coefficients::kValues); ++c) {
    const V next = hn::Set(d, Coefficients::kValues[c]);
    for (std::size_t i = 0; i < kCount; ++i) {
      p[i] = hn::MulAdd(p[i], x[i], next);
    }
  }
  for (std::size_t i = 0; i < kCount; ++i) {
    x[i] = scale_by_power<kUnderflow>(d, p[i], n[i]);
  }
}

template <Underflow kUnderflow = Underflow::kToZero, class D,
          class V = hn::Vec<D>>
HWY_INLINE V exp2(D d, V x) {
  exp2<1, kUnderflow>(d, &x);
  return x;
}

}  // namespace HWY_NAMESPACE
}  // namespace sbog::detail
HWY_AFTER_NAMESPACE();
#endif  // SBOG_ENERGY_DETAIL_EXP2_INL_H_
