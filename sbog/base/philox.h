// SPDX-License-Identifier: Apache-2.0
// Random numbers keyed by what is drawn: Philox4x32-10, counter based, so any
// number of threads and any split of the work draws the same bits.
//
// Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3",
// SC 2011.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace sbog {

/// The four words that one counter gives.
struct PhiloxBlock {
  std::array<std::uint32_t, 4> words;

  /// The 64-bit number word1:word0.
  std::uint64_t low64() const {
    return (std::uint64_t{words[1]} << 32) | words[0];
  }
  /// The 64-bit number word3:word2.
  std::uint64_t high64() const {
    return (std::uint64_t{words[3]} << 32) | words[2];
  }
};

/// Philox4x32 with ten rounds.
PhiloxBlock philox4x32(std::array<std::uint32_t, 4> counter,
                       std::array<std::uint32_t, 2> key);

/// (floor(bits / 2^11) + 1/2) / 2^53: a uniform strictly inside (0, 1), but
/// for the topmost value, which rounds to 1.
double to_uniform(std::uint64_t bits);

/// Two standard normals sqrt(-2 ln u1) * (cos, sin)(2 pi u2) for u1 in (0, 1].
std::array<double, 2> box_muller(double u1, double u2);

/// The draws of one round of one output of one class.
///
/// Key = (seed low, seed high); counter = (k, cls * 65536 + round, j, block).
/// j numbers the proposals; the two largest j are the anchor draw and the
/// uniform pick. Values are equal for any thread count; across compilers and
/// C libraries normals agree to rounding only.
class PhiloxStream {
 public:
  /// The class number kept for streams outside the sampler.
  static constexpr std::uint32_t kReservedClass = 65535;

  /// k: output, zero-based. Throws InvalidArgument unless cls < 65535,
  /// round < 65536 and k < 2^32.
  PhiloxStream(std::uint64_t seed, std::uint32_t cls, std::uint32_t round,
               std::uint64_t k);

  /// Fills `out` with the standard normals of proposal j: block b gives
  /// coordinates 2b and 2b + 1. Throws InvalidArgument unless j < 2^32 - 2 and
  /// out has at most 2^33 - 2 elements.
  void normals(std::uint32_t j, std::span<double> out) const;
  /// The same numbers, each rounded to float.
  void normals(std::uint32_t j, std::span<float> out) const;
  /// One uniform of proposal j, apart from its normals.
  double uniform(std::uint32_t j) const;

  /// The anchor draw: uniform on [0, count). Throws InvalidArgument when count
  /// is 0.
  std::size_t anchor_index(std::size_t count) const;

  /// One uniform for picking among feasible proposals.
  double pick_uniform() const;

 private:
  template <typename T>
  void fill_normals(std::uint32_t j, std::span<T> out) const;
  PhiloxBlock block(std::uint32_t j, std::uint32_t block) const;

  std::array<std::uint32_t, 2> key_;
  std::uint32_t k_ = 0;
  std::uint32_t class_round_ = 0;
};

}  // namespace sbog
