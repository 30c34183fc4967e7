// SPDX-License-Identifier: Apache-2.0
// A short name for a long one.
#pragma once

#include <limits>

namespace sbog {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace sbog
