// SPDX-License-Identifier: Apache-2.0
// A sum that remembers what rounding took away (Neumaier).
#pragma once

#include <cmath>

namespace sbog::detail {

/// Error of the total: two roundings, whatever the number of terms. An infinite
/// term gives an infinite total.
class CompensatedSum {
 public:
  void add(double term) {
    const double next = sum_ + term;
    if (std::isfinite(next)) {
      rest_ += std::abs(sum_) >= std::abs(term) ? (sum_ - next) + term
                                                : (term - next) + sum_;
    }
    sum_ = next;
  }
  double total() const { return sum_ + rest_; }

 private:
  double sum_ = 0.0;
  double rest_ = 0.0;
};

}  // namespace sbog::detail
