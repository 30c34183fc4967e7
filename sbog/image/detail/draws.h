// SPDX-License-Identifier: Apache-2.0
// Random draws of the image room, each stream keyed by what is drawn:
//   key = seed; counter = (index, reserved class, block, purpose + class).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sbog/base/philox.h"

namespace sbog::detail {

/// Numbers that keep the streams of images apart; a class below 2^16 is added.
enum class ImagePurpose : std::uint32_t {
  kShape = 0x49100000,    ///< index: image of the class
  kTexture = 0x49200000,  ///< index: image; class: kind of the companion
  kSplit = 0x49300000,    ///< index: image of the class
  kResample = 0x49400000  ///< index: image
};

/// Draws one after the other from the stream of one image.
class ImageDraws {
 public:
  ImageDraws(std::uint64_t seed, ImagePurpose purpose, std::uint32_t cls,
             std::uint32_t index)
      : key_{static_cast<std::uint32_t>(seed),
             static_cast<std::uint32_t>(seed >> 32)},
        index_(index),
        purpose_(static_cast<std::uint32_t>(purpose) + cls) {}

  /// Uniform on (0, 1).
  double uniform() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    const PhiloxBlock bits = next();
    spare_ = to_uniform(bits.high64());
    has_spare_ = true;
    return to_uniform(bits.low64());
  }
  /// Uniform on (low, high).
  double uniform(double low, double high) {
    return low + (high - low) * uniform();
  }
  /// Two standard normals.
  std::array<double, 2> normals() {
    const PhiloxBlock bits = next();
    return box_muller(to_uniform(bits.low64()), to_uniform(bits.high64()));
  }
  /// 64 random bits.
  std::uint64_t bits() { return next().low64(); }

 private:
  PhiloxBlock next() {
    return philox4x32(
        {index_, PhiloxStream::kReservedClass << 16, block_++, purpose_}, key_);
  }

  std::array<std::uint32_t, 2> key_;
  std::uint32_t index_;
  std::uint32_t purpose_;
  std::uint32_t block_ = 0;
  double spare_ = 0.0;
  bool has_spare_ = false;
};

}  // namespace sbog::detail
