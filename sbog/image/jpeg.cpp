// SPDX-License-Identifier: Apache-2.0
// JPEG by libjpeg. Its errors are jumps, so every function that sets a jump
// target handles plain values only: no destructor is ever jumped over.
#include "sbog/image/jpeg.h"

// jpeglib.h uses FILE and size_t without including what defines them.
#include <cstdio>
//
#include <jerror.h>
#include <jpeglib.h>

#include <csetjmp>
#include <cstdint>
#include <cstring>
#include <vector>

#include "sbog/base/errors.h"
#include "sbog/image/detail/planes.h"

namespace sbog {
namespace {

// A small progressive file may ask for its image to be refined without end.
constexpr int kMaxScans = 500;

// `base` comes first: libjpeg hands out a pointer to it.
struct Errors {
  jpeg_error_mgr base;
  std::jmp_buf jump;
  char message[JMSG_LENGTH_MAX];
};

[[noreturn]] void leave(j_common_ptr info) {
  auto* errors = reinterpret_cast<Errors*>(info->err);
  errors->base.format_message(info, errors->message);
  std::longjmp(errors->jump, 1);
}

// Level -1 means that data are lost and would be made up.
void on_message(j_common_ptr info, int level) {
  const int code = info->err->msg_code;
  const bool is_harmless =
      code == JWRN_EXTRANEOUS_DATA || code == JWRN_ADOBE_XFORM;
  if (level < 0 && !is_harmless) leave(info);
}

void on_output(j_common_ptr /*info*/) {}

void on_progress(j_common_ptr info) {
  auto* decoder = reinterpret_cast<j_decompress_ptr>(info);
  if (decoder->input_scan_number <= kMaxScans) return;
  auto* errors = reinterpret_cast<Errors*>(info->err);
  std::strncpy(errors->message, "it has more than 500 scans",
               sizeof(errors->message) - 1);
  std::longjmp(errors->jump, 1);
}

// All that libjpeg works on; nothing of it has a destructor of its own.
struct State {
  jpeg_decompress_struct decoder;
  jpeg_progress_mgr progress;
  Errors errors;
};

class Decoder {
 public:
  Decoder() {
    state.decoder.err = jpeg_std_error(&state.errors.base);
    state.errors.base.error_exit = leave;
    state.errors.base.emit_message = on_message;
    state.errors.base.output_message = on_output;
    state.progress.progress_monitor = on_progress;
  }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  ~Decoder() { jpeg_destroy_decompress(&state.decoder); }

  State state = {};
};

bool read_header(State* state, const unsigned char* bytes, std::size_t size) {
  if (setjmp(state->errors.jump) != 0) return false;
  jpeg_create_decompress(&state->decoder);
  state->decoder.progress = &state->progress;
  jpeg_mem_src(&state->decoder, bytes, size);
  jpeg_read_header(&state->decoder, TRUE);
  return true;
}

bool read_rows(State* state, unsigned char* pixels) {
  if (setjmp(state->errors.jump) != 0) return false;
  jpeg_decompress_struct* decoder = &state->decoder;
  decoder->out_color_space =
      decoder->num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_start_decompress(decoder);
  const std::size_t stride = static_cast<std::size_t>(decoder->output_width) *
                             static_cast<std::size_t>(decoder->num_components);
  while (decoder->output_scanline < decoder->output_height) {
    JSAMPROW row = pixels + decoder->output_scanline * stride;
    jpeg_read_scanlines(decoder, &row, 1);
  }
  jpeg_finish_decompress(decoder);
  return true;
}

[[noreturn]] void refuse(const State& state, const std::string& name) {
  throw IoError(
      name, std::string("the JPEG cannot be read: ") + state.errors.message);
}

ImageShape shape_of(const jpeg_decompress_struct& decoder,
                    const ImageLimits& limits, const std::string& name) {
  check_extents(decoder.image_height, decoder.image_width, limits, name);
  const int channels = decoder.num_components;
  if (channels != 1 && channels != 3) {
    throw IoError(name, "the JPEG has " + std::to_string(channels) +
                            " channels; 1 (grey) or 3 (colour) is expected");
  }
  return {static_cast<std::size_t>(channels), decoder.image_height,
          decoder.image_width};
}

}  // namespace

bool is_jpeg(std::span<const std::byte> bytes) {
  return bytes.size() >= 3 && bytes[0] == std::byte{0xFF} &&
         bytes[1] == std::byte{0xD8} && bytes[2] == std::byte{0xFF};
}

Image decode_jpeg(std::span<const std::byte> bytes, const std::string& name,
                  const ImageLimits& limits) {
  if (!is_jpeg(bytes)) throw IoError(name, "does not begin as a JPEG does");
  Decoder decoder;
  State& state = decoder.state;
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  if (!read_header(&state, data, bytes.size())) refuse(state, name);
  const ImageShape shape = shape_of(state.decoder, limits, name);
  std::vector<std::uint8_t> pixels(shape.size());
  if (!read_rows(&state, pixels.data())) refuse(state, name);
  return detail::to_planes(pixels, shape);
}

}  // namespace sbog
