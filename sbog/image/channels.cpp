// SPDX-License-Identifier: Apache-2.0
#include "sbog/image/channels.h"

#include <algorithm>
#include <span>
#include <string>

#include "sbog/base/errors.h"

namespace sbog {
namespace {

void check_channels(std::size_t channels) {
  if (channels != 1 && channels != 3) {
    throw InvalidArgument("channels: " + std::to_string(channels) +
                          " was given; 1 or 3 is expected");
  }
}

// From `from` planes to `to` planes, which differ.
void convert(std::span<const std::uint8_t> in, std::size_t from,
             std::span<std::uint8_t> out) {
  const std::size_t plane = in.size() / from;
  for (std::size_t k = 0; k < plane; ++k) {
    if (from == 1) {
      out[k] = out[plane + k] = out[2 * plane + k] = in[k];
    } else {
      // The weights in thousandths: exact, and 1000 in all.
      const unsigned sum =
          299U * in[k] + 587U * in[plane + k] + 114U * in[2 * plane + k];
      out[k] = static_cast<std::uint8_t>((sum + 500U) / 1000U);
    }
  }
}

}  // namespace

Image to_channels(const Image& image, std::size_t channels) {
  check_channels(channels);
  check_channels(image.shape.channels);
  if (channels == image.shape.channels) return image;
  Image out;
  out.shape = image.shape;
  out.shape.channels = channels;
  out.pixels.resize(out.shape.size());
  convert(image.pixels, image.shape.channels, out.pixels);
  return out;
}

ImageSet to_channels(const ImageSet& set, std::size_t channels) {
  check_channels(channels);
  check_images(set, "channels");
  if (channels == set.shape.channels) return set.clone();
  ImageSet out = set.with_shape({channels, set.shape.height, set.shape.width});
  for (std::size_t i = 0; i < set.count(); ++i) {
    convert(set.pixels.row(i), set.shape.channels, out.pixels.row(i));
  }
  return out;
}

}  // namespace sbog
