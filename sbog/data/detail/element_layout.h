// SPDX-License-Identifier: Apache-2.0
// From the layout of a file to the layout of an Array: row-major, native.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sbog/data/array.h"
#include "sbog/data/detail/mapped_file.h"

namespace sbog::detail {

/// How a file stores the elements of an array.
struct ElementLayout {
  ElementType type = ElementType::kFloat32;
  bool swaps_bytes = false;      ///< the opposite of the native byte order
  bool is_column_major = false;  ///< first index fastest ("Fortran order")
  std::vector<std::size_t> shape;
  std::size_t offset = 0;  ///< of the first element in the file
};

/// Bytes of the elements; throws IoError naming the file when the shape does
/// not fit in memory sizes.
std::size_t layout_byte_count(const ElementLayout& layout,
                              const std::string& name);

/// The array behind `layout`. Nothing is copied when the file already has the
/// layout of an Array. Throws IoError unless the elements end exactly where
/// the file ends. Allocates no more than the size of the file.
Array take_array(const FileBytes& file, ElementLayout layout);

}  // namespace sbog::detail
