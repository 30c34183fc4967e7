// SPDX-License-Identifier: Apache-2.0
// Exact interval for an unknown probability from a count of successes.
#pragma once

#include <cstdint>

namespace sbog {

/// A closed interval.
struct Interval {
  double low = 0.0;
  double high = 1.0;
};

/// Clopper-Pearson: contains the true probability with at least `level`,
/// whatever it is. [0, 1] without trials. Throws InvalidArgument for more
/// successes than trials or a level outside (0, 1).
Interval clopper_pearson(std::uint64_t successes, std::uint64_t trials,
                         double level = 0.95);

}  // namespace sbog
