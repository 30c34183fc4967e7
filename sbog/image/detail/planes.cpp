// SPDX-License-Identifier: Apache-2.0
#include "sbog/image/detail/planes.h"

#include "sbog/base/errors.h"

namespace sbog::detail {

Image to_planes(std::span<const std::uint8_t> pixels, const ImageShape& shape) {
  SBOG_ASSERT(pixels.size() == shape.size());
  const bool has_opacity = shape.channels % 2 == 0;
  const std::size_t stride = shape.channels;
  const std::size_t plane = shape.height * shape.width;
  Image image;
  image.shape = shape;
  image.shape.channels = has_opacity ? stride - 1 : stride;
  image.pixels.resize(image.shape.size());
  for (std::size_t c = 0; c < image.shape.channels; ++c) {
    for (std::size_t k = 0; k < plane; ++k) {
      const unsigned value = pixels[k * stride + c];
      const unsigned opacity =
          has_opacity ? pixels[k * stride + stride - 1] : 255U;
      image.pixels[c * plane + k] =
          static_cast<std::uint8_t>((value * opacity + 127U) / 255U);
    }
  }
  return image;
}

std::vector<std::uint8_t> interleave(std::span<const std::uint8_t> planes,
                                     const ImageShape& shape) {
  SBOG_ASSERT(planes.size() == shape.size());
  std::vector<std::uint8_t> pixels(planes.size());
  const std::size_t plane = shape.height * shape.width;
  for (std::size_t c = 0; c < shape.channels; ++c) {
    for (std::size_t k = 0; k < plane; ++k) {
      pixels[k * shape.channels + c] = planes[c * plane + k];
    }
  }
  return pixels;
}

}  // namespace sbog::detail
