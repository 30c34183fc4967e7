// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/detail/element_layout.h"

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <span>

#include "sbog/base/errors.h"
#include "sbog/data/detail/byte_reader.h"
#include "sbog/data/detail/checked_size.h"
#include "sbog/data/detail/text.h"

namespace sbog::detail {
namespace {

template <std::unsigned_integral U>
void swap_elements_of(std::byte* bytes, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    U value;
    std::memcpy(&value, bytes + i * sizeof(U), sizeof(U));
    value = reverse_bytes(value);
    std::memcpy(bytes + i * sizeof(U), &value, sizeof(U));
  }
}

void swap_elements(std::byte* bytes, std::size_t count, std::size_t size) {
  switch (size) {
    case 2:
      return swap_elements_of<std::uint16_t>(bytes, count);
    case 4:
      return swap_elements_of<std::uint32_t>(bytes, count);
    default:
      return swap_elements_of<std::uint64_t>(bytes, count);
  }
}

// Element strides of a shape, with the last or the first index fastest.
std::vector<std::size_t> strides_of(std::span<const std::size_t> shape,
                                    bool is_column_major) {
  std::vector<std::size_t> strides(shape.size());
  std::size_t step = 1;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const std::size_t axis = is_column_major ? k : shape.size() - 1 - k;
    strides[axis] = step;
    step *= shape[axis];
  }
  return strides;
}

// One plane of the transposition: the first axis is contiguous in `in`, the
// last one in `out`. Square tiles keep both within the cache.
struct Plane {
  std::size_t first, last;  // extents
  std::size_t in_stride;    // elements between steps of the last axis
  std::size_t out_stride;   // elements between steps of the first axis
};

template <std::size_t kSize>
void transpose_plane(const std::byte* in, std::byte* out, const Plane& plane) {
  constexpr std::size_t kTile = 32;
  for (std::size_t i0 = 0; i0 < plane.first; i0 += kTile) {
    const std::size_t i1 = std::min(i0 + kTile, plane.first);
    for (std::size_t j0 = 0; j0 < plane.last; j0 += kTile) {
      const std::size_t j1 = std::min(j0 + kTile, plane.last);
      for (std::size_t i = i0; i < i1; ++i) {
        for (std::size_t j = j0; j < j1; ++j) {
          std::memcpy(out + (i * plane.out_stride + j) * kSize,
                      in + (j * plane.in_stride + i) * kSize, kSize);
        }
      }
    }
  }
}

void transpose_plane(const std::byte* in, std::byte* out, const Plane& plane,
                     std::size_t size) {
  switch (size) {
    case 1:
      return transpose_plane<1>(in, out, plane);
    case 2:
      return transpose_plane<2>(in, out, plane);
    case 4:
      return transpose_plane<4>(in, out, plane);
    default:
      return transpose_plane<8>(in, out, plane);
  }
}

// Walks the axes between the first and the last like an odometer and
// transposes one plane for each position. No extent is 0 here.
void to_row_major(const std::byte* in, std::byte* out,
                  std::span<const std::size_t> shape, std::size_t size) {
  const auto in_strides = strides_of(shape, true);
  const auto out_strides = strides_of(shape, false);
  const std::size_t last = shape.size() - 1;
  const Plane plane{shape[0], shape[last], in_strides[last], out_strides[0]};
  std::vector<std::size_t> index(shape.size(), 0);
  std::size_t in_base = 0;
  std::size_t out_base = 0;
  for (;;) {
    transpose_plane(in + in_base * size, out + out_base * size, plane, size);
    std::size_t axis = 1;
    for (; axis < last; ++axis) {
      in_base += in_strides[axis];
      out_base += out_strides[axis];
      if (++index[axis] < shape[axis]) break;
      in_base -= index[axis] * in_strides[axis];
      out_base -= index[axis] * out_strides[axis];
      index[axis] = 0;
    }
    if (axis >= last) return;
  }
}

// Column-major order differs only when two axes have more than one step.
bool needs_transposition(const ElementLayout& layout) {
  const auto is_long = [](std::size_t extent) { return extent > 1; };
  return layout.is_column_major &&
         std::count_if(layout.shape.begin(), layout.shape.end(), is_long) > 1;
}

void check_extent(const FileBytes& file, std::size_t available,
                  std::size_t expected, const ElementLayout& layout) {
  if (available == expected) return;
  throw IoError(file.name, "the shape " + shape_text(layout.shape) + " of " +
                               to_string(layout.type) + " takes " +
                               std::to_string(expected) + " bytes, but " +
                               std::to_string(available) +
                               " bytes follow the header");
}

}  // namespace

std::size_t layout_byte_count(const ElementLayout& layout,
                              const std::string& name) {
  const auto bytes =
      checked_byte_count(layout.shape, element_size(layout.type));
  if (bytes) return *bytes;
  throw IoError(name, "the shape " + shape_text(layout.shape) +
                          " is larger than any memory");
}

Array take_array(const FileBytes& file, ElementLayout layout) {
  const std::size_t count = layout_byte_count(layout, file.name);
  check_extent(file, file.bytes.size() - layout.offset, count, layout);
  const std::size_t size = element_size(layout.type);
  const bool transposes = count != 0 && needs_transposition(layout);
  const bool swaps = count != 0 && layout.swaps_bytes && size > 1;
  if (!transposes && !swaps) {
    return {file.name, layout.type, std::move(layout.shape),
            file.share(layout.offset, count),
            file.is_mapped && file.owner != nullptr};
  }
  auto own = allocate_bytes(count);
  const std::byte* in = file.bytes.data() + layout.offset;
  if (transposes) {
    to_row_major(in, own.get(), layout.shape, size);
  } else {
    std::memcpy(own.get(), in, count);
  }
  if (swaps) swap_elements(own.get(), count / size, size);
  return {file.name, layout.type, std::move(layout.shape), std::move(own)};
}

}  // namespace sbog::detail
