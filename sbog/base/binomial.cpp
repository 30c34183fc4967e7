// SPDX-License-Identifier: Apache-2.0
// Beta quantiles behind binomial.h.
#include "sbog/base/binomial.h"

#include <boost/math/special_functions/beta.hpp>
#include <string>

#include "sbog/base/errors.h"

namespace sbog {

Interval clopper_pearson(std::uint64_t successes, std::uint64_t trials,
                         double level) {
  if (successes > trials) {
    throw InvalidArgument("interval: at most " + std::to_string(trials) +
                          " successes are expected, got " +
                          std::to_string(successes));
  }
  if (!(level > 0.0 && level < 1.0)) {
    throw InvalidArgument("interval: a level in (0, 1) is expected");
  }
  const double tail = 0.5 * (1.0 - level);
  const auto k = static_cast<double>(successes);
  const auto n = static_cast<double>(trials);
  Interval interval;
  if (successes > 0) {
    interval.low = boost::math::ibeta_inv(k, n - k + 1.0, tail);
  }
  if (successes < trials) {
    interval.high = boost::math::ibetac_inv(k + 1.0, n - k, tail);
  }
  return interval;
}

}  // namespace sbog
