// SPDX-License-Identifier: Apache-2.0
// PNG by libpng. Its errors are jumps, so every function that sets a jump
// target handles plain values only: no destructor is ever jumped over.
#include "sbog/image/png.h"

#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>
#include <string_view>

#include "sbog/base/atomic_file.h"
#include "sbog/base/errors.h"
#include "sbog/image/detail/planes.h"

namespace sbog {
namespace {

constexpr std::size_t kMaxSide = std::size_t{1} << 20;
// What chunks beside the image may need, as a whole and one by one.
constexpr png_uint_32 kMaxChunks = 1000;
constexpr png_alloc_size_t kMaxChunkBytes = png_alloc_size_t{8} << 20;

// The bytes to read or written so far, and the message of a failure.
struct Session {
  const std::byte* input = nullptr;
  std::size_t remaining = 0;
  std::vector<std::uint8_t>* output = nullptr;
  bool is_out_of_memory = false;
  char message[128] = "";
};

Session& session_of(png_structp png) {
  return *static_cast<Session*>(png_get_error_ptr(png));
}

[[noreturn]] void on_error(png_structp png, png_const_charp text) {
  Session& session = session_of(png);
  std::strncpy(session.message, text, sizeof(session.message) - 1);
  png_longjmp(png, 1);
}

// Oddities that libpng can read past are no business of ours.
void on_warning(png_structp /*png*/, png_const_charp /*text*/) {}

void on_read(png_structp png, png_bytep out, std::size_t count) {
  Session& session = session_of(png);
  if (count > session.remaining) png_error(png, "the file ends too early");
  std::memcpy(out, session.input, count);
  session.input += count;
  session.remaining -= count;
}

// No exception may pass through C.
bool append(std::vector<std::uint8_t>& out, const png_byte* bytes,
            std::size_t count) noexcept {
  try {
    out.insert(out.end(), bytes, bytes + count);
    return true;
  } catch (...) {
    return false;
  }
}

void on_write(png_structp png, png_bytep bytes, std::size_t count) {
  if (!append(*session_of(png).output, bytes, count)) {
    session_of(png).is_out_of_memory = true;
    png_error(png, "out of memory");
  }
}

void on_flush(png_structp /*png*/) {}

class Reader {
 public:
  explicit Reader(Session& session)
      : png(png_create_read_struct(PNG_LIBPNG_VER_STRING, &session, on_error,
                                   on_warning)),
        info(png != nullptr ? png_create_info_struct(png) : nullptr) {}
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }

  png_structp png;
  png_infop info;
};

class Writer {
 public:
  explicit Writer(Session& session)
      : png(png_create_write_struct(PNG_LIBPNG_VER_STRING, &session, on_error,
                                    on_warning)),
        info(png != nullptr ? png_create_info_struct(png) : nullptr) {}
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() { png_destroy_write_struct(&png, &info); }

  png_structp png;
  png_infop info;
};

bool read_header(png_structp png, png_infop info) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_read_fn(png, nullptr, on_read);
  png_set_crc_action(png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
  // Our own limit on pixels comes right after the header.
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_chunk_cache_max(png, kMaxChunks);
  png_set_chunk_malloc_max(png, kMaxChunkBytes);
  png_read_info(png, info);
  return true;
}

bool ask_for_bytes(png_structp png, png_infop info) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_expand(png);
  png_set_scale_16(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  return true;
}

bool read_rows(png_structp png, png_bytepp rows) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_read_image(png, rows);
  png_read_end(png, nullptr);
  return true;
}

bool write_rows(png_structp png, png_infop info, const ImageShape* shape,
                png_bytepp rows) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_write_fn(png, nullptr, on_write, on_flush);
  png_set_user_limits(png, kMaxSide, kMaxSide);
  png_set_IHDR(png, info, static_cast<png_uint_32>(shape->width),
               static_cast<png_uint_32>(shape->height), 8,
               shape->channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  png_write_image(png, rows);
  png_write_end(png, info);
  return true;
}

std::vector<png_bytep> row_pointers(std::vector<std::uint8_t>& bytes,
                                    std::size_t height) {
  std::vector<png_bytep> rows(height);
  const std::size_t stride = bytes.size() / height;
  for (std::size_t i = 0; i < height; ++i) rows[i] = &bytes[i * stride];
  return rows;
}

[[noreturn]] void refuse(const Session& session, const std::string& name) {
  throw IoError(name,
                std::string("the PNG cannot be read: ") + session.message);
}

void check_shape(const ImageShape& shape,
                 std::span<const std::uint8_t> pixels) {
  const auto is_side = [](std::size_t side) {
    return side >= 1 && side <= kMaxSide;
  };
  if ((shape.channels != 1 && shape.channels != 3) || !is_side(shape.height) ||
      !is_side(shape.width) || pixels.size() != shape.size()) {
    throw InvalidArgument("encode_png: " + std::to_string(pixels.size()) +
                          " pixels of " + to_string(shape) +
                          " were given; 1 or 3 channels, sides from 1 to "
                          "2^20 and as many pixels are expected");
  }
}

}  // namespace

bool is_png(std::span<const std::byte> bytes) {
  static constexpr std::string_view kMagic = "\x89PNG\r\n\x1a\n";
  return bytes.size() >= kMagic.size() &&
         std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0;
}

Image decode_png(std::span<const std::byte> bytes, const std::string& name,
                 const ImageLimits& limits) {
  if (!is_png(bytes)) throw IoError(name, "does not begin as a PNG does");
  Session session;
  session.input = bytes.data();
  session.remaining = bytes.size();
  const Reader reader(session);
  if (reader.info == nullptr) throw std::bad_alloc();
  if (!read_header(reader.png, reader.info)) refuse(session, name);
  const std::size_t height = png_get_image_height(reader.png, reader.info);
  const std::size_t width = png_get_image_width(reader.png, reader.info);
  check_extents(height, width, limits, name);
  if (!ask_for_bytes(reader.png, reader.info)) refuse(session, name);
  const std::size_t channels = png_get_channels(reader.png, reader.info);
  std::vector<std::uint8_t> pixels(height * width * channels);
  if (png_get_rowbytes(reader.png, reader.info) != width * channels) {
    throw IoError(name, "the rows of the PNG are of an unknown kind");
  }
  std::vector<png_bytep> rows = row_pointers(pixels, height);
  if (!read_rows(reader.png, rows.data())) refuse(session, name);
  return detail::to_planes(pixels, {channels, height, width});
}

std::vector<std::uint8_t> encode_png(const ImageShape& shape,
                                     std::span<const std::uint8_t> pixels) {
  check_shape(shape, pixels);
  std::vector<std::uint8_t> interleaved = detail::interleave(pixels, shape);
  std::vector<png_bytep> rows = row_pointers(interleaved, shape.height);
  std::vector<std::uint8_t> out;
  Session session;
  session.output = &out;
  const Writer writer(session);
  if (writer.info == nullptr) throw std::bad_alloc();
  if (!write_rows(writer.png, writer.info, &shape, rows.data())) {
    if (session.is_out_of_memory) throw std::bad_alloc();
    throw InvalidArgument(std::string("encode_png: ") + session.message);
  }
  return out;
}

void write_png(const std::string& path, const ImageShape& shape,
               std::span<const std::uint8_t> pixels) {
  const std::vector<std::uint8_t> bytes = encode_png(shape, pixels);
  write_file_atomically(
      path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace sbog
