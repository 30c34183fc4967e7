// SPDX-License-Identifier: Apache-2.0
// Small helpers for the tests of the readers.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "sbog/data/array.h"

namespace sbog::testing_support {

/// The characters as bytes, looking into `text`.
inline std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

/// The bytes as characters.
inline std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Appends the bytes of a value in the wanted order.
template <typename T>
void append_value(std::string& out, T value, std::endian order) {
  char raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof(T));
  if (order != std::endian::native) std::reverse(raw, raw + sizeof(T));
  out.append(raw, sizeof(T));
}

/// Makes a file with exactly these bytes.
inline void write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

/// The message of the Error that `call` throws; says so when it does not.
template <typename Error, typename Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

/// True when the bytes of the array are those of `values`.
template <typename T>
bool has_bytes_of(const Array& array, const std::vector<T>& values) {
  const auto wanted = std::as_bytes(std::span(values));
  return std::equal(wanted.begin(), wanted.end(), array.bytes(),
                    array.bytes() + array.byte_count());
}

/// An array that owns the bytes of `values`.
template <typename T>
Array array_of(ElementType type, std::vector<std::size_t> shape,
               const std::vector<T>& values, const std::string& name = "test") {
  auto copy = std::make_shared<std::vector<T>>(values);
  const auto* bytes = reinterpret_cast<const std::byte*>(copy->data());
  return {name, type, std::move(shape), {copy, bytes}};
}

}  // namespace sbog::testing_support
