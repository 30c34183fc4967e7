// SPDX-License-Identifier: Apache-2.0
// The shape of the 1-D ResNet that turns a window into a point of a sphere.
//
//   block 1   C -> m k8, m -> m k5, m -> m k3     shortcut C -> m k1
//   block 2   m -> 2m k8, 2m -> 2m k5, 2m -> 2m k3   shortcut m -> 2m k1
//   block 3   2m -> 2m k8, k5, k3                 none, or the identity
// Each convolution of the main path is followed by batch normalisation and
// ReLU, the shortcut by batch normalisation; nothing follows their sum. The
// mean over time is the feature f (2m numbers), and linear, ReLU, linear and a
// projection to the unit sphere give the embedding z (`head` numbers).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sbog/nn/parameter_set.h"

namespace sbog::series {

/// How a window of channels x time enters the network.
enum class WindowLayout {
  kTranspose,  ///< one row per channel
  kScramble,   ///< the time-major window read as if it were channel-major
};

/// What fixes the shape of an encoder.
struct EncoderOptions {
  std::size_t channels = 1;
  std::size_t width = 200;  ///< samples of a window
  std::size_t mid = 4;      ///< channels of block 1; the others have twice this
  std::size_t head = 4;     ///< coordinates of a window's embedding
  WindowLayout layout = WindowLayout::kTranspose;
  bool has_block3_identity = false;

  std::size_t features() const { return 2 * mid; }
};

/// Throws InvalidArgument unless every size is at least 1 (head: 2).
void check_encoder_options(const EncoderOptions& options);

/// Numbers of a batch normalisation.
inline constexpr double kBatchNormEpsilon = 1e-5;
inline constexpr double kBatchNormMomentum = 0.1;

/// One convolution with its batch normalisation.
struct ConvLayer {
  std::string conv;  ///< "block1.conv1"
  std::string norm;  ///< "block1.norm1"
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  std::size_t kernel = 0;
  std::size_t left = 0;  ///< zeros on the left; kernel - 1 - left on the right
};

/// Three convolutions and maybe a shortcut.
struct Block {
  std::size_t first = 0;  ///< index of the first main layer; two follow
  bool has_shortcut = false;
  std::size_t shortcut = 0;  ///< index of the shortcut layer
  bool has_identity = false;
};

/// All layers and blocks in order.
struct ResnetPlan {
  std::vector<ConvLayer> layers;
  std::vector<Block> blocks;
};

/// The plan of the options.
ResnetPlan make_plan(const EncoderOptions& options);

/// Adds the tensors of the backbone, of the projection head, or of a cluster
/// head (linear, `inputs` to `classes`) to a set of parameters.
void add_backbone(const ResnetPlan& plan, nn::ParameterSet& parameters);
void add_projection(const EncoderOptions& options,
                    nn::ParameterSet& parameters);
void add_cluster_head(std::size_t inputs, std::size_t classes,
                      nn::ParameterSet& parameters);

/// The running means (0) and variances (1) of all batch normalisations.
nn::ParameterSet make_buffers(const ResnetPlan& plan);

/// PyTorch's default initialisation of every layer in the set; batch
/// normalisations start with weight 1 and bias 0.
void initialise(nn::ParameterSet& parameters, std::uint64_t seed);

}  // namespace sbog::series
