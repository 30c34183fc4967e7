// SPDX-License-Identifier: Apache-2.0
#include "sbog/nn/backbone.h"

#include <gtest/gtest.h>

#include <vector>

#include "nn/backbone_cases.h"
#include "sbog/base/errors.h"
#include "sbog/series/encoder.h"
#include "series/window_support.h"

namespace sbog::series {
namespace backbone_test {

using namespace testing_support;

TEST(Backbone, gradients_are_added_to_what_is_there) {
  const EncoderOptions options = backbone_shapes()[1];
  BackboneCase at(options, 4);
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
  const EncoderOptions options = backbone_shapes()[0];
  BackboneCase at(options, 5);
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
  const EncoderOptions options = backbone_shapes()[2];
  BackboneCase at(options, 3);
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
