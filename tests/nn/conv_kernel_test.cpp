// SPDX-License-Identifier: Apache-2.0
#include "sbog/nn/detail/conv_kernel.h"

#include <gtest/gtest.h>

#include <vector>

#include "energy/support.h"
#include "series/window_support.h"

namespace sbog::series::detail {
namespace conv_kernel_test {

using sbog::testing_support::simd_targets;
using sbog::testing_support::UseTarget;
using series::testing_support::normals;

// Rows of samples with zeros around them.
struct Padded {
  Padded(std::size_t rows, std::size_t width, std::uint64_t seed)
      : width_(width), all(rows, padded_width(width)) {
    const Matrix<float> values = normals(rows, width, seed);
    for (std::size_t r = 0; r < rows; ++r) {
      std::copy_n(values.row(r).data(), width, at(r));
    }
  }
  float* at(std::size_t row) { return all.row(row).data() + kPadding; }
  double sample(std::size_t row, std::ptrdiff_t t) {
    if (t < 0 || t >= static_cast<std::ptrdiff_t>(width_)) return 0.0;
    return at(row)[t];
  }
  std::size_t width_;
  Matrix<float> all;
};

std::vector<ConvShape> shapes() {
  return {{55, 4, 8, 3, 200}, {4, 4, 5, 2, 200}, {8, 8, 3, 1, 33},
          {3, 9, 8, 3, 16},   {5, 2, 1, 0, 7},   {1, 1, 8, 4, 100}};
}

double weight(const Matrix<float>& weights, const ConvShape& shape,
              std::size_t o, std::size_t i, std::size_t k) {
  return weights.elements()[(o * shape.inputs + i) * shape.kernel + k];
}

TEST(ConvKernel, convolution_equals_the_plain_sum) {
  for (const ConvShape& shape : shapes()) {
    Padded in(shape.inputs, shape.width, 1);
    const std::size_t per_output = shape.inputs * shape.kernel;
    const Matrix<float> weights = normals(shape.outputs, per_output, 2);
    const Matrix<float> bias = normals(1, shape.outputs, 3);
    std::vector<float> packed(weights.size());
    pack_weights(weights.data(), shape, packed.data());
    for (const std::int64_t target : simd_targets()) {
      const UseTarget use(target);
      Matrix<float> out(shape.outputs, rounded_width(shape.width));
      convolve(shape, packed.data(), bias.data(), in.at(0), in.all.cols(),
               false, out.data(), out.cols());
      convolve(shape, packed.data(), nullptr, in.at(0), in.all.cols(), true,
               out.data(), out.cols());
      for (std::size_t o = 0; o < shape.outputs; ++o) {
        for (std::size_t t = 0; t < shape.width; ++t) {
          double sum = 0.0;
          for (std::size_t i = 0; i < shape.inputs; ++i) {
            for (std::size_t k = 0; k < shape.kernel; ++k) {
              sum += weight(weights, shape, o, i, k) *
                     in.sample(i, static_cast<std::ptrdiff_t>(t + k) -
                                      static_cast<std::ptrdiff_t>(shape.left));
            }
          }
          ASSERT_NEAR(out(o, t), bias(0, o) + 2.0 * sum,
                      1e-6 * static_cast<double>(per_output) + 1e-5);
        }
      }
    }
  }
}

TEST(ConvKernel, an_impulse_shows_three_zeros_on_the_left_of_kernel_eight) {
  const ConvShape shape{1, 1, 8, 3, 40};
  Padded in(1, 40, 1);
  std::fill_n(in.at(0), 40, 0.0F);
  in.at(0)[20] = 1.0F;
  std::vector<float> weights = {1, 2, 3, 4, 5, 6, 7, 8};
  Matrix<float> out(1, rounded_width(40));
  convolve(shape, weights.data(), nullptr, in.at(0), in.all.cols(), false,
           out.data(), out.cols());
  // out[t] = w[20 + 3 - t]: the first tap looks three samples back.
  for (std::size_t k = 0; k < 8; ++k) EXPECT_EQ(out(0, 23 - k), weights[k]);
  EXPECT_EQ(out(0, 24), 0.0F);
  EXPECT_EQ(out(0, 15), 0.0F);
}

TEST(ConvKernel, the_transposed_convolution_is_the_adjoint) {
  for (const ConvShape& shape : shapes()) {
    Padded in(shape.inputs, shape.width, 4);
    Padded dy(shape.outputs, shape.width, 5);
    const Matrix<float> weights =
        normals(shape.outputs, shape.inputs * shape.kernel, 6);
    std::vector<float> packed(weights.size());
    std::vector<float> turned(weights.size());
    pack_weights(weights.data(), shape, packed.data());
    pack_transposed(weights.data(), shape, turned.data());
    Matrix<float> out(shape.outputs, rounded_width(shape.width));
    Matrix<float> back(shape.inputs, rounded_width(shape.width));
    convolve(shape, packed.data(), nullptr, in.at(0), in.all.cols(), false,
             out.data(), out.cols());
    convolve(transposed(shape), turned.data(), nullptr, dy.at(0), dy.all.cols(),
             false, back.data(), back.cols());
    double forward = 0.0;
    double backward = 0.0;
    double size = 0.0;
    for (std::size_t t = 0; t < shape.width; ++t) {
      for (std::size_t o = 0; o < shape.outputs; ++o) {
        forward += double{out(o, t)} * double{dy.at(o)[t]};
        size += std::abs(double{out(o, t)});
      }
      for (std::size_t i = 0; i < shape.inputs; ++i) {
        backward += double{back(i, t)} * double{in.at(i)[t]};
      }
    }
    EXPECT_NEAR(forward, backward, 1e-5 * size);
  }
}

TEST(ConvKernel, weight_gradients_equal_the_plain_sum) {
  for (const ConvShape& shape : shapes()) {
    Padded in(shape.inputs, shape.width, 7);
    Padded dy(shape.outputs, shape.width, 8);
    for (const std::int64_t target : simd_targets()) {
      const UseTarget use(target);
      Matrix<float> sums(1, weight_sum_size(shape));
      std::vector<float> gradients(shape.outputs * shape.inputs * shape.kernel,
                                   1.0F);
      for (int twice = 0; twice < 2; ++twice) {
        add_weight_gradient(shape, dy.at(0), dy.all.cols(), in.at(0),
                            in.all.cols(), sums.data());
      }
      finish_weight_gradient(shape, sums.data(), gradients.data());
      std::size_t w = 0;
      for (std::size_t o = 0; o < shape.outputs; ++o) {
        for (std::size_t i = 0; i < shape.inputs; ++i) {
          for (std::size_t k = 0; k < shape.kernel; ++k, ++w) {
            double sum = 0.0;
            for (std::size_t t = 0; t < shape.width; ++t) {
              sum += double{dy.at(o)[t]} *
                     in.sample(i, static_cast<std::ptrdiff_t>(t + k) -
                                      static_cast<std::ptrdiff_t>(shape.left));
            }
            ASSERT_NEAR(gradients[w], 1.0 + 2.0 * sum, 1e-4);
          }
        }
      }
    }
  }
}

}  // namespace conv_kernel_test
}  // namespace sbog::series::detail
