// SPDX-License-Identifier: Apache-2.0
#include "sbog/scenario/embedder.h"

#include <gtest/gtest.h>

#include "support.h"

namespace sbog::series {
namespace embedder_test {

const EncoderOptions kShape{3, 40, 4, 4, WindowLayout::kTranspose, false};

Matrix<float> some_window() {
  Matrix<float> window(3, 40);
  nn::Draws draws(1, nn::Purpose::kPairs, 16);
  for (float& value : window.elements()) {
    value = static_cast<float>(draws.normal());
  }
  return window;
}

TEST(Embedder, points_are_those_of_the_encoder) {
  const Encoder encoder(kShape, 3);
  EncoderEmbedder embedder(encoder);
  const Matrix<float> window = some_window();
  const Matrix<float> rows =
      encoder.embed(MatrixView<const float>(window.data(), 1, window.size()));
  const std::vector<double> point = embedder.embed(window);
  ASSERT_EQ(point.size(), embedder.dim());
  for (std::size_t k = 0; k < point.size(); ++k) {
    EXPECT_EQ(point[k], double{rows(0, k)});
  }
}

TEST(Embedder, the_jacobian_matches_central_differences) {
  const Encoder encoder(kShape, 3);
  EncoderEmbedder embedder(encoder);
  Matrix<float> window = some_window();
  embedder.embed(window);
  const std::vector<Matrix<float>> slopes = jacobian(embedder, 3, 40);
  ASSERT_EQ(slopes.size(), 4u);
  const float step = 5e-3F;
  for (std::size_t t = 3; t < 40; t += 9) {
    Matrix<float> up = window.clone();
    Matrix<float> down = window.clone();
    up(1, t) += step;
    down(1, t) -= step;
    const std::vector<double> above = embedder.embed(up);
    const std::vector<double> below = embedder.embed(down);
    for (std::size_t k = 0; k < 4; ++k) {
      // Float rounding of the points (1e-7) over the step, and kinks of ReLU.
      EXPECT_NEAR(slopes[k](1, t), (above[k] - below[k]) / (2.0 * step), 3e-4);
    }
  }
}

}  // namespace embedder_test
}  // namespace sbog::series
