// SPDX-License-Identifier: Apache-2.0
// The trained encoder: windows in, points of the unit sphere out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/nn/backbone.h"
#include "sbog/nn/parameter_set.h"
#include "sbog/nn/projection.h"
#include "sbog/nn/resnet_plan.h"
#include "sbog/series/window_source.h"

namespace sbog::series {

/// Features and points of a set of windows, one row each.
struct Embedding {
  Matrix<float> features;  ///< 2 mid columns, not negative without identity
  Matrix<float> points;    ///< `head` columns, unit rows
};

/// Parameters, running statistics and what is computed from them. Everything
/// here runs in evaluation mode: a window's result does not depend on others,
/// on the thread count, or on the order.
class Encoder {
 public:
  /// Freshly initialised; the seed fixes every bit.
  Encoder(const EncoderOptions& options, std::uint64_t seed);

  const EncoderOptions& options() const { return options_; }
  nn::ParameterSet& parameters() { return parameters_; }
  const nn::ParameterSet& parameters() const { return parameters_; }
  nn::ParameterSet& buffers() { return buffers_; }
  const nn::ParameterSet& buffers() const { return buffers_; }

  /// Unit rows, one per window of the source.
  Matrix<float> embed(const WindowSource& windows,
                      const Context& context = {}) const;
  /// One row per row of `windows`, each channels x width numbers, channel by
  /// channel, in standard units.
  Matrix<float> embed(MatrixView<const float> windows,
                      const Context& context = {}) const;
  /// Features and points of `count` windows; `fill` may be called from several
  /// threads.
  Embedding embed_all(std::size_t count, const FillWindow& fill,
                      const Context& context = {}) const;

  /// The gradient of <direction, z(window)> with respect to the window
  /// (channels x width).
  Matrix<float> input_gradient(MatrixView<const float> window,
                               std::span<const float> direction) const;

  /// One safetensors file with shape and weights. Both throw IoError.
  void save(const std::string& path) const;
  static Encoder load(const std::string& path);

 private:
  EncoderOptions options_;
  nn::ParameterSet parameters_;
  nn::ParameterSet buffers_;
};

/// One window at a time with work space that is kept: for many gradients. The
/// encoder stays the caller's and must not change meanwhile.
class EncoderProbe {
 public:
  explicit EncoderProbe(const Encoder& encoder);

  /// The point of a window (channels x width).
  std::span<const float> embed(MatrixView<const float> window);
  /// Gradient of <direction, z> at the window embedded last.
  void gradient(std::span<const float> direction, MatrixView<float> out);

 private:
  const Encoder* encoder_;
  Backbone backbone_;
  Projection projection_;
  Matrix<float> window_;
  Matrix<float> features_;
  Matrix<float> point_;
};

}  // namespace sbog::series
