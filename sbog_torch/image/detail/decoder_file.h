// SPDX-License-Identifier: Apache-2.0
// What the files of decoders have in common: metadata that names the kind, and
// whole numbers as text.
#pragma once

#include <cstdint>
#include <string>

#include "sbog/nn/checkpoint.h"
#include "sbog_torch/image/decoder.h"

namespace sbog::image::detail {

/// Metadata of a decoder's file.
nn::Metadata decoder_metadata(DecoderKind kind, const nn::Counts& counts);
/// The same with channels, height and width of the images.
nn::Metadata decoder_metadata(DecoderKind kind, const ImageShape& shape,
                              nn::Counts counts);

/// The metadata of a file that a decoder wrote.
struct DecoderFile {
  std::string path;
  DecoderKind kind = DecoderKind::kNone;
  nn::Metadata metadata;

  std::uint64_t count(const std::string& name) const {
    return nn::read_count(metadata, name, path);
  }
  /// Channels, height and width.
  ImageShape shape() const;
};

/// Throws IoError when the file is not one of a decoder of this version.
DecoderFile read_decoder_file(const std::string& path);

/// As above, and of this kind.
DecoderFile read_decoder_file(const std::string& path, DecoderKind kind);

/// What is wrong with an image shape for networks that halve it twice; empty
/// when all is well.
std::string shape_fault(const ImageShape& shape);

}  // namespace sbog::image::detail
