// SPDX-License-Identifier: Apache-2.0
// Reads and writes npy files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "sbog/base/matrix.h"
#include "sbog/data/array.h"

namespace sbog {

/// The array of an npy file of version 1 to 3: float16 to float64, integers of
/// 1 to 8 bytes, bool; either byte order, either index order. Native row-major
/// files are mapped, not copied. Throws IoError.
Array read_npy(const std::string& path);

/// The same from memory; the result owns its bytes. `name` begins messages.
Array parse_npy(std::span<const std::byte> bytes, const std::string& name);

/// Writes a rows x cols file, complete or not at all. Throws IoError.
void write_npy(const std::string& path, MatrixView<const float> matrix);
void write_npy(const std::string& path, MatrixView<const double> matrix);

/// Writes a file of one dimension, complete or not at all. Throws IoError.
void write_npy(const std::string& path, std::span<const float> values);
void write_npy(const std::string& path, std::span<const double> values);
void write_npy(const std::string& path, std::span<const std::int64_t> values);

/// Writes an array of any type but bfloat16. Throws IoError, InvalidArgument.
void write_npy(const std::string& path, const Array& array);

}  // namespace sbog
