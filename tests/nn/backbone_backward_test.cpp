// SPDX-License-Identifier: Apache-2.0
// The backward pass against central differences of the forward pass, where
// float allows it; backbone_test.cpp compares it with LibTorch.
#include <gtest/gtest.h>

#include "sbog/nn/backbone.h"
#include "sbog/series/encoder.h"
#include "series/window_support.h"

namespace sbog::series {
namespace backbone_backward_test {

using namespace testing_support;

TEST(BackboneBackward, input_gradient_is_the_slope_of_the_features) {
  const EncoderOptions options{2, 24, 4, 4, WindowLayout::kTranspose, true};
  Encoder encoder(options, 5);
  shake(encoder.parameters(), 6, 0.3);
  Matrix<float> window = normals(1, 48, 7);
  const Matrix<float> direction = normals(1, options.features(), 8);
  Backbone backbone(options, 1);
  Matrix<float> features(1, options.features());
  const auto value = [&] {
    backbone.forward_eval(encoder.parameters(), encoder.buffers(), 1,
                          fill_from(window), features);
    double sum = 0.0;
    for (std::size_t c = 0; c < features.cols(); ++c) {
      sum += double{features(0, c)} * double{direction(0, c)};
    }
    return sum;
  };
  value();
  Matrix<float> gradient(options.channels, options.width);
  backbone.input_gradient(direction, gradient);
  // The whole gradient direction at once: per sample the kinks of ReLU and the
  // rounding of float would drown the slope.
  const float step = 1e-3F;
  double length = 0.0;
  for (const float g : gradient.elements()) length += double{g} * double{g};
  const auto move = [&](float by) {
    for (std::size_t i = 0; i < window.size(); ++i) {
      window.elements()[i] += by * gradient.elements()[i];
    }
  };
  move(step);
  const double above = value();
  move(-2.0F * step);
  const double below = value();
  EXPECT_NEAR((above - below) / (2.0 * step), length, 0.02 * length);
}

TEST(BackboneBackward, biases_of_convolutions_have_no_gradient) {
  const EncoderOptions options{3, 20, 4, 4, WindowLayout::kTranspose, false};
  Encoder encoder(options, 5);
  const Matrix<float> windows = normals(6, 60, 7);
  const Matrix<float> direction = normals(6, options.features(), 8);
  Backbone backbone(options, 6);
  Matrix<float> features(6, options.features());
  backbone.forward_train(encoder.parameters(), encoder.buffers(), 6,
                         fill_from(windows), features);
  nn::ParameterSet gradients = encoder.parameters().zeros();
  backbone.backward(direction, fill_from(windows), gradients);
  for (const ConvLayer& layer : make_plan(options).layers) {
    EXPECT_EQ(largest_value(gradients.values(layer.conv + ".bias")), 0.0);
    EXPECT_GT(largest_value(gradients.values(layer.conv + ".weight")), 0.0);
  }
}

}  // namespace backbone_backward_test
}  // namespace sbog::series
