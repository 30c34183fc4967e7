// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/detail/inflate.h"

#include <zlib.h>

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "sbog/base/errors.h"

namespace sbog::detail {
namespace {

// zlib counts in 32 bits; longer buffers are handed over in pieces.
constexpr std::size_t kPiece = std::size_t{1} << 30;
constexpr std::size_t kFirstChunk = std::size_t{1} << 16;

}  // namespace

void ByteSource::expect_no_more() {
  std::byte extra;
  if (read({&extra, 1}) != 0) {
    throw IoError(name_, "the compressed data hold more than the header says");
  }
}

struct GzipSource::State {
  z_stream stream{};
  bool is_at_end = false;
};

GzipSource::GzipSource(std::span<const std::byte> compressed,
                       const std::string& name)
    : ByteSource(name), input_(compressed), state_(std::make_unique<State>()) {
  constexpr int kGzipWindow = 15 + 16;
  if (inflateInit2(&state_->stream, kGzipWindow) != Z_OK) {
    throw std::bad_alloc();
  }
}

GzipSource::~GzipSource() { inflateEnd(&state_->stream); }

void GzipSource::refill() {
  z_stream& stream = state_->stream;
  if (stream.avail_in != 0 || input_.empty()) return;
  const std::size_t count = std::min(input_.size(), kPiece);
  // zlib reads through next_in but, without ZLIB_CONST, declares it mutable.
  stream.next_in =
      const_cast<Bytef*>(reinterpret_cast<const Bytef*>(input_.data()));
  stream.avail_in = static_cast<uInt>(count);
  input_ = input_.subspan(count);
}

// One call of inflate; false at the end of the stream.
bool GzipSource::step() {
  refill();
  z_stream& stream = state_->stream;
  const int status = inflate(&stream, Z_NO_FLUSH);
  if (status == Z_STREAM_END) {
    state_->is_at_end = true;
    return false;
  }
  if (status == Z_MEM_ERROR) throw std::bad_alloc();
  if (status == Z_BUF_ERROR) {  // there is room, so the input has run out
    throw IoError(name(), "the compressed data end too early");
  }
  if (status != Z_OK) {
    const std::string detail = stream.msg != nullptr ? stream.msg : "no detail";
    throw IoError(name(), "the compressed data are damaged (" + detail + ")");
  }
  return true;
}

std::size_t GzipSource::read(std::span<std::byte> out) {
  std::size_t done = 0;
  z_stream& stream = state_->stream;
  while (done < out.size() && !state_->is_at_end) {
    const std::size_t count = std::min(out.size() - done, kPiece);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + done);
    stream.avail_out = static_cast<uInt>(count);
    while (stream.avail_out != 0 && step()) {
    }
    done += count - stream.avail_out;
  }
  return done;
}

void GzipSource::expect_end() {
  expect_no_more();
  if (state_->stream.avail_in != 0 || !input_.empty()) {
    throw IoError(name(), "bytes follow the end of the compressed data");
  }
}

FileBytes read_exactly(ByteSource& source, std::size_t expected,
                       std::uint64_t max_bytes) {
  const std::string& name = source.name();
  if (expected > max_bytes) {
    throw IoError(name, "decompresses to " + std::to_string(expected) +
                            " bytes; the limit is " +
                            std::to_string(max_bytes));
  }
  auto out = std::make_shared<std::vector<std::byte>>();
  while (out->size() < expected) {
    const std::size_t before = out->size();
    const std::size_t chunk = std::max(before, kFirstChunk);
    out->resize(before + std::min(chunk, expected - before));
    const std::span<std::byte> room = std::span(*out).subspan(before);
    if (source.read(room) != room.size()) {
      throw IoError(name, "the compressed data hold less than the header says");
    }
  }
  source.expect_end();
  const std::span<const std::byte> view = *out;
  return {name, view, std::move(out)};
}

std::uint32_t crc32(std::span<const std::byte> bytes) {
  uLong crc = ::crc32(0, nullptr, 0);
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min(bytes.size(), kPiece));
    crc = ::crc32(crc, reinterpret_cast<const Bytef*>(piece.data()),
                  static_cast<uInt>(piece.size()));
    bytes = bytes.subspan(piece.size());
  }
  return static_cast<std::uint32_t>(crc);
}

}  // namespace sbog::detail
