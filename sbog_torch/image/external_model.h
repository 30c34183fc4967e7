// SPDX-License-Identifier: Apache-2.0
// Models of images whose encoder comes from elsewhere and stays as it is: a
// TorchScript program, or features of the images alone. In a folder:
//   external.safetensors   class anchors and names, and what the model was
//                          made from
//   encoder.pt             a copy of the program; not with features
//   bank.safetensors, decoder.safetensors   as in image_model.h
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "sbog/base/progress.h"
#include "sbog/image/image_set.h"
#include "sbog_torch/image/image_model.h"

namespace sbog::image {

/// How a model of a frozen encoder comes about.
struct ExternalOptions {
  /// A TorchScript file (.pt, .pth, .ts), or an array file with one row of
  /// features per image (npy; FILE:NAME for npz and safetensors).
  std::string encoder;
  /// An array file with one row per class, as wide as the latents; empty: the
  /// directions of the means of the classes.
  std::string anchors;
  std::size_t per_class = 1000;  ///< latents of the bank at most
  double held_out = 0.1;         ///< share that the accuracy is told on
  std::uint64_t seed = 0;        ///< of the share
};

/// Whether the name of a file says that it is TorchScript.
bool is_script_name(const std::string& path);

/// Embeds the images of the bank, or takes their features; progress counts
/// images. The accuracy is that of the nearest class anchor. Throws IoError,
/// InvalidArgument for images without at least two classes, for features that
/// are not one row per image, and for anchors of another number or width.
ImageModelResult make_external_model(const ImageSet& images,
                                     const ExternalOptions& options,
                                     const Context& context = {});

/// Whether the folder holds such a model.
bool is_external_model(const std::string& folder);

/// Writes the folder, which exists, the bank aside. Throws IoError.
void save_external_model(const std::string& folder, const ImageModel& model);

/// Reads it back, the bank aside. Throws IoError.
ImageModel load_external_model(const std::string& folder);

}  // namespace sbog::image
