// SPDX-License-Identifier: Apache-2.0
// An encoder together with the class anchors it was aligned with, as one
// safetensors file:
//   parameter.<name>, buffer.<name>   weights and statistics, float32
//   buffer.anchors                    C x m unit rows, float32
//   text.classes                      class names
// with shape, widths, latent and the number of classes as metadata.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog_torch/image/encoder.h"

namespace sbog::image {

/// See the top of the file.
struct AlignedEncoder {
  Encoder encoder;
  Matrix<float> anchors;                 ///< C x m unit rows
  std::vector<std::string> class_names;  ///< one per class, maybe empty strings
};

/// Writes the file, complete or not at all; `notes` are added to the metadata
/// (how it was trained). Throws IoError, and InvalidArgument when anchors and
/// names do not fit the encoder.
void save_encoder(const std::string& path, const AlignedEncoder& model,
                  const std::map<std::string, std::string>& notes = {});

/// Reads such a file. Throws IoError, one sentence, for anything else: another
/// kind of file, names, shapes or types that do not fit, values that are not
/// finite, anchors that are not unit rows.
AlignedEncoder load_encoder(const std::string& path);

/// The metadata of the options, and back. The latter throws IoError with
/// `path`.
std::map<std::string, std::string> describe(const EncoderOptions& options);
EncoderOptions read_description(
    const std::map<std::string, std::string>& metadata,
    const std::string& path);

}  // namespace sbog::image
