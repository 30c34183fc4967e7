// SPDX-License-Identifier: Apache-2.0
// JPEG files made in memory for the tests.
#pragma once

// jpeglib.h uses FILE and size_t without including what defines them.
#include <cstdio>
//
#include <jpeglib.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace sbog::testing_support {

/// What is written.
struct JpegOptions {
  int width = 8;
  int height = 8;
  int channels = 3;  // 1 grey, 3 RGB, 4 CMYK
  bool is_progressive = false;
  int quality = 95;
  std::vector<jpeg_scan_info> scans = {};  // instead of the usual ones
};

/// The interleaved pixels as a JPEG.
inline std::string jpeg_file(const JpegOptions& options,
                             std::vector<std::uint8_t> pixels) {
  jpeg_compress_struct encoder = {};
  jpeg_error_mgr errors = {};
  encoder.err = jpeg_std_error(&errors);
  jpeg_create_compress(&encoder);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&encoder, &bytes, &size);
  encoder.image_width = static_cast<JDIMENSION>(options.width);
  encoder.image_height = static_cast<JDIMENSION>(options.height);
  encoder.input_components = options.channels;
  encoder.in_color_space = options.channels == 1   ? JCS_GRAYSCALE
                           : options.channels == 3 ? JCS_RGB
                                                   : JCS_CMYK;
  jpeg_set_defaults(&encoder);
  jpeg_set_quality(&encoder, options.quality, TRUE);
  if (options.is_progressive) jpeg_simple_progression(&encoder);
  if (!options.scans.empty()) {
    encoder.scan_info = options.scans.data();
    encoder.num_scans = static_cast<int>(options.scans.size());
  }
  jpeg_start_compress(&encoder, TRUE);
  while (encoder.next_scanline < encoder.image_height) {
    JSAMPROW row = &pixels[encoder.next_scanline *
                           static_cast<std::size_t>(options.width) *
                           static_cast<std::size_t>(options.channels)];
    jpeg_write_scanlines(&encoder, &row, 1);
  }
  jpeg_finish_compress(&encoder);
  jpeg_destroy_compress(&encoder);
  std::string out(reinterpret_cast<const char*>(bytes), size);
  std::free(bytes);
  return out;
}

/// The same with every pixel of one colour.
inline std::string flat_jpeg(const JpegOptions& options,
                             const std::vector<std::uint8_t>& colour) {
  std::vector<std::uint8_t> pixels;
  for (int k = 0; k < options.width * options.height; ++k) {
    pixels.insert(pixels.end(), colour.begin(), colour.end());
  }
  return jpeg_file(options, pixels);
}

}  // namespace sbog::testing_support
