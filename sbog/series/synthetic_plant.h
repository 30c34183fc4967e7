// SPDX-License-Identifier: Apache-2.0
// A made-up pumping plant for examples and tests: twelve channels that hang
// together, sampled once a minute.
//
// A slow load drives the pump; flow and pressures follow speed and valve;
// temperatures follow the load with lags; vibration grows with speed; a tank is
// filled by the flow and drained by demand under control; the mode is a switch
// with three positions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sbog/series/series.h"

namespace sbog {

/// Rows of the plant from its first minute on; a longer series begins with the
/// shorter one. Noise is drawn from Philox keyed by (seed, channel, row).
/// Throws InvalidArgument for no rows, or for 2^32 or more.
Series synthetic_plant(std::size_t rows, std::uint64_t seed);

}  // namespace sbog
