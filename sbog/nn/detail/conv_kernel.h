// SPDX-License-Identifier: Apache-2.0
// Direct convolutions of one window, vectorised over time. Rows of samples are
// padded: a pointer addresses sample 0, and kPadding zeros lie on both sides of
// the rounded width, so that a vector may look past the ends.
#pragma once

#include <cstddef>

namespace sbog::series::detail {

/// Zeros on each side of a padded row; also the multiple to which widths are
/// rounded, so that every vector starts on its own boundary.
inline constexpr std::size_t kPadding = 16;

/// The width rounded up to whole vectors of any target.
constexpr std::size_t rounded_width(std::size_t width) {
  return (width + kPadding - 1) / kPadding * kPadding;
}
/// Elements of a padded row.
constexpr std::size_t padded_width(std::size_t width) {
  return rounded_width(width) + 2 * kPadding;
}

/// Outputs whose weights lie together; see packed_weights.
inline constexpr std::size_t kGroup = 4;

/// A convolution over one window.
struct ConvShape {
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  std::size_t kernel = 0;  ///< at most kPadding
  std::size_t left = 0;
  std::size_t width = 0;  ///< samples, not rounded
};

/// Weights of outputs x inputs x kernel as the kernel wants them: for each
/// group of four outputs, input by input and tap by tap, four together; the
/// outputs that are left over one by one.
void pack_weights(const float* weights, const ConvShape& shape, float* packed);
/// The same for the transposed convolution, which sends gradients of the
/// outputs back to the inputs: inputs and outputs change places, taps are
/// reversed.
void pack_transposed(const float* weights, const ConvShape& shape,
                     float* packed);
/// The shape of that transposed convolution.
ConvShape transposed(const ConvShape& shape);

/// out[o][t] = bias[o] + sum_{i,k} w[o][i][k] in[i][t + k - left] for t below
/// the rounded width. With `adds`, it is added to out instead; bias may be null
/// (0). Rows of `in` are padded and zero beyond the width.
void convolve(const ConvShape& shape, const float* packed, const float* bias,
              const float* in, std::size_t in_stride, bool adds, float* out,
              std::size_t out_stride);

/// Floats of the running sums of a weight gradient.
std::size_t weight_sum_size(const ConvShape& shape);
/// Adds sum_t dy[o][t] in[i][t + k - left] to `sums`, which keeps one vector of
/// partial sums per weight. Rows of `dy` and `in` are zero beyond the width.
void add_weight_gradient(const ConvShape& shape, const float* dy,
                         std::size_t dy_stride, const float* in,
                         std::size_t in_stride, float* sums);
/// Adds the sums up, in double, and adds them to outputs x inputs x kernel
/// gradients.
void finish_weight_gradient(const ConvShape& shape, const float* sums,
                            float* gradients);

}  // namespace sbog::series::detail
