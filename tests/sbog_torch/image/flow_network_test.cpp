// SPDX-License-Identifier: Apache-2.0
#include "sbog_torch/image/detail/flow_network.h"

#include <gtest/gtest.h>

#include "decoder_support.h"
#include "sbog_torch/image/detail/in_chunks.h"

namespace sbog::image::detail {
namespace flow_network_test {

using namespace testing_support;

TEST(FlowNetwork, a_straight_field_is_followed_exactly) {
  const torch::Tensor start = normals({2, 1, 4, 4}, 1).to(torch::kFloat64);
  const torch::Tensor end = normals({2, 1, 4, 4}, 2).to(torch::kFloat64);
  for (const std::size_t steps : {1u, 7u}) {
    const torch::Tensor found =
        follow(start, steps, [&](const torch::Tensor&, const torch::Tensor&) {
          return end - start;
        });
    EXPECT_LT((found - end).abs().max().item<double>(), 1e-14);
  }
}

TEST(FlowNetwork, euler_compounds_a_linear_field_at_the_times_of_its_steps) {
  const torch::Tensor start = torch::ones({1, 1, 1, 1}, torch::kFloat64);
  std::vector<double> times;
  const torch::Tensor found =
      follow(start, 4, [&](const torch::Tensor& x, const torch::Tensor& at) {
        times.push_back(at.item<double>());
        return x;
      });
  EXPECT_NEAR(found.item<double>(), std::pow(1.25, 4), 1e-14);
  EXPECT_EQ(times, (std::vector<double>{0.0, 0.25, 0.5, 0.75}));
}

TEST(FlowNetwork, a_velocity_has_the_shape_of_its_image) {
  for (const ImageShape image :
       {ImageShape{1, 28, 28}, ImageShape{3, 32, 32}, ImageShape{3, 8, 12}}) {
    const FlowShape shape{image, 6, 4, 5, 2};
    nn::ParameterSet set = make_flow_parameters(shape);
    initialise_all(set, 1);
    const torch::Tensor x =
        normals({2, static_cast<std::int64_t>(image.channels),
                 static_cast<std::int64_t>(image.height),
                 static_cast<std::int64_t>(image.width)},
                1);
    EXPECT_EQ(velocity(nn::to_tensors(set, torch::kFloat32, false), shape, x,
                       torch::tensor({0.0F, 0.5F}), unit(normals({2, 6}, 2)))
                  .sizes(),
              x.sizes());
  }
}

TEST(FlowNetwork, the_default_for_28_x_28_has_about_100_thousand_weights) {
  const std::size_t count =
      make_flow_parameters({{1, 28, 28}, 64, 16, 64, 10}).size();
  EXPECT_GT(count, 80000u);
  EXPECT_LT(count, 130000u);
}

TEST(FlowNetwork, gradients_agree_with_central_differences) {
  const FlowShape shape{{1, 8, 8}, 3, 4, 5, 2};
  nn::ParameterSet set = make_flow_parameters(shape);
  initialise_all(set, 3);
  const torch::Tensor x = normals({2, 1, 8, 8}, 4).to(torch::kFloat64);
  const torch::Tensor z = unit(normals({2, 3}, 5)).to(torch::kFloat64);
  const torch::Tensor t = torch::tensor({0.2, 0.7}, torch::kFloat64);
  for (const char* name : {"condition.first.weight", "quarter.shift.weight",
                           "to_half.weight", "full_up.norm2.weight"}) {
    const auto loss = [&](torch::Tensor value) {
      nn::TensorMap weights = nn::to_tensors(set, torch::kFloat64, false);
      weights[name] = value;
      return velocity(weights, shape, x, t, z).square().mean();
    };
    const auto weights = nn::to_tensors(set, torch::kFloat64, false);
    EXPECT_LT(gradient_error(weights.at(name), loss, 7), 1e-7) << name;
  }
}

}  // namespace flow_network_test
}  // namespace sbog::image::detail
