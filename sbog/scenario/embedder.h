// SPDX-License-Identifier: Apache-2.0
// What the decoder needs of an encoder: points of windows and gradients.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/series/encoder.h"

namespace sbog::series {

/// A map from windows (channels x width, standard units) to points. One window
/// at a time; one object per thread.
class Embedder {
 public:
  virtual ~Embedder() = default;
  virtual std::size_t dim() const = 0;
  /// The point of a window.
  virtual std::vector<double> embed(MatrixView<const float> window) = 0;
  /// Gradient of <direction, point> at the window embedded last, channels x
  /// width.
  virtual void gradient(std::span<const double> direction,
                        MatrixView<float> out) = 0;
};

/// The encoder, which stays the caller's.
class EncoderEmbedder : public Embedder {
 public:
  explicit EncoderEmbedder(const Encoder& encoder);
  std::size_t dim() const override { return dim_; }
  std::vector<double> embed(MatrixView<const float> window) override;
  void gradient(std::span<const double> direction,
                MatrixView<float> out) override;

 private:
  std::size_t dim_;
  EncoderProbe probe_;
};

/// The Jacobian at the window embedded last: one channels x width matrix per
/// coordinate of the point.
std::vector<Matrix<float>> jacobian(Embedder& embedder, std::size_t channels,
                                    std::size_t width);

}  // namespace sbog::series
