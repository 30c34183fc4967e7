// SPDX-License-Identifier: Apache-2.0
// Three passes of eleven bits; see radix_sort.h.
#include "sbog/series/detail/radix_sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace sbog::detail {
namespace {

constexpr unsigned kBits = 11;
constexpr std::size_t kBins = std::size_t{1} << kBits;
constexpr std::size_t kPasses = 3;
constexpr std::uint32_t kSign = 0x80000000U;
// Below this, counting the bins costs more than comparing.
constexpr std::size_t kFewest = 512;

std::size_t digit(std::uint32_t key, std::size_t pass) {
  return (key >> (pass * kBits)) & (kBins - 1);
}

}  // namespace

void radix_sort(std::span<float> values) {
  if (values.size() < kFewest) {
    std::sort(values.begin(), values.end());
    return;
  }
  // Keys that order as whole numbers the way the floats order: the sign bit
  // turned for positive numbers, all bits for negative ones.
  std::vector<std::uint32_t> keys(values.size());
  std::vector<std::uint32_t> sorted(values.size());
  std::array<std::array<std::size_t, kBins>, kPasses> places{};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(values[i]);
    keys[i] = (bits & kSign) != 0 ? ~bits : bits | kSign;
    for (std::size_t p = 0; p < kPasses; ++p) ++places[p][digit(keys[i], p)];
  }
  for (std::size_t p = 0; p < kPasses; ++p) {
    std::size_t before = 0;
    for (std::size_t& place : places[p]) {
      before += std::exchange(place, before);
    }
    for (const std::uint32_t key : keys) {
      sorted[places[p][digit(key, p)]++] = key;
    }
    keys.swap(sorted);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint32_t key = keys[i];
    values[i] = std::bit_cast<float>((key & kSign) != 0 ? key & ~kSign : ~key);
  }
}

}  // namespace sbog::detail
