// SPDX-License-Identifier: Apache-2.0
// Random draws of training, each stream keyed by what is drawn:
//   key = seed; counter = (index low, reserved class, block and index high,
//   purpose).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace sbog::nn {

/// Numbers that keep the streams of training apart.
enum class Purpose : std::uint32_t {
  kInitialise = 0x54000001,  ///< index: checksum of the parameter's name
  kShuffle = 0x54000002,     ///< index: epoch
  kInjection = 0x54000003,   ///< index: window, or variant and window
  kPositive = 0x54000004,    ///< index: window
  kNeighbour = 0x54000005,   ///< index: epoch
  kQuery = 0x54000006,       ///< index: 0
  kPairs = 0x54000007,       ///< index: 0
  kRandomEdit = 0x5400000A,  ///< index: output + 2^32 try
  kVaeNoise = 0x5400000B,    ///< index: window + 2^32 epoch
  kGradedEdit = 0x5400000D,  ///< index: output + 2^32 try
  kExposure = 0x5400000C,    ///< index: outlier + 2^32 epoch
};

/// Draws one after the other from one stream. Two objects with the same key
/// give the same numbers.
class Draws {
 public:
  /// Indices of 48 bits are told apart.
  Draws(std::uint64_t seed, Purpose purpose, std::uint64_t index);

  /// 64 random bits.
  std::uint64_t bits();
  /// Uniform on (0, 1).
  double uniform();
  /// Uniform on {0, ..., count - 1}; count > 0.
  std::size_t below(std::size_t count);
  /// Standard normal.
  double normal();

 private:
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
  std::uint64_t spare_bits_ = 0;
  double spare_normal_ = 0.0;
  bool has_bits_ = false;
  bool has_normal_ = false;
};

/// 0 .. count - 1 in the order of an epoch.
std::vector<std::size_t> shuffled_order(std::size_t count, std::uint64_t seed,
                                        std::uint64_t epoch);

/// The index of a parameter's stream.
std::uint64_t stream_of_name(std::string_view name);

}  // namespace sbog::nn
