// SPDX-License-Identifier: Apache-2.0
// What a Backbone keeps per layer and its scratch; see backbone.h.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/nn/backbone.h"
#include "sbog/nn/detail/conv_kernel.h"
#include "sbog/nn/detail/norm_kernel.h"

namespace sbog::series {

namespace detail {

/// Moments of a channel over the windows so far, merged by the rule of Chan,
/// Golub and LeVeque: no difference of large sums.
struct ChannelMoments {
  RowMoments total;

  /// Adds the moments of window number b, all windows of `width` samples.
  void add(const RowMoments& row, std::size_t b, std::size_t width) {
    const double before = static_cast<double>(b);
    const double apart = row.mean - total.mean;
    total.squares += row.squares + apart * apart * static_cast<double>(width) *
                                       before / (before + 1.0);
    total.mean += apart / (before + 1.0);
  }
};

}  // namespace detail

/// Sample 0 of a padded row.
inline float* sample0(Matrix<float>& padded, std::size_t row) {
  return padded.data() + row * padded.cols() + detail::kPadding;
}

struct Backbone::Layer {
  detail::ConvShape shape;
  Matrix<float> y;                // outputs of the convolution
  std::vector<float> packed;      // weights for the forward pass
  std::vector<float> transposed;  // and for the backward pass
  std::vector<detail::RowAffine> affine;
  std::vector<double> mean;
  std::vector<double> inverse_deviation;
  std::vector<detail::ChannelMoments> moments;
  std::vector<detail::GradientSums> sums;  // of the gradient of n
  std::vector<detail::NormGradient> law;   // from that gradient to that of y
  Matrix<float> weight_sums;               // one row, one vector per weight

  void set_norm(std::size_t c, double centre, double variance, double weight,
                double bias) {
    mean[c] = centre;
    inverse_deviation[c] = 1.0 / std::sqrt(variance + kBatchNormEpsilon);
    const double scale = weight * inverse_deviation[c];
    affine[c] = {static_cast<float>(scale),
                 static_cast<float>(bias - centre * scale)};
  }
  void add_sums(std::size_t c, std::size_t b, const detail::GradientSums& row) {
    if (b == 0) sums[c] = {};
    sums[c].plain += row.plain;
    sums[c].weighted += row.weighted;
  }
};

/// The time-major window read as rows of the network: row j holds its elements
/// j W .. j W + W - 1.
inline void scramble(MatrixView<const float> window, MatrixView<float> rows) {
  for (std::size_t t = 0; t < window.cols(); ++t) {
    for (std::size_t c = 0; c < window.rows(); ++c) {
      const std::size_t place = t * window.rows() + c;
      rows(place / window.cols(), place % window.cols()) = window(c, t);
    }
  }
}
/// The reverse.
inline void unscramble(MatrixView<const float> rows, MatrixView<float> window) {
  for (std::size_t t = 0; t < window.cols(); ++t) {
    for (std::size_t c = 0; c < window.rows(); ++c) {
      const std::size_t place = t * window.rows() + c;
      window(c, t) = rows(place / window.cols(), place % window.cols());
    }
  }
}

struct Backbone::Scratch {
  Matrix<float> plain;              // the window before it is scrambled
  Matrix<float> input;              // channels x padded
  Matrix<float> activation;         // 2 mid x padded, as the next three
  Matrix<float> second;             // the input of an identity
  Matrix<float> gradient;           // of the output of a main convolution
  Matrix<float> shortcut_gradient;  // and of the shortcut's
  Matrix<float> block;  // gradient of the output of a block, all windows
  Matrix<float> main;   // the same along the main path, masked
};

}  // namespace sbog::series
