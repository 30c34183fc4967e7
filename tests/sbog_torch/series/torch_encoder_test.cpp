// SPDX-License-Identifier: Apache-2.0
#include "sbog_torch/series/torch_encoder.h"

#include <gtest/gtest.h>

#include "sbog/base/errors.h"
#include "sbog/nn/contrastive_loss.h"
#include "sbog/series/encoder.h"
#include "series/window_support.h"

namespace sbog::series {
namespace torch_encoder_test {

using namespace testing_support;

const EncoderOptions kShape{4, 24, 4, 4, WindowLayout::kTranspose, false};

TEST(TorchEncoder, a_training_step_equals_ours) {
  Encoder encoder(kShape, 3);
  const Matrix<float> windows = normals(12, 96, 4);
  TorchEncoder reference(kShape, encoder.parameters(), encoder.buffers(),
                         TorchEncoder::Precision::kDouble);
  const nn::AdamOptions adam{1e-3, 0.9, 0.999, 1e-8, 1e-2, true};
  nn::AdamState state = nn::make_adam_state(encoder.parameters().size());
  Backbone backbone(kShape, 12);
  Projection projection;
  for (int step = 0; step < 3; ++step) {
    const double truth = reference.train_step(windows, 0.4, adam);
    Matrix<float> features(12, 8);
    const FillWindow fill = fill_from(windows);
    backbone.forward_train(encoder.parameters(), encoder.buffers(), 12, fill,
                           features);
    const LossResult loss = contrastive_loss(
        ContrastiveLoss::kInfoNce,
        projection.forward(encoder.parameters(), features), 0.4, 0.0);
    EXPECT_NEAR(loss.value, truth, 1e-4 * truth);
    nn::ParameterSet gradients = encoder.parameters().zeros();
    backbone.backward(
        projection.backward(encoder.parameters(), loss.gradients, &gradients),
        fill, gradients);
    nn::adam_step(adam, gradients.flat(), state, encoder.parameters().flat());
  }
}

TEST(TorchEncoder, its_parameters_are_copies_that_come_back) {
  const Encoder encoder(kShape, 3);
  const TorchEncoder reference(kShape, encoder.parameters(), encoder.buffers(),
                               TorchEncoder::Precision::kFloat);
  EXPECT_EQ(largest_difference(reference.parameters().flat(),
                               encoder.parameters().flat()),
            0.0);
}

TEST(TorchEncoder, windows_of_another_size_are_refused) {
  const Encoder encoder(kShape, 3);
  TorchEncoder reference(kShape, encoder.parameters(), encoder.buffers(),
                         TorchEncoder::Precision::kFloat);
  EXPECT_THROW(reference.train_step(normals(3, 95, 1), 0.4, {}),
               InvalidArgument);
}

}  // namespace torch_encoder_test
}  // namespace sbog::series
