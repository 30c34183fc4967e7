// SPDX-License-Identifier: Apache-2.0
// What jobs on images are told: which images, how encoder, bank and decoder are
// made, and how outliers become images.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sbog/base/option_table.h"

namespace sbog::job {

/// How images are read.
struct ImageInput {
  std::string class_names;  ///< a text with one name per line
  std::size_t side = 0;     ///< resize to side x side; 0: as they are
  std::size_t limit = 0;    ///< images per class at most; 0: all
};

OptionTable<ImageInput> image_input_table();

/// How logits are made robust; sbog_torch/image/robust_alignment.h says what
/// each field does.
struct RobustSettings {
  bool robust = false;
  std::string atoms = "latent";  ///< or input, or neighbour
  std::size_t atom_count = 8;
  double epsilon = 0.05;
  double kappa = 0.1;
  double warm_up = 0.2;
  std::string sign = "paper";  ///< or adversarial
};

/// How encoder and bank are made, but for epochs and class anchors.
struct ImageModelSettings {
  std::size_t batch = 0;  ///< images per step; 0: 50 steps in an epoch
  std::size_t latent = 64;
  std::vector<std::size_t> widths = {16, 32, 64};
  RobustSettings robust;
  std::size_t per_class = 1000;  ///< latents of the bank at most
  double held_out = 0.1;
};

OptionTable<ImageModelSettings> image_model_table();

/// Throws InvalidArgument for numbers out of range, and for settings of robust
/// logits where robust logits are not asked for.
void check_image_model(const ImageModelSettings& settings);

/// What only `generate` on images is told.
struct ImageSettings {
  ImageInput input;
  ImageModelSettings model;
  std::size_t decoded = 1000;  ///< outliers of a class to decode at most
  std::size_t pictures = 16;   ///< of them as PNG files of their own
  /// "source", "detail" or "fresh": where what a latent leaves open comes from.
  std::string variation = "detail";
  std::size_t decode_rounds = 4;  ///< images are drawn nearer their points
};

OptionTable<ImageSettings> image_option_table();

}  // namespace sbog::job
