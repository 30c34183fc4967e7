// SPDX-License-Identifier: Apache-2.0
// Encoders from elsewhere, frozen: as features in an array file, or as a
// TorchScript program.
//
// A TorchScript file is a program: load only files whose origin you trust.
// Features are numbers and carry no such risk.
#pragma once

#include <cstddef>
#include <string>

#include "sbog/base/matrix.h"
#include "sbog/image/image_set.h"
#include "sbog_torch/image/embed.h"

namespace sbog::image {

/// The rows of an array file (npy; FILE:NAME for npz and safetensors) as unit
/// rows of float; extents after the first are flattened. Throws IoError, and
/// InvalidArgument for NaN, infinity, no numbers and rows of length 0.
Matrix<float> read_features(const std::string& spec);

/// What a TorchScript encoder is expected to take and give.
struct ScriptOptions {
  ImageShape shape;        ///< of its input, float in [0, 1]
  std::size_t latent = 0;  ///< numbers per image; 0: whatever it gives
};

/// The encoder of a TorchScript file in evaluation mode, its outputs flattened
/// to N x m and divided by their length. It is tried on two grey images; its
/// parameters ask for no gradients, its input may. Throws IoError, one
/// sentence, when the file is missing, is not TorchScript, fails on images of
/// this shape or gives anything but finite numbers of the right width.
/// Later calls throw InvalidArgument.
Embed load_script_encoder(const std::string& path,
                          const ScriptOptions& options);

}  // namespace sbog::image
