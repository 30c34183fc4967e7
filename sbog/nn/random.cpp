// SPDX-License-Identifier: Apache-2.0
// Streams of training; see random.h.
#include "sbog/nn/random.h"

#include <numeric>
#include <span>
#include <utility>

#include "sbog/base/checksum.h"
#include "sbog/base/errors.h"
#include "sbog/base/philox.h"

namespace sbog::nn {

Draws::Draws(std::uint64_t seed, Purpose purpose, std::uint64_t index)
    : key_{static_cast<std::uint32_t>(seed),
           static_cast<std::uint32_t>(seed >> 32)},
      counter_{static_cast<std::uint32_t>(index),
               PhiloxStream::kReservedClass << 16,
               static_cast<std::uint32_t>(index >> 32) << 16,
               static_cast<std::uint32_t>(purpose)} {}

std::uint64_t Draws::bits() {
  if (has_bits_) {
    has_bits_ = false;
    return spare_bits_;
  }
  // Words 1 and 2 together count the blocks: 16 bits in word 2 and, for long
  // streams, the low half of word 1.
  const PhiloxBlock block = philox4x32(counter_, key_);
  ++counter_[2];
  if ((counter_[2] & 0xFFFFU) == 0) {
    counter_[2] -= 0x10000U;
    ++counter_[1];
  }
  spare_bits_ = block.high64();
  has_bits_ = true;
  return block.low64();
}

double Draws::uniform() { return to_uniform(bits()); }

std::size_t Draws::below(std::size_t count) {
  SBOG_ASSERT(count > 0);
  // The high word of a 64 x 64 product; its bias is below count / 2^64.
  const std::uint64_t value = bits();
  const std::uint64_t low = (value & 0xFFFFFFFFU) * count;
  const std::uint64_t high = (value >> 32) * count;
  return static_cast<std::size_t>((high + (low >> 32)) >> 32);
}

double Draws::normal() {
  if (has_normal_) {
    has_normal_ = false;
    return spare_normal_;
  }
  const double first = uniform();
  const std::array<double, 2> pair = box_muller(first, uniform());
  spare_normal_ = pair[1];
  has_normal_ = true;
  return pair[0];
}

std::vector<std::size_t> shuffled_order(std::size_t count, std::uint64_t seed,
                                        std::uint64_t epoch) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Draws draws(seed, Purpose::kShuffle, epoch);
  for (std::size_t i = count; i > 1; --i) {
    std::swap(order[i - 1], order[draws.below(i)]);
  }
  return order;
}

std::uint64_t stream_of_name(std::string_view name) {
  return checksum(std::as_bytes(std::span(name))) & 0xFFFFFFFFFFFFU;
}

}  // namespace sbog::nn
