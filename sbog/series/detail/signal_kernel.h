// SPDX-License-Identifier: Apache-2.0
// The inner loops behind the signals, compiled for every SIMD target. Lanes run
// over channels, so the order of every sum is fixed.
#pragma once

#include <cstddef>
#include <span>

namespace sbog::detail {

/// sums[k] += sum_p factors[p] * table[p][k]; the table has one row of
/// sums.size() numbers per factor, one after the other.
void add_scaled_rows(std::span<const double> factors, const double* table,
                     std::span<double> sums);

/// out[c] = standard deviation (divisor: number of rows) over rows[.][c]. In
/// double: the sum of equal floats is then exact and a flat window has
/// deviation 0.
void deviations(std::span<const float* const> rows, std::span<float> out);

}  // namespace sbog::detail
