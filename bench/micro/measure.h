// SPDX-License-Identifier: Apache-2.0
// Best times and rates. A shared machine only ever adds time, so the best of
// several runs is what the code and the hardware can do.
#pragma once

#include <chrono>
#include <cstddef>
#include <limits>

namespace sbog::bench {

/// Remembers the shortest of the runs it has timed.
class BestTime {
 public:
  /// Runs and times `work` once.
  template <class Work>
  void run(const Work& work) {
    const Clock::time_point start = Clock::now();
    work();
    const std::chrono::duration<double> taken = Clock::now() - start;
    if (taken.count() < seconds_) seconds_ = taken.count();
  }
  /// Seconds of the shortest run; infinite before the first.
  double seconds() const { return seconds_; }

 private:
  using Clock = std::chrono::steady_clock;
  double seconds_ = std::numeric_limits<double>::infinity();
};

/// Float operations per second (a fused multiply-add is two) that `threads`
/// threads reach together with nothing but multiply-adds in registers.
double fma_peak(std::size_t threads);

/// Float exponentials per second that `threads` threads reach together over a
/// buffer in the first-level cache.
double exp_limit(std::size_t threads);

}  // namespace sbog::bench
