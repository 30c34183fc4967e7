// SPDX-License-Identifier: Apache-2.0
#include "sbog/image/grid.h"

#include <algorithm>
#include <span>
#include <string>

#include "sbog/base/errors.h"
#include "sbog/data/detail/checked_size.h"

namespace sbog {
namespace {

constexpr std::size_t kMaxSheet = std::size_t{1} << 28;

void check_grid(const ImageSet& set, const GridOptions& options) {
  check_images(set, "grid");
  if (set.count() == 0 || options.columns == 0 || options.scale < 1 ||
      options.scale > 64 || options.gap > 1024) {
    throw InvalidArgument(
        "grid: at least one image and one column, a scale from 1 to 64 and a "
        "gap up to 1024 are expected");
  }
}

// Cells of `step` pixels each way, and the gap that closes the last of them.
ImageShape sheet_shape(const ImageSet& set, std::size_t rows,
                       std::size_t columns, const GridOptions& options) {
  const auto side = [&](std::size_t cells, std::size_t extent) {
    const auto scaled = detail::checked_multiply(extent, options.scale);
    const auto cell =
        detail::checked_add(scaled.value_or(kMaxSheet), options.gap);
    const auto all = detail::checked_multiply(cells, cell.value_or(kMaxSheet));
    return std::min(all.value_or(kMaxSheet), kMaxSheet) + options.gap;
  };
  const std::size_t height = side(rows, set.shape.height);
  const std::size_t width = side(columns, set.shape.width);
  if (height > kMaxSheet / width) {
    throw InvalidArgument(
        "grid: the sheet is too large; at most 2^28 pixels are expected");
  }
  return {set.shape.channels, height, width};
}

void place(std::span<const std::uint8_t> image, const ImageShape& shape,
           std::size_t scale, std::size_t top, std::size_t left, Image& sheet) {
  for (std::size_t c = 0; c < shape.channels; ++c) {
    for (std::size_t i = 0; i < shape.height * scale; ++i) {
      for (std::size_t j = 0; j < shape.width * scale; ++j) {
        sheet.pixels[(c * sheet.shape.height + top + i) * sheet.shape.width +
                     left + j] =
            image[(c * shape.height + i / scale) * shape.width + j / scale];
      }
    }
  }
}

}  // namespace

Image image_grid(const ImageSet& set, const GridOptions& options) {
  check_grid(set, options);
  const std::size_t columns = std::min(options.columns, set.count());
  const std::size_t rows = (set.count() + columns - 1) / columns;
  const std::size_t step_down = set.shape.height * options.scale + options.gap;
  const std::size_t step_right = set.shape.width * options.scale + options.gap;
  Image sheet;
  sheet.shape = sheet_shape(set, rows, columns, options);
  sheet.pixels.assign(sheet.shape.size(), options.paper);
  for (std::size_t k = 0; k < set.count(); ++k) {
    place(set.pixels.row(k), set.shape, options.scale,
          options.gap + k / columns * step_down,
          options.gap + k % columns * step_right, sheet);
  }
  return sheet;
}

void strike_out(std::span<std::uint8_t> pixels, const ImageShape& shape) {
  if (pixels.size() != shape.size()) {
    throw InvalidArgument("strike_out: the pixels of one image are expected");
  }
  constexpr std::uint8_t kPaper = 255;
  for (std::uint8_t& pixel : pixels) {
    pixel = static_cast<std::uint8_t>((pixel + kPaper) / 2);
  }
  const std::size_t longest = std::max(shape.height, shape.width);
  for (std::size_t k = 0; k < longest; ++k) {
    const std::size_t y = k * shape.height / longest;
    const std::size_t x = k * shape.width / longest;
    for (std::size_t c = 0; c < shape.channels; ++c) {
      const bool is_red = shape.channels == 3 && c == 0;
      pixels[(c * shape.height + y) * shape.width + x] = is_red ? 255 : 0;
    }
  }
}

}  // namespace sbog
