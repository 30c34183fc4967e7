// SPDX-License-Identifier: Apache-2.0
// Highway implementation of robust_kernel.h; the rows are in
// robust_group-inl.h.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sbog/dro/detail/robust_kernel.cpp"
#include "sbog/dro/detail/robust_kernel.h"

#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "sbog/dro/detail/robust_group-inl.h"
#include "sbog/dro/detail/robust_store-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sbog::detail {
namespace HWY_NAMESPACE {

// Samples across lanes; log2_q serves as memory for the logits.
template <typename T>
bool sample_laws(const RobustSamples<T>& samples, std::size_t first,
                 std::size_t count, double* log2_q, double* q,
                 double* scratch) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t atoms = samples.atoms;
  const Vec absent = hn::Set(d, kAbsentLogit);
  const double slope = kLog2E / samples.epsilon;
  bool is_good = true;
  for (std::size_t begin = first; begin < first + count; begin += lanes) {
    const std::size_t size = HWY_MIN(lanes, first + count - begin);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const std::size_t sample = begin + HWY_MIN(lane, size - 1);
      for (std::size_t k = 0; k < atoms; ++k) {
        const double cost = samples.costs[sample * samples.stride + k];
        is_good &= cost >= 0.0;
        scratch[k * lanes + lane] = samples.log2_weights[k] - slope * cost;
      }
    }
    Vec peak = absent;
    for (std::size_t k = 0; k < atoms; ++k) {
      peak = hn::Max(peak, hn::LoadU(d, scratch + k * lanes));
    }
    is_good &= hn::AllTrue(d, hn::Gt(peak, absent));
    Vec sum = hn::Zero(d);
    for (std::size_t k = 0; k < atoms; ++k) {
      const Vec logit = hn::Max(hn::LoadU(d, scratch + k * lanes), absent);
      const Vec shifted = hn::Sub(logit, peak);
      hn::StoreU(shifted, d, scratch + k * lanes);
      sum = hn::Add(sum, exp2(d, shifted));
    }
    const Vec log2_sum = hn::Mul(hn::Log(d, sum), hn::Set(d, kLog2E));
    double* HWY_RESTRICT weights = scratch + atoms * lanes;
    for (std::size_t k = 0; k < atoms; ++k) {
      const Vec log2 = hn::Sub(hn::LoadU(d, scratch + k * lanes), log2_sum);
      hn::StoreU(log2, d, scratch + k * lanes);
      hn::StoreU(exp2(d, log2), d, weights + k * lanes);
    }
    for (std::size_t lane = 0; lane < size; ++lane) {
      for (std::size_t k = 0; k < atoms; ++k) {
        log2_q[(begin + lane) * atoms + k] = scratch[k * lanes + lane];
        q[(begin + lane) * atoms + k] = weights[k * lanes + lane];
      }
    }
  }
  return is_good;
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
    group.solve(kappa);
    group.store(rows, out, first + begin, size);
  }
  return true;
}

bool sample_laws_float(const RobustSamples<float>& samples, std::size_t first,
                       std::size_t count, double* log2_q, double* q,
                       double* scratch) {
  return sample_laws(samples, first, count, log2_q, q, scratch);
}
bool sample_laws_double(const RobustSamples<double>& samples, std::size_t first,
                        std::size_t count, double* log2_q, double* q,
                        double* scratch) {
  return sample_laws(samples, first, count, log2_q, q, scratch);
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
HWY_EXPORT(sample_laws_float);
HWY_EXPORT(sample_laws_double);
HWY_EXPORT(solve_rows_float);
HWY_EXPORT(solve_rows_double);
HWY_EXPORT(scratch_per_atom);

template <>
bool robust_sample_laws(const RobustSamples<float>& samples, std::size_t first,
                        std::size_t count, double* log2_q, double* q,
                        double* scratch) {
  return HWY_DYNAMIC_DISPATCH(sample_laws_float)(samples, first, count, log2_q,
                                                 q, scratch);
}
template <>
bool robust_sample_laws(const RobustSamples<double>& samples, std::size_t first,
                        std::size_t count, double* log2_q, double* q,
                        double* scratch) {
  return HWY_DYNAMIC_DISPATCH(sample_laws_double)(samples, first, count, log2_q,
                                                  q, scratch);
}
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
