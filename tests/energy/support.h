// SPDX-License-Identifier: Apache-2.0
// Helpers of the energy tests: SIMD targets one by one, messages of errors,
// observers and comparison of bits.
#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "oracle/calls.h"
#include "sbog/base/errors.h"
#include "sbog/base/progress.h"

namespace sbog::testing_support {

/// The targets that the kernel may use on this CPU; 0 is the scalar twin.
inline std::vector<std::int64_t> simd_targets() {
  std::vector<std::int64_t> targets;
  for (const std::int64_t target : {HWY_AVX3, HWY_AVX2, HWY_SSE4}) {
    if ((hwy::SupportedTargets() & target) != 0) targets.push_back(target);
  }
  targets.push_back(0);
  return targets;
}

/// Restricts the kernel to one target as long as it lives.
class UseTarget {
 public:
  explicit UseTarget(std::int64_t target) {
    hwy::GetChosenTarget().Update(target);
  }
  UseTarget(const UseTarget&) = delete;
  UseTarget& operator=(const UseTarget&) = delete;
  ~UseTarget() { hwy::GetChosenTarget().Update(hwy::SupportedTargets()); }
};

/// Remembers the last report and whether any was out of range.
class Watch : public Observer {
 public:
  bool on_progress(std::uint64_t done, std::uint64_t total) override {
    is_in_range = is_in_range && done <= total && done >= last_done;
    last_done = done;
    last_total = total;
    return true;
  }
  std::uint64_t last_done = 0;
  std::uint64_t last_total = 0;
  bool is_in_range = true;
};

/// The bits of each value, so that EXPECT_EQ compares them exactly.
inline std::vector<std::uint64_t> bits_of(const std::vector<double>& values) {
  std::vector<std::uint64_t> bits;
  for (const double value : values) {
    bits.push_back(std::bit_cast<std::uint64_t>(value));
  }
  return bits;
}

}  // namespace sbog::testing_support
