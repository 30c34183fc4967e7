// SPDX-License-Identifier: Apache-2.0
// Small image sets for the tests, and the message of a refusal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "data/support.h"
#include "sbog/image/image_set.h"

namespace sbog::testing_support {

/// Images whose values count up, modulo 251, over the whole set.
inline ImageSet counting_images(std::size_t count, const ImageShape& shape) {
  ImageSet set;
  set.shape = shape;
  set.pixels = Matrix<std::uint8_t>(count, shape.size());
  std::size_t next = 0;
  for (std::uint8_t& value : set.pixels.elements()) {
    value = static_cast<std::uint8_t>(next++ % 251);
  }
  return set;
}

/// Whether two sets have the same shape and pixels.
inline bool same_pixels(const ImageSet& a, const ImageSet& b) {
  return a.shape == b.shape && a.count() == b.count() &&
         std::equal(a.pixels.elements().begin(), a.pixels.elements().end(),
                    b.pixels.elements().begin());
}

}  // namespace sbog::testing_support
