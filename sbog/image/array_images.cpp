// SPDX-License-Identifier: Apache-2.0
#include "sbog/image/array_images.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "sbog/base/errors.h"
#include "sbog/data/detail/element_visit.h"
#include "sbog/data/detail/text.h"
#include "sbog/image/detail/planes.h"

namespace sbog {
namespace {

bool is_channels(std::size_t extent) { return extent == 1 || extent == 3; }

bool is_channels_last(const Array& array, PixelLayout layout) {
  const std::vector<std::size_t>& shape = array.shape();
  if (layout != PixelLayout::kAuto) {
    return layout == PixelLayout::kChannelsLast;
  }
  const bool is_last = is_channels(shape[3]);
  if (is_last == is_channels(shape[1])) {
    throw IoError(array.name(), "where the channels of an array of shape " +
                                    detail::shape_text(shape) +
                                    " are cannot be told; name the layout");
  }
  return is_last;
}

// The shape of one image, and whether its channels lie beside each other.
struct Reading {
  ImageShape shape;
  bool is_interleaved = false;
  double scale = 1.0;
};

Reading reading_of(const Array& array, const ArrayImageOptions& options) {
  const std::vector<std::size_t>& extents = array.shape();
  if (extents.size() == 3) return {{1, extents[1], extents[2]}};
  if (extents.size() != 4) {
    throw IoError(array.name(), "an array of shape " +
                                    detail::shape_text(extents) +
                                    " is no set of images; rank 3 or 4 is "
                                    "expected");
  }
  Reading reading;
  reading.is_interleaved = is_channels_last(array, options.layout);
  reading.shape = reading.is_interleaved
                      ? ImageShape{extents[3], extents[1], extents[2]}
                      : ImageShape{extents[1], extents[2], extents[3]};
  if (!is_channels(reading.shape.channels)) {
    throw IoError(array.name(), "images have " +
                                    std::to_string(reading.shape.channels) +
                                    " channels; 1 or 3 is expected");
  }
  return reading;
}

bool is_unit_range(const Array& array, PixelRange range) {
  if (range != PixelRange::kAuto) return range == PixelRange::kUnit;
  if (array.type() == ElementType::kBool) return true;
  if (!is_floating(array.type())) return false;
  double largest = 0.0;
  detail::visit_elements(array, [&](std::size_t /*index*/, auto value) {
    largest = std::max(largest, static_cast<double>(value));
  });
  // Levels that overshoot 1 by a rounding must not turn an image black.
  if (largest > 1.0 && largest < 2.0) {
    throw IoError(array.name(), "whether values up to " +
                                    std::to_string(largest) +
                                    " are in [0, 1] or in [0, 255] cannot be "
                                    "told; name the range");
  }
  return largest <= 1.0;
}

[[noreturn]] void refuse_value(const Array& array, std::size_t image,
                               double value, double largest) {
  throw IoError(array.name(), "a value of image " + std::to_string(image) +
                                  " is " + std::to_string(value) + "; 0 to " +
                                  std::to_string(static_cast<int>(largest)) +
                                  " is expected");
}

void fill(const Array& array, const Reading& reading, ImageSet& set) {
  const std::size_t size = set.shape.size();
  const std::size_t channels = set.shape.channels;
  const std::size_t plane = set.shape.height * set.shape.width;
  const double largest = 255.0 / reading.scale;
  std::uint8_t* out = set.pixels.data();
  detail::visit_elements(array, [&](std::size_t i, auto stored) {
    const auto value = static_cast<double>(stored);
    // Written so that NaN is refused as well.
    if (!(value >= 0.0 && value <= largest)) {
      refuse_value(array, i / size, value, largest);
    }
    const std::size_t at = i % size;
    const std::size_t place =
        reading.is_interleaved ? at % channels * plane + at / channels : at;
    out[i - at + place] = detail::to_byte(reading.scale * value);
  });
}

std::string words_of(const Array& array, const Reading& reading) {
  std::string words = to_string(array.type());
  words += reading.scale == 1.0 ? " in [0, 255]" : " in [0, 1]";
  if (array.shape().size() == 3) return words + ", grey";
  return words +
         (reading.is_interleaved ? ", channels last" : ", channels first");
}

}  // namespace

ImageSet images_of_array(const Array& array, const ArrayImageOptions& options) {
  Reading reading = reading_of(array, options);
  check_limits(array.rows(), reading.shape, options.limits, array.name());
  if (is_unit_range(array, options.range)) reading.scale = 255.0;
  ImageSet set;
  set.shape = reading.shape;
  set.pixels = Matrix<std::uint8_t>(array.rows(), set.shape.size());
  fill(array, reading, set);
  set.reading = words_of(array, reading);
  return set;
}

std::vector<std::int32_t> labels_of_array(const Array& array) {
  std::vector<std::int32_t> labels;
  for (const std::int64_t label : to_labels(array)) {
    if (label < 0 || label > 65535) {
      throw IoError(array.name(), "label " + std::to_string(labels.size()) +
                                      " is " + std::to_string(label) +
                                      "; 0 to 65535 is expected");
    }
    labels.push_back(static_cast<std::int32_t>(label));
  }
  return labels;
}

}  // namespace sbog
