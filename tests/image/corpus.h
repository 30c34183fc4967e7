// SPDX-License-Identifier: Apache-2.0
// Small PNG and JPEG files, valid and malformed, made on the spot. The tests
// hold the readers to them and the fuzzer starts from them.
#pragma once

#include <string>
#include <vector>

#include "jpeg_writer.h"
#include "png_writer.h"

namespace sbog::testing_support {

/// A file and what is special about it.
struct CorpusFile {
  std::string name;
  std::string bytes;
};

/// Rows of zeros behind filter bytes, enough for the header.
inline std::string blank_rows(const PngHeader& header) {
  const int channels = header.colour == 2   ? 3
                       : header.colour == 4 ? 2
                       : header.colour == 6 ? 4
                                            : 1;
  const std::size_t bits =
      header.width * header.depth * static_cast<std::size_t>(channels);
  return std::string(header.height * (1 + (bits + 7) / 8), '\0');
}

inline std::string blank_png(const PngHeader& header,
                             const std::string& extra = "") {
  return png_file(header, blank_rows(header), extra);
}

inline std::string grey_palette() { return png_chunk("PLTE", {1, 1, 1}); }

inline std::vector<CorpusFile> valid_images() {
  std::vector<CorpusFile> files;
  for (const int depth : {1, 2, 4, 8, 16}) {
    const PngHeader header{5, 3, static_cast<std::uint8_t>(depth), 0};
    files.push_back({"grey" + std::to_string(depth), blank_png(header)});
  }
  for (const int colour : {2, 4, 6}) {
    for (const int depth : {8, 16}) {
      const PngHeader header{5, 3, static_cast<std::uint8_t>(depth),
                             static_cast<std::uint8_t>(colour)};
      files.push_back(
          {"colour" + std::to_string(colour) + "-" + std::to_string(depth),
           blank_png(header)});
    }
  }
  files.push_back({"palette", blank_png({5, 3, 8, 3}, grey_palette())});
  files.push_back(
      {"palette-alpha",
       blank_png({5, 3, 8, 3}, grey_palette() + png_chunk("tRNS", {9}))});
  files.push_back(
      {"text", blank_png({1, 1, 8, 0}, png_chunk("tEXt", "Title of it"))});
  files.push_back(
      {"unknown-chunk", blank_png({1, 1, 8, 0}, png_chunk("abCd", "what"))});
  files.push_back({"jpeg-colour", flat_jpeg({9, 7, 3}, {1, 2, 3})});
  files.push_back({"jpeg-grey", flat_jpeg({9, 7, 1}, {200})});
  files.push_back({"jpeg-progressive", flat_jpeg({9, 7, 3, true}, {9, 8, 7})});
  return files;
}

/// PNG files whose checksums are right but whose content is not.
inline std::vector<CorpusFile> malformed_png() {
  const PngHeader plain{5, 3, 8, 0};
  const std::string start = png_magic() + png_header(plain);
  const std::string data = png_chunk("IDAT", zlib_stream(blank_rows(plain)));
  const std::string end = png_chunk("IEND", "");
  std::vector<CorpusFile> files = {
      {"magic-only", png_magic()},
      {"no-header", png_magic() + data + end},
      {"no-image", start + end},
      {"no-end", start + data},
      {"two-headers", start + png_header(plain) + data + end},
      {"image-before-palette",
       png_magic() + png_header({5, 3, 8, 3}) + data + end},
      {"empty-image", start + png_chunk("IDAT", "") + end},
      {"not-zlib", start + png_chunk("IDAT", "zlib? no") + end},
      {"cut-zlib",
       start + png_chunk("IDAT", zlib_stream(blank_rows(plain)).substr(0, 6)) +
           end},
      {"few-rows", png_file({5, 9, 8, 0}, blank_rows(plain))},
      {"bad-filter", png_file({1, 1, 8, 0}, "\x09\x01")},
      {"unknown-critical-chunk", start + png_chunk("ABCD", "x") + data + end},
      {"header-length", png_magic() + png_chunk("IHDR", "short") + data + end},
      {"chunk-length", png_magic() + "\xff\xff\xff\xffIHDR"},
      {"text-magic", "\x89PNG\n\n"},
      {"trns-before-palette",
       blank_png({5, 3, 8, 3}, png_chunk("tRNS", {1, 2, 3}))},
  };
  const auto add_header = [&](const std::string& name, PngHeader header) {
    files.push_back({name, png_file(header, blank_rows(plain))});
  };
  add_header("zero-width", {0, 3, 8, 0});
  add_header("zero-height", {5, 0, 8, 0});
  add_header("huge", {65535, 65535, 8, 2});
  add_header("huge-wide", {0x7fffffff, 1, 8, 0});
  add_header("huge-high", {1, 0x7fffffff, 8, 0});
  add_header("huge-both", {0x7fffffff, 0x7fffffff, 16, 6});
  add_header("negative", {0x80000001, 1, 8, 0});
  add_header("depth-3", {5, 3, 3, 0});
  add_header("depth-32", {5, 3, 32, 0});
  add_header("colour-1", {5, 3, 8, 1});
  add_header("colour-7", {5, 3, 8, 7});
  add_header("palette-16", {5, 3, 16, 3});
  add_header("rgb-4", {5, 3, 4, 2});
  add_header("interlace-2", {5, 3, 8, 0, 2});
  return files;
}

/// Replaces bytes of a JPEG from the first place of `marker` on.
inline std::string patched(std::string file, const std::string& marker,
                           std::size_t offset, const std::string& bytes) {
  return file.replace(file.find(marker) + offset, bytes.size(), bytes);
}

inline std::vector<CorpusFile> malformed_jpeg() {
  const std::string good = flat_jpeg({9, 7, 3}, {1, 2, 3});
  const std::string frame("\xff\xc0", 2);
  const std::string quantiser("\xff\xdb", 2);
  const std::string huffman("\xff\xc4", 2);
  const std::string scan("\xff\xda", 2);
  const std::string tail("\xff\xd9", 2);
  return {
      {"start-only", std::string("\xff\xd8\xff", 3)},
      {"start-end", std::string("\xff\xd8\xff\xd9", 4)},
      {"cmyk", flat_jpeg({9, 7, 4}, {1, 2, 3, 4})},
      {"jpeg-huge", patched(good, frame, 5, "\xff\xff\xff\xff")},
      {"jpeg-large", patched(good, frame, 5, "\xff\xdc\xff\xdc")},
      {"jpeg-zero-height", patched(good, frame, 5, std::string(2, '\0'))},
      {"jpeg-zero-width", patched(good, frame, 7, std::string(2, '\0'))},
      {"jpeg-12-bit", patched(good, frame, 4, "\x0c")},
      {"jpeg-components", patched(good, frame, 9, "\x09")},
      {"jpeg-lossless", patched(good, frame, 0, "\xff\xc3")},
      {"jpeg-sampling", patched(good, frame, 11, "\xff")},
      {"jpeg-frame-length", patched(good, frame, 2, std::string(2, '\0'))},
      {"jpeg-quantiser-number", patched(good, quantiser, 4, "\x09")},
      {"jpeg-quantiser-length", patched(good, quantiser, 2, "\xff\xff")},
      {"jpeg-huffman-counts", patched(good, huffman, 5, "\xff\xff\xff")},
      {"jpeg-huffman-number", patched(good, huffman, 4, "\x2f")},
      {"jpeg-scan-components", patched(good, scan, 4, "\x05")},
      {"jpeg-scan-unknown", patched(good, scan, 5, "\x77")},
      {"jpeg-no-scan", good.substr(0, good.find(scan)) + tail},
      {"jpeg-no-data", good.substr(0, good.find(scan) + 14) + tail},
      {"jpeg-no-end", good.substr(0, good.size() - 2)},
      {"jpeg-no-tables",
       good.substr(0, good.find(quantiser)) + good.substr(good.find(frame))},
      {"jpeg-more-rows", patched(good, frame, 5, std::string("\0\x40", 2))},
  };
}

inline std::vector<CorpusFile> malformed_images() {
  std::vector<CorpusFile> files = malformed_png();
  for (CorpusFile& file : malformed_jpeg()) files.push_back(std::move(file));
  files.push_back({"empty", ""});
  files.push_back({"gif", "GIF89a"});
  files.push_back({"words", "an image of a cat"});
  return files;
}

}  // namespace sbog::testing_support
