// SPDX-License-Identifier: Apache-2.0
// PNG files of any kind, written by hand for the tests: every chunk, its
// checksum and the filters are under the control of the test.
#pragma once

#include <zlib.h>

#include <bit>
#include <cstdint>
#include <string>

#include "data/support.h"

namespace sbog::testing_support {

/// One chunk with its length and checksum.
inline std::string png_chunk(const std::string& type, const std::string& data) {
  std::string out;
  append_value(out, static_cast<std::uint32_t>(data.size()), std::endian::big);
  const std::string body = type + data;
  out += body;
  const auto crc = ::crc32(0, reinterpret_cast<const Bytef*>(body.data()),
                           static_cast<uInt>(body.size()));
  append_value(out, static_cast<std::uint32_t>(crc), std::endian::big);
  return out;
}

/// The bytes as a zlib stream.
inline std::string zlib_stream(const std::string& bytes) {
  uLongf size = ::compressBound(bytes.size());
  std::string out(size, '\0');
  ::compress(reinterpret_cast<Bytef*>(out.data()), &size,
             reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  out.resize(size);
  return out;
}

/// What the header of a PNG says.
struct PngHeader {
  std::uint32_t width = 1;
  std::uint32_t height = 1;
  std::uint8_t depth = 8;
  std::uint8_t colour = 0;  // 0 grey, 2 RGB, 3 palette, 4 grey + alpha, 6 RGBA
  std::uint8_t interlace = 0;
};

inline std::string png_magic() { return "\x89PNG\r\n\x1a\n"; }

inline std::string png_header(const PngHeader& header) {
  std::string data;
  append_value(data, header.width, std::endian::big);
  append_value(data, header.height, std::endian::big);
  data += static_cast<char>(header.depth);
  data += static_cast<char>(header.colour);
  data += std::string(2, '\0');
  data += static_cast<char>(header.interlace);
  return png_chunk("IHDR", data);
}

/// A whole file: `rows` holds each row behind its filter byte; `extra` goes
/// between header and image.
inline std::string png_file(const PngHeader& header, const std::string& rows,
                            const std::string& extra = "") {
  return png_magic() + png_header(header) + extra +
         png_chunk("IDAT", zlib_stream(rows)) + png_chunk("IEND", "");
}

}  // namespace sbog::testing_support
