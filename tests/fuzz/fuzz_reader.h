// SPDX-License-Identifier: Apache-2.0
// What every fuzz target does with its input: parse it, look at every byte of
// what was accepted, and hold refusals to the rule of one non-empty line.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "sbog/base/errors.h"
#include "sbog/data/array.h"

namespace sbog::fuzz {

/// What a compressed input may grow to here.
inline constexpr std::uint64_t kMaxInflated = std::uint64_t{64} << 20;

/// Stops the fuzzer when `condition` does not hold.
inline void require(bool condition) {
  if (!condition) std::abort();
}

inline void check_message(const std::string& message) {
  require(message.starts_with("input"));
  require(message.size() > 10 && message.size() < 1000);
  require(message.find('\n') == std::string::npos);
}

/// Touches every element, and checks that the sizes agree.
inline void check_array(const Array& array) {
  require(array.size() * element_size(array.type()) == array.byte_count());
  require(array.rows() * array.cols() == array.size());
  unsigned sum = 0;
  for (std::size_t i = 0; i < array.byte_count(); ++i) {
    sum += std::to_integer<unsigned>(array.bytes()[i]);
  }
  require(sum <= 255 * array.byte_count());
  try {
    const auto matrix = to_matrix<float>(array);
    require(matrix.rows() == array.rows() && matrix.cols() == array.cols());
  } catch (const InvalidArgument& error) {
    check_message(error.what());
  }
}

/// Runs `read`; its two ways to refuse are the only ones allowed.
template <typename Read>
int run(const std::uint8_t* data, std::size_t size, const Read& read) {
  try {
    read(std::as_bytes(std::span(data, size)), std::string("input"));
  } catch (const IoError& error) {
    check_message(error.what());
  } catch (const InvalidArgument& error) {
    check_message(error.what());
  }
  return 0;
}

}  // namespace sbog::fuzz
