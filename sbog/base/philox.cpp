// SPDX-License-Identifier: Apache-2.0
// Philox streams on top of Random123.
#include "sbog/base/philox.h"

#include <Random123/philox.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "sbog/base/errors.h"

#undef philox4x32  // Random123 has a macro of this name

namespace sbog {
namespace {

constexpr std::uint32_t kAnchorDraw = 0xFFFFFFFFu;
constexpr std::uint32_t kPickDraw = 0xFFFFFFFEu;

void require(bool condition, const char* expected, std::uint64_t got) {
  if (condition) return;
  throw InvalidArgument(std::string("PhiloxStream: expected ") + expected +
                        ", got " + std::to_string(got));
}

/// floor(a * b / 2^64), the product taken in 128 bits by 32-bit halves.
std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kMask = 0xFFFFFFFFu;
  const std::uint64_t low = (a & kMask) * (b & kMask);
  const std::uint64_t cross1 = (a >> 32) * (b & kMask) + (low >> 32);
  const std::uint64_t cross2 = (a & kMask) * (b >> 32) + (cross1 & kMask);
  return (a >> 32) * (b >> 32) + (cross1 >> 32) + (cross2 >> 32);
}

}  // namespace

PhiloxBlock philox4x32(std::array<std::uint32_t, 4> counter,
                       std::array<std::uint32_t, 2> key) {
  const philox4x32_ctr_t in = {
      {counter[0], counter[1], counter[2], counter[3]}};
  const philox4x32_key_t in_key = {{key[0], key[1]}};
  const philox4x32_ctr_t out = philox4x32_R(10, in, in_key);
  return {{out.v[0], out.v[1], out.v[2], out.v[3]}};
}

double to_uniform(std::uint64_t bits) {
  return (static_cast<double>(bits >> 11) + 0.5) * 0x1.0p-53;
}

std::array<double, 2> box_muller(double u1, double u2) {
  const double radius = std::sqrt(-2.0 * std::log(u1));
  const double angle = 2.0 * std::numbers::pi * u2;
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

PhiloxStream::PhiloxStream(std::uint64_t seed, std::uint32_t cls,
                           std::uint32_t round, std::uint64_t k)
    : key_{static_cast<std::uint32_t>(seed),
           static_cast<std::uint32_t>(seed >> 32)} {
  require(cls < kReservedClass, "class < 65535", cls);
  require(round < 65536, "round < 65536", round);
  require(k <= std::numeric_limits<std::uint32_t>::max(), "k < 2^32", k);
  k_ = static_cast<std::uint32_t>(k);
  class_round_ = cls * 65536 + round;
}

PhiloxBlock PhiloxStream::block(std::uint32_t j, std::uint32_t block) const {
  return philox4x32({k_, class_round_, j, block}, key_);
}

template <typename T>
void PhiloxStream::fill_normals(std::uint32_t j, std::span<T> out) const {
  require(j < kPickDraw, "j < 2^32 - 2", j);
  require(out.size() <= (std::uint64_t{1} << 33) - 2,
          "at most 2^33 - 2 normals", out.size());
  for (std::size_t first = 0; first < out.size(); first += 2) {
    const PhiloxBlock bits = block(j, static_cast<std::uint32_t>(first / 2));
    const std::array<double, 2> pair =
        box_muller(to_uniform(bits.low64()), to_uniform(bits.high64()));
    out[first] = static_cast<T>(pair[0]);
    if (first + 1 < out.size()) out[first + 1] = static_cast<T>(pair[1]);
  }
}

void PhiloxStream::normals(std::uint32_t j, std::span<double> out) const {
  fill_normals(j, out);
}

void PhiloxStream::normals(std::uint32_t j, std::span<float> out) const {
  fill_normals(j, out);
}

double PhiloxStream::uniform(std::uint32_t j) const {
  require(j < kPickDraw, "j < 2^32 - 2", j);
  return to_uniform(
      block(j, std::numeric_limits<std::uint32_t>::max()).low64());
}

std::size_t PhiloxStream::anchor_index(std::size_t count) const {
  require(count > 0, "at least one anchor", count);
  return multiply_high(block(kAnchorDraw, 0).low64(), count);
}

double PhiloxStream::pick_uniform() const {
  return to_uniform(block(kPickDraw, 0).low64());
}

}  // namespace sbog
