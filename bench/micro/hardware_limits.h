// SPDX-License-Identifier: Apache-2.0
// What the hardware allows one thread: fused multiply-adds and exponentials
// per second, measured with the same SIMD target as the kernels.
#pragma once

#include <cstddef>

namespace sbog::bench {

/// Runs `rounds` dependent rounds of register-only fused multiply-adds and
/// returns the number of floating-point operations done.
double run_fma_peak(std::size_t rounds);

/// Adds exp(x) over a buffer that stays in L1, `rounds` times, with the
/// kernels' own exponential; returns the number of exponentials done.
double run_exp_limit(std::size_t rounds);

}  // namespace sbog::bench
