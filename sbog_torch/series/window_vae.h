// SPDX-License-Identifier: Apache-2.0
// A conditional variational autoencoder of windows: p(x | z, u) with the point
// z of the encoder as condition and a small latent u for what z does not say.
// The alternative to the edit decoder: it needs no edits, and says nothing
// about what was changed.
//
//   x (C x W), z  ->  three strided convolutions, linear  ->  mean, log
//   variance u, z          ->  linear, three upsampling convolutions  ->  x (C
//   x W)
//
// A point v is decoded beside a source window x with z = h(x) and u = its mean:
//   x' = clip(x + g (D(u, v) - D(u, z))),
// where the gain g is the one, out of a few, whose window comes nearest to v.
// LibTorch stays behind the source files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/nn/parameter_set.h"
#include "sbog/series/encoder.h"
#include "sbog/series/window_source.h"

namespace sbog::series {

/// What fixes the shape of the autoencoder.
struct VaeShape {
  std::size_t channels = 1;
  std::size_t width = 200;  ///< samples of a window, at least 8
  std::size_t head = 4;     ///< dimension of the condition
  std::size_t latent = 4;
  std::size_t filters = 16;  ///< of the convolutions; the deepest have twice
  std::size_t hidden = 64;   ///< of the linear layers
};

/// Smallest and largest value of each channel that a decoded window may take,
/// in standard units.
struct WindowLimits {
  std::vector<float> low;
  std::vector<float> high;
};

/// The range of the training windows, widened on both sides by a share of it.
WindowLimits training_limits(const WindowSource& windows,
                             double widening = 0.1);

/// Decoded windows, one row each, channel by channel, in standard units.
struct DecodedWindows {
  Matrix<float> windows;
  Matrix<float> points;  ///< h of the windows
  /// |h(x') - v| / |z - v|: 0 is reached, 1 is no nearer than the source; 0
  /// where v = z.
  std::vector<double> ratios;
  std::vector<double> gains;
  /// Share of the samples of a window that the limits moved.
  std::vector<double> clipped_shares;
};

/// See the top of the file. Everything runs with one thread of LibTorch, and
/// no result depends on the other rows of its batch.
class WindowVae {
 public:
  /// Freshly initialised; the seed fixes every bit. Throws InvalidArgument for
  /// sizes of 0 and for windows below 8 samples.
  WindowVae(const VaeShape& shape, std::uint64_t seed);

  const VaeShape& shape() const { return shape_; }
  nn::ParameterSet& parameters() { return parameters_; }
  const nn::ParameterSet& parameters() const { return parameters_; }

  /// The mean latent of each window with its point.
  Matrix<float> infer(MatrixView<const float> windows,
                      MatrixView<const float> points) const;
  /// D(u, v), one window per row.
  Matrix<float> generate(MatrixView<const float> latents,
                         MatrixView<const float> points) const;
  /// D of the inferred latent: how well windows come back.
  Matrix<float> reconstruct(MatrixView<const float> windows,
                            MatrixView<const float> points) const;

  /// Decodes one point per source window, see the top of the file. Throws
  /// InvalidArgument when shapes disagree with each other or the encoder.
  DecodedWindows decode(const Encoder& encoder, MatrixView<const float> targets,
                        MatrixView<const float> sources,
                        const WindowLimits& limits,
                        const Context& context = {}) const;

  /// One safetensors file with shape and weights. Both throw IoError.
  void save(const std::string& path) const;
  static WindowVae load(const std::string& path);

 private:
  VaeShape shape_;
  nn::ParameterSet parameters_;
};

}  // namespace sbog::series
