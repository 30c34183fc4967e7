// SPDX-License-Identifier: Apache-2.0
// Compression, which only the tests need.
#pragma once

#include <zlib.h>

#include <stdexcept>
#include <string>

namespace sbog::testing_support {

/// The text, compressed. `window_bits` says what wraps the data, as for
/// deflateInit2: -15 nothing, 15 + 16 gzip.
inline std::string deflated(std::string text, int window_bits) {
  z_stream stream{};
  if (deflateInit2(&stream, 6, Z_DEFLATED, window_bits, 8,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("deflateInit2 failed");
  }
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int status = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("deflate failed");
  return out;
}

/// The text as a gzip file.
inline std::string gzipped(const std::string& text) {
  return deflated(text, 15 + 16);
}

}  // namespace sbog::testing_support
