// SPDX-License-Identifier: Apache-2.0
#include "sbog/nn/backbone.h"

#include <gtest/gtest.h>

#include <vector>

#include "energy/support.h"
#include "sbog/base/errors.h"
#include "sbog/series/encoder.h"
#include "sbog_torch/series/torch_encoder.h"
#include "series/window_support.h"

namespace sbog::series {
namespace backbone_test {

using sbog::testing_support::simd_targets;
using sbog::testing_support::UseTarget;
using namespace testing_support;

// The usual shape; odd sizes with an identity; as many channels as mid; the
// scrambled layout and wide layers; the smallest of all.
std::vector<EncoderOptions> shapes() {
  return {{38, 200, 4, 4, WindowLayout::kTranspose, false},
          {3, 37, 5, 3, WindowLayout::kTranspose, true},
          {4, 64, 4, 4, WindowLayout::kTranspose, false},
          {7, 50, 8, 8, WindowLayout::kScramble, false},
          {1, 20, 1, 2, WindowLayout::kTranspose, false}};
}

struct Case {
  explicit Case(const EncoderOptions& options, std::size_t windows_count)
      : encoder(options, 7),
        windows(normals(windows_count, options.channels * options.width, 9)),
        d_features(normals(windows_count, options.features(), 11)) {
    shake(encoder.parameters(), 8, 0.2);
    shake(encoder.buffers(), 9, 0.2);
  }
  Encoder encoder;
  Matrix<float> windows;
  Matrix<float> d_features;
};

void expect_close(std::span<const float> ours, std::span<const float> truth,
                  double relative, const std::string& what) {
  EXPECT_LE(largest_difference(ours, truth),
            relative * largest_value(truth) + 1e-6)
      << what;
}

TEST(Backbone, training_pass_and_gradients_match_libtorch_in_double) {
  for (const EncoderOptions& options : shapes()) {
    const std::string shape =
        " with " + std::to_string(options.channels) + " channels";
    const std::size_t count = 12;
    Case at(options, count);
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
  for (const EncoderOptions& options : shapes()) {
    Case at(options, 1);
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

TEST(Backbone, gradients_are_added_to_what_is_there) {
  const EncoderOptions options = shapes()[1];
  Case at(options, 4);
  Backbone backbone(options, 4);
  Matrix<float> features(4, options.features());
  const FillWindow fill = fill_from(at.windows);
  backbone.forward_train(at.encoder.parameters(), at.encoder.buffers(), 4, fill,
                         features);
  nn::ParameterSet once = at.encoder.parameters().zeros();
  backbone.backward(at.d_features, fill, once);
  nn::ParameterSet twice = once;
  backbone.backward(at.d_features, fill, twice);
  for (std::size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(twice.flat()[i], 2.0F * once.flat()[i]);
  }
}

TEST(Backbone, a_window_in_evaluation_does_not_depend_on_its_batch) {
  const EncoderOptions options = shapes()[0];
  Case at(options, 5);
  Backbone backbone(options, 5);
  Matrix<float> together(5, options.features());
  backbone.forward_eval(at.encoder.parameters(), at.encoder.buffers(), 5,
                        fill_from(at.windows), together);
  for (std::size_t b = 0; b < 5; ++b) {
    Matrix<float> alone(1, options.features());
    backbone.forward_eval(
        at.encoder.parameters(), at.encoder.buffers(), 1,
        [&](std::size_t, MatrixView<float> rows) {
          fill_from(at.windows)(b, rows);
        },
        alone);
    for (std::size_t c = 0; c < options.features(); ++c) {
      EXPECT_EQ(alone(0, c), together(b, c));
    }
  }
}

TEST(Backbone, wrong_use_is_refused) {
  const EncoderOptions options = shapes()[2];
  Case at(options, 3);
  Backbone backbone(options, 2);
  Matrix<float> features(3, options.features());
  const FillWindow fill = fill_from(at.windows);
  EXPECT_THROW(backbone.forward_eval(at.encoder.parameters(),
                                     at.encoder.buffers(), 3, fill, features),
               InvalidArgument);
  Matrix<float> two(2, options.features());
  backbone.forward_eval(at.encoder.parameters(), at.encoder.buffers(), 2, fill,
                        two);
  nn::ParameterSet gradients = at.encoder.parameters().zeros();
  EXPECT_THROW(backbone.backward(two, fill, gradients), InvalidArgument);
  Matrix<float> out(options.channels, options.width);
  EXPECT_THROW(backbone.input_gradient(two, out), InvalidArgument);
}

}  // namespace backbone_test
}  // namespace sbog::series
