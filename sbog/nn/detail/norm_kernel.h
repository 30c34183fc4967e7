// SPDX-License-Identifier: Apache-2.0
// Batch normalisation and ReLU of one window, row by row (a row is one
// channel). Outputs are zero from the width to the rounded width.
#pragma once

#include <cstddef>

namespace sbog::series::detail {

/// Mean and sum of squared deviations of the first `width` samples of a row.
struct RowMoments {
  double mean = 0.0;
  double squares = 0.0;
};
RowMoments row_moments(const float* row, std::size_t width);

/// Per channel: n = scale y + shift is the normalised value.
struct RowAffine {
  float scale = 1.0F;
  float shift = 0.0F;
};

/// out = max(0, n(y)).
void normalise_relu(const float* y, RowAffine affine, std::size_t width,
                    float* out);
/// out += n(y).
void add_normalised(const float* y, RowAffine affine, std::size_t width,
                    float* out);
/// out += in.
void add_row(const float* in, std::size_t width, float* out);

/// Sums of a gradient g and of g (y - mean) over a row.
struct GradientSums {
  double plain = 0.0;
  double weighted = 0.0;
};
GradientSums gradient_sums(const float* g, const float* y, float mean,
                           std::size_t width);
/// The same after g has been set to 0 where n(y) <= 0, in place.
GradientSums mask_and_sum(float* g, const float* y, RowAffine affine,
                          float mean, std::size_t width);

/// out = slope g + bend (y - mean) + constant.
struct NormGradient {
  float slope = 1.0F;
  float bend = 0.0F;
  float mean = 0.0F;
  float constant = 0.0F;
};
void norm_gradient(const float* g, const float* y, const NormGradient& law,
                   std::size_t width, float* out);

/// Sum of a row.
double row_sum(const float* row, std::size_t width);

}  // namespace sbog::series::detail
