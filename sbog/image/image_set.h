// SPDX-License-Identifier: Apache-2.0
// Images of one shape with their classes, as 8-bit planes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sbog/base/matrix.h"

namespace sbog {

/// Extents of an image that is stored plane after plane, row after row: pixel
/// (c, y, x) lies at (c * height + y) * width + x.
struct ImageShape {
  std::size_t channels = 1;  ///< 1 grey, 3 red, green and blue
  std::size_t height = 0;
  std::size_t width = 0;

  /// Values of one image.
  std::size_t size() const { return channels * height * width; }
  friend bool operator==(const ImageShape&, const ImageShape&) = default;
};

/// "3 x 32 x 32", channels first, as messages write it.
std::string to_string(const ImageShape& shape);

/// One image by itself.
struct Image {
  ImageShape shape;
  std::vector<std::uint8_t> pixels;  ///< shape.size() values, 0 .. 255
};

/// Images of one shape. Moves are free; a copy is made only by clone().
struct ImageSet {
  ImageShape shape;
  Matrix<std::uint8_t> pixels;           ///< one image per row, 0 .. 255
  std::vector<std::int32_t> labels;      ///< empty: no classes are known
  std::vector<std::string> class_names;  ///< empty, or one per class
  std::vector<std::string> sources;      ///< empty, or a file per image
  /// How a file was understood, such as "float32, channels last, [0, 1]";
  /// empty for images that were made.
  std::string reading;

  /// Number of images.
  std::size_t count() const { return pixels.rows(); }
  /// A set with the same content.
  ImageSet clone() const;
  /// As many black images of another shape, with the labels, names, sources
  /// and the reading of this set.
  ImageSet with_shape(const ImageShape& other) const;
};

/// Classes of a set: its names, else the largest label + 1, else 0.
std::size_t class_count(const ImageSet& set);

/// Throws InvalidArgument, beginning with `name`, unless the shape has 1 or 3
/// channels and no zero extent, the pixels are of that shape, labels are absent
/// or one per image, from 0 on and below the number of names when there are
/// names, and sources are absent or one per image.
void check_images(const ImageSet& set, const std::string& name);

/// Image i of the result is image rows[i]; an image may come twice. Throws
/// InvalidArgument for a row that is not there.
ImageSet take(const ImageSet& set, std::span<const std::size_t> rows);

/// The first `count` images of each class, in the order of the set; a set
/// without labels is one class.
ImageSet first_of_each_class(const ImageSet& set, std::size_t count);

/// The two parts of a set, each in the order of the set.
struct ImageSplit {
  std::vector<std::size_t> train;
  std::vector<std::size_t> held_out;
};

/// Rows for training and rows kept apart: of every class the share `held_out`,
/// rounded to nearest, but at least one image on either side for a class of
/// two or more. A set without labels is one class. Which images are kept apart
/// is drawn from `seed`; image i of a class is ranked by the bits of (seed,
/// class, i). Throws InvalidArgument unless 0 < held_out < 1.
ImageSplit split_by_class(const ImageSet& set, double held_out,
                          std::uint64_t seed);

}  // namespace sbog
