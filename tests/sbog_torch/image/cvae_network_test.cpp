// SPDX-License-Identifier: Apache-2.0
#include "sbog_torch/image/detail/cvae_network.h"

#include <gtest/gtest.h>

#include "decoder_support.h"
#include "sbog_torch/image/detail/in_chunks.h"

namespace sbog::image::detail {
namespace cvae_network_test {

using namespace testing_support;

TEST(CvaeNetwork, images_of_both_sizes_and_depths_come_out_in_range) {
  for (const ImageShape image :
       {ImageShape{1, 28, 28}, ImageShape{3, 32, 32}, ImageShape{3, 8, 12}}) {
    const CvaeShape shape{image, 6, 3, 4, 5};
    nn::ParameterSet set = make_cvae_parameters(shape);
    initialise_all(set, 1);
    const auto weights = nn::to_tensors(set, torch::kFloat32, false);
    const torch::Tensor made =
        generate(weights, shape, normals({2, 3}, 1), unit(normals({2, 6}, 2)));
    EXPECT_EQ(made.sizes(),
              at::IntArrayRef({2, static_cast<std::int64_t>(image.channels),
                               static_cast<std::int64_t>(image.height),
                               static_cast<std::int64_t>(image.width)}));
    EXPECT_GT(made.min().item<double>(), 0.0);
    EXPECT_LT(made.max().item<double>(), 1.0);
    const CvaePosterior q = infer(weights, made, unit(normals({2, 6}, 2)));
    EXPECT_EQ(q.mean.sizes(), at::IntArrayRef({2, 3}));
    EXPECT_EQ(q.log_variance.sizes(), at::IntArrayRef({2, 3}));
  }
}

TEST(CvaeNetwork, the_divergence_is_that_of_two_normals) {
  const torch::Tensor zero = torch::zeros({2, 3}, torch::kFloat64);
  EXPECT_EQ(divergence({zero, zero}).item<double>(), 0.0);
  // One row moved by (1, 2, 3), one with variances of 4.
  const torch::Tensor mean =
      torch::tensor({{1.0, 2.0, 3.0}, {0.0, 0.0, 0.0}}, torch::kFloat64);
  const double log4 = std::log(4.0);
  const torch::Tensor log_variance =
      torch::tensor({{0.0, 0.0, 0.0}, {log4, log4, log4}}, torch::kFloat64);
  const double expected = 0.5 * (0.5 * 14.0 + 3.0 * 0.5 * (4.0 - 1.0 - log4));
  EXPECT_NEAR(divergence({mean, log_variance}).item<double>(), expected, 1e-12);
}

TEST(CvaeNetwork, the_gradient_difference_is_the_plain_loop) {
  const torch::Tensor a = normals({2, 3, 4, 5}, 1).to(torch::kFloat64);
  const torch::Tensor b = normals({2, 3, 4, 5}, 2).to(torch::kFloat64);
  double down = 0.0, across = 0.0;
  const auto gap = [&](int n, int c, int y, int x) {
    return (a[n][c][y][x] - b[n][c][y][x]).item<double>();
  };
  for (int n = 0; n < 2; ++n) {
    for (int c = 0; c < 3; ++c) {
      for (int y = 0; y < 4; ++y) {
        for (int x = 0; x < 5; ++x) {
          if (y > 0) down += std::abs(gap(n, c, y, x) - gap(n, c, y - 1, x));
          if (x > 0) across += std::abs(gap(n, c, y, x) - gap(n, c, y, x - 1));
        }
      }
    }
  }
  const double expected = down / (2 * 3 * 3 * 5) + across / (2 * 3 * 4 * 4);
  EXPECT_NEAR(gradient_difference(a, b).item<double>(), expected, 1e-12);
  EXPECT_NEAR(gradient_difference(a, a + 0.25).item<double>(), 0.0, 1e-12);
}

TEST(CvaeNetwork, the_cosine_gap_is_0_for_equal_and_2_for_opposite_rows) {
  const torch::Tensor rows = unit(normals({4, 6}, 3));
  EXPECT_NEAR(cosine_gap(rows, rows).item<double>(), 0.0, 1e-6);
  EXPECT_NEAR(cosine_gap(rows, -rows).item<double>(), 2.0, 1e-6);
}

TEST(CvaeNetwork, gradients_agree_with_central_differences) {
  const CvaeShape shape{{1, 8, 8}, 3, 2, 4, 5};
  nn::ParameterSet set = make_cvae_parameters(shape);
  initialise_all(set, 3);
  const torch::Tensor x = make_bars(2, 1).images.to(torch::kFloat64);
  const torch::Tensor z = unit(normals({2, 3}, 4)).to(torch::kFloat64);
  const torch::Tensor draw = normals({2, 2}, 5).to(torch::kFloat64);
  const Embed embed = linear_embed(64, 3);
  for (const char* name : {"infer.conv1.weight", "infer.log_variance.weight",
                           "generate.base.weight", "generate.full_shift.bias",
                           "generate.out.weight"}) {
    const auto loss = [&](torch::Tensor value) {
      nn::TensorMap weights = nn::to_tensors(set, torch::kFloat64, false);
      weights[name] = value;
      const CvaePosterior q = infer(weights, x, z);
      const torch::Tensor made = generate(
          weights, shape, q.mean + (0.5 * q.log_variance).exp() * draw, z);
      return (made - x).square().mean() + cosine_gap(embed(made), z) +
             divergence(q);
    };
    const auto weights = nn::to_tensors(set, torch::kFloat64, false);
    EXPECT_LT(gradient_error(weights.at(name), loss, 5), 1e-7) << name;
  }
}

}  // namespace cvae_network_test
}  // namespace sbog::image::detail
