// SPDX-License-Identifier: Apache-2.0
// The encoder's own passes against LibTorch in double.
#include <gtest/gtest.h>

#include <vector>

#include "energy/support.h"
#include "nn/backbone_cases.h"
#include "sbog/base/inner_product.h"
#include "sbog/series/encoder.h"
#include "sbog_torch/series/torch_encoder.h"

namespace sbog::series {
namespace encoder_reference_test {

using sbog::testing_support::simd_targets;
using sbog::testing_support::UseTarget;
using namespace testing_support;

const EncoderOptions kShape{5, 30, 4, 4, WindowLayout::kTranspose, false};

Encoder make_encoder() {
  Encoder encoder(kShape, 3);
  shake(encoder.parameters(), 4, 0.2);
  shake(encoder.buffers(), 5, 0.2);
  return encoder;
}

TEST(Backbone, training_pass_and_gradients_match_libtorch_in_double) {
  for (const EncoderOptions& options : backbone_shapes()) {
    const std::string shape =
        " with " + std::to_string(options.channels) + " channels";
    const std::size_t count = 12;
    BackboneCase at(options, count);
    TorchEncoder reference(options, at.encoder.parameters(),
                           at.encoder.buffers(),
                           TorchEncoder::Precision::kDouble);
    const TorchEncoder::Pass truth = reference.run(
        at.windows, TorchEncoder::Output::kFeatures, at.d_features, true);
    for (const std::int64_t target : simd_targets()) {
      const UseTarget use(target);
      nn::ParameterSet buffers = at.encoder.buffers();
      Backbone backbone(options, count + 3);
      Matrix<float> features(count, options.features());
      const FillWindow fill = fill_from(at.windows);
      backbone.forward_train(at.encoder.parameters(), buffers, count, fill,
                             features);
      expect_close(features.elements(), truth.values.elements(), 1e-5,
                   "features" + shape);
      expect_close(buffers.flat(), truth.buffers.flat(), 1e-5,
                   "buffers" + shape);
      nn::ParameterSet gradients = at.encoder.parameters().zeros();
      backbone.backward(at.d_features, fill, gradients);
      for (const nn::Parameter& entry : gradients.entries()) {
        expect_close(gradients.values(entry.name),
                     truth.gradients.values(entry.name), 1e-4,
                     entry.name + shape);
      }
    }
  }
}

TEST(Backbone, evaluation_and_input_gradients_match_libtorch_in_double) {
  for (const EncoderOptions& options : backbone_shapes()) {
    BackboneCase at(options, 1);
    TorchEncoder reference(options, at.encoder.parameters(),
                           at.encoder.buffers(),
                           TorchEncoder::Precision::kDouble);
    const TorchEncoder::Pass truth = reference.run(
        at.windows, TorchEncoder::Output::kFeatures, at.d_features, false);
    Backbone backbone(options, 1);
    Matrix<float> features(1, options.features());
    backbone.forward_eval(at.encoder.parameters(), at.encoder.buffers(), 1,
                          fill_from(at.windows), features);
    expect_close(features.elements(), truth.values.elements(), 1e-5,
                 "features");
    Matrix<float> gradient(options.channels, options.width);
    backbone.input_gradient(at.d_features, gradient);
    expect_close(gradient.elements(), truth.input_gradients.elements(), 1e-4,
                 "input gradient");
  }
}

TEST(Encoder, points_match_libtorch_in_double) {
  const Encoder encoder = make_encoder();
  const Matrix<float> windows = normals(40, 150, 6);
  TorchEncoder reference(kShape, encoder.parameters(), encoder.buffers(),
                         TorchEncoder::Precision::kDouble);
  const TorchEncoder::Pass truth = reference.run(
      windows, TorchEncoder::Output::kPoints, normals(40, 4, 7), false);
  const Matrix<float> points = encoder.embed(windows);
  EXPECT_LT(largest_difference(points.elements(), truth.values.elements()),
            1e-5);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    EXPECT_NEAR(norm_of<float>(points.row(i)), 1.0, 1e-6);
  }
}

TEST(Encoder, input_gradient_matches_libtorch_in_double) {
  const Encoder encoder = make_encoder();
  const Matrix<float> windows = normals(1, 150, 9);
  const Matrix<float> direction = normals(1, 4, 10);
  TorchEncoder reference(kShape, encoder.parameters(), encoder.buffers(),
                         TorchEncoder::Precision::kDouble);
  const TorchEncoder::Pass truth =
      reference.run(windows, TorchEncoder::Output::kPoints, direction, false);
  const Matrix<float> gradient = encoder.input_gradient(
      MatrixView<const float>(windows.data(), 5, 30), direction.row(0));
  EXPECT_LT(
      largest_difference(gradient.elements(), truth.input_gradients.elements()),
      1e-4 * largest_value(truth.input_gradients.elements()));
}

}  // namespace encoder_reference_test
}  // namespace sbog::series
