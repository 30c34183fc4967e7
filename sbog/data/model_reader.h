// SPDX-License-Identifier: Apache-2.0
// A model in a safetensors file: its tensors by name and its options in the
// metadata, with errors that name the file and what it should be.
#pragma once

#include <charconv>
#include <string>
#include <system_error>

#include "sbog/base/matrix.h"
#include "sbog/data/array.h"
#include "sbog/data/safetensors.h"

namespace sbog {

/// See the top of the file.
class ModelReader {
 public:
  /// Reads the file; numbers that are not finite are refused. `what` it should
  /// be, such as "a detector of points", is for messages. Throws IoError.
  ModelReader(const std::string& path, std::string what);

  const SafetensorsFile& file() const { return file_; }
  /// Throws IoError with the path.
  [[noreturn]] void fail(const std::string& sentence) const;

  /// An entry of the metadata; without it fail().
  const std::string& text(const std::string& key) const;
  /// The same as a number.
  template <typename T>
  T number(const std::string& key) const {
    const std::string& value = text(key);
    T result{};
    const char* end = value.data() + value.size();
    const auto read = std::from_chars(value.data(), end, result);
    if (read.ec != std::errc() || read.ptr != end) {
      fail("the metadata '" + key + "' is '" + value +
           "'; a number is expected");
    }
    return result;
  }

  bool has(const std::string& name) const;
  /// A tensor; without it fail().
  const Array& find(const std::string& name) const;
  /// The same as a matrix of its own.
  template <typename T>
  Matrix<T> matrix(const std::string& name) const;

 private:
  std::string path_;
  std::string what_;
  SafetensorsFile file_;
};

}  // namespace sbog
