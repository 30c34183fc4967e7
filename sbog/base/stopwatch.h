// SPDX-License-Identifier: Apache-2.0
// Seconds of wall time since an object was made.
#pragma once

#include <chrono>

namespace sbog {

/// Starts when it is made.
class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace sbog
