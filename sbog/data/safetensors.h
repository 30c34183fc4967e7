// SPDX-License-Identifier: Apache-2.0
// Reads and writes safetensors files, and reads the index of several.
//
//   N                          8 bytes, little-endian
//   header                     N bytes of JSON, padded with spaces
//   buffer                     the tensors, row-major, little-endian
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "sbog/data/array.h"

namespace sbog {

/// How to read a file.
struct SafetensorsOptions {
  /// Longest header accepted; never more than 100,000,000.
  std::size_t max_header_bytes = std::size_t{16} << 20;
  /// Also refuse NaN and infinity in any tensor.
  bool requires_finite = false;
};

/// Everything in a file.
struct SafetensorsFile {
  std::string name;                             ///< the path
  std::vector<NamedArray> tensors;              ///< in the order of the header
  std::map<std::string, std::string> metadata;  ///< of "__metadata__"
};

/// A tensor that a model needs.
struct ExpectedTensor {
  std::string name;
  ElementType type = ElementType::kFloat32;
  std::vector<std::size_t> shape;
};

/// Reads a file; the tensors look into the mapped file. Accepts F64, F32, F16,
/// BF16, I64, I32, U8 and BOOL of rank 0 to 8. Throws IoError, naming the
/// tensor, for anything the format does not allow: a long header, text that is
/// not strict JSON, repeated or unknown keys, sizes that disagree, tensors
/// that overlap or leave a gap.
SafetensorsFile read_safetensors(const std::string& path,
                                 const SafetensorsOptions& options = {});

/// One tensor of a file. Throws IoError listing the names when it is not there.
Array read_safetensors(const std::string& path, const std::string& name,
                       const SafetensorsOptions& options = {});

/// All of a file in memory; the tensors own their bytes.
SafetensorsFile parse_safetensors(std::span<const std::byte> bytes,
                                  const std::string& name,
                                  const SafetensorsOptions& options = {});

/// Throws IoError unless the file holds exactly the expected tensors, each of
/// the expected type and shape; names in `allowed_extra` may be there as well.
void check_tensors(const SafetensorsFile& file,
                   std::span<const ExpectedTensor> expected,
                   std::span<const std::string> allowed_extra = {});

/// Writes a file, complete or not at all, that read_safetensors accepts; the
/// buffer begins at a multiple of 8 bytes. Throws InvalidArgument for a
/// repeated or unusable name and for a type the format does not have.
void write_safetensors(const std::string& path,
                       std::span<const NamedArray> tensors,
                       const std::map<std::string, std::string>& metadata = {});

/// Which file of a folder holds which tensor: tensor name -> file name.
using SafetensorsIndex = std::map<std::string, std::string>;

/// The index of a model that is spread over several files. A file name is bare:
/// not empty, "." or "..", without separators, NUL or other control characters,
/// so that an index cannot point outside its folder. Throws IoError; accepts at
/// most 16 MiB and 65,536 tensors.
SafetensorsIndex read_safetensors_index(const std::string& path);

/// The same from memory.
SafetensorsIndex parse_safetensors_index(std::span<const std::byte> bytes,
                                         const std::string& name);

}  // namespace sbog
