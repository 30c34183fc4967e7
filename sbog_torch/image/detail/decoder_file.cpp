// SPDX-License-Identifier: Apache-2.0
// Metadata of decoders; see decoder_file.h.
#include "sbog_torch/image/detail/decoder_file.h"

#include "sbog/base/errors.h"
#include "sbog/nn/checkpoint.h"

namespace sbog::image::detail {
namespace {

constexpr const char* kFormat = "sbog-image-decoder-1";
constexpr std::size_t kMostPixels = 256;

}  // namespace

nn::Metadata decoder_metadata(DecoderKind kind, const nn::Counts& counts) {
  return nn::with_counts({{"format", kFormat}, {"kind", to_string(kind)}},
                         counts);
}

nn::Metadata decoder_metadata(DecoderKind kind, const ImageShape& shape,
                              nn::Counts counts) {
  counts.emplace_back("channels", shape.channels);
  counts.emplace_back("height", shape.height);
  counts.emplace_back("width", shape.width);
  return decoder_metadata(kind, counts);
}

ImageShape DecoderFile::shape() const {
  return {count("channels"), count("height"), count("width")};
}

DecoderFile read_decoder_file(const std::string& path) {
  DecoderFile file{path, DecoderKind::kNone, nn::read_metadata(path)};
  const auto format = file.metadata.find("format");
  const auto kind = file.metadata.find("kind");
  if (format == file.metadata.end() || format->second != kFormat ||
      kind == file.metadata.end()) {
    throw IoError(path, "is not a decoder of images of this version");
  }
  try {
    file.kind = decoder_kind(kind->second);
  } catch (const InvalidArgument& error) {
    throw IoError(path, error.what());
  }
  return file;
}

DecoderFile read_decoder_file(const std::string& path, DecoderKind kind) {
  DecoderFile file = read_decoder_file(path);
  if (file.kind != kind) {
    throw IoError(path, std::string("a decoder of kind ") + to_string(kind) +
                            " is expected, it is of kind " +
                            to_string(file.kind));
  }
  return file;
}

std::string shape_fault(const ImageShape& shape) {
  if (shape.channels != 1 && shape.channels != 3) {
    return "images of 1 or 3 channels are expected";
  }
  for (const std::size_t side : {shape.height, shape.width}) {
    if (side < 8 || side > kMostPixels || side % 4 != 0) {
      return "images whose sides are multiples of 4 from 8 to 256 are expected";
    }
  }
  return "";
}

}  // namespace sbog::image::detail
