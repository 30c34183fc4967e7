// SPDX-License-Identifier: Apache-2.0
// What a training of an encoder remembers between steps, and its file.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "sbog/image/image_set.h"
#include "sbog_torch/image/alignment.h"

namespace sbog::image {

/// See the top of the file. Tensors are shared with the training.
struct AlignmentState {
  Encoder encoder;
  nn::TensorMap velocities;
  torch::Tensor anchors;        ///< C x m float
  std::size_t step = 0;         ///< the next step
  double loss_sum = 0.0;        ///< over the images of the epoch so far
  double right = 0.0;           ///< their correct classes so far
  std::vector<double> losses;   ///< one per epoch of the run, 0 when to come
  std::vector<double> correct;  ///< accuracies alike
};

/// What must be equal for a run to go on: options and a checksum of images,
/// labels and anchors, as metadata.
std::map<std::string, std::string> fingerprint(const ImageSet& images,
                                               const EncoderOptions& encoder,
                                               MatrixView<const float> anchors,
                                               const AlignmentOptions& options);

/// Writes the state, complete or not at all. Throws IoError.
void save_state(const std::string& path, const AlignmentState& state,
                const std::map<std::string, std::string>& fingerprint);

/// Reads into a state of the same shape. Throws IoError for a file of another
/// run or a damaged one.
void load_state(const std::string& path,
                const std::map<std::string, std::string>& fingerprint,
                AlignmentState& state);

}  // namespace sbog::image
