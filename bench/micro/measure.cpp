// SPDX-License-Identifier: Apache-2.0
// Implementation of measure.h.
#include "measure.h"

#include <barrier>
#include <functional>
#include <thread>
#include <vector>

#include "hardware_limits.h"

namespace sbog::bench {
namespace {

constexpr std::size_t kSlices = 12;

// Best rate of `threads` threads that begin every slice together. A slice ends
// with its slowest thread. `slice` returns the operations it has done.
double best_rate(std::size_t threads, const std::function<double()>& slice) {
  std::barrier line(static_cast<std::ptrdiff_t>(threads));
  const auto helper = [&] {
    for (std::size_t s = 0; s < kSlices; ++s) {
      line.arrive_and_wait();
      slice();
      line.arrive_and_wait();
    }
  };
  std::vector<std::jthread> helpers;
  for (std::size_t t = 1; t < threads; ++t) helpers.emplace_back(helper);
  BestTime best;
  double operations = 0.0;
  for (std::size_t s = 0; s < kSlices; ++s) {
    line.arrive_and_wait();
    best.run([&] {
      operations = slice();
      line.arrive_and_wait();
    });
  }
  return operations * static_cast<double>(threads) / best.seconds();
}

}  // namespace

// Slices last about ten milliseconds: long beside starting them, short enough
// that some run undisturbed.
double fma_peak(std::size_t threads) {
  return best_rate(threads, [] { return run_fma_peak(4'000'000); });
}

double exp_limit(std::size_t threads) {
  return best_rate(threads, [] { return run_exp_limit(40'000); });
}

}  // namespace sbog::bench
