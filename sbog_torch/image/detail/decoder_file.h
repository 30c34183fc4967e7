// SPDX-License-Identifier: Apache-2.0
// What the files of decoders and detectors have in common: metadata that names
// the kind, and whole numbers as text.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sbog_torch/image/decoder.h"

namespace sbog::image::detail {

/// Whole numbers by name.
using Counts = std::vector<std::pair<std::string, std::uint64_t>>;

/// The number called `name` in the metadata of the file at `path`. Throws
/// IoError when it is missing or no whole number.
std::uint64_t read_count(const std::map<std::string, std::string>& metadata,
                         const std::string& name, const std::string& path);

/// Metadata of a decoder's file.
std::map<std::string, std::string> decoder_metadata(DecoderKind kind,
                                                    const Counts& counts);

/// The metadata of a file that a decoder wrote.
struct DecoderFile {
  std::string path;
  DecoderKind kind = DecoderKind::kNone;
  std::map<std::string, std::string> metadata;

  std::uint64_t count(const std::string& name) const {
    return read_count(metadata, name, path);
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
