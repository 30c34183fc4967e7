// SPDX-License-Identifier: Apache-2.0
// Exponentials and logarithms of many numbers at once, compiled for every SIMD
// target. A number gives the same bits wherever it stands in the span.
#pragma once

#include <span>

namespace sbog::detail {

/// x <- exp(x) for every x <= 0; below about -700 it gives 0.
void exponentials(std::span<double> values);

/// x <- log(x) for every finite x > 0.
void logarithms(std::span<double> values);

}  // namespace sbog::detail
