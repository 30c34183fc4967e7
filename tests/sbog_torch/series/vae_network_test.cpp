// SPDX-License-Identifier: Apache-2.0
#include "sbog_torch/series/detail/vae_network.h"

#include <gtest/gtest.h>

#include <cmath>

#include "series/window_support.h"

namespace sbog::series::detail {
namespace vae_network_test {

using namespace testing_support;

nn::TensorMap make_weights(const VaeShape& shape, torch::ScalarType type) {
  nn::ParameterSet set = make_vae_parameters(shape);
  shake(set, 3, 0.6);
  return nn::to_tensors(set, type, true);
}

TEST(VaeNetwork, windows_of_any_width_come_back_in_their_shape) {
  for (const std::int64_t width : {8, 9, 13, 50, 200}) {
    const VaeShape shape{3, static_cast<std::size_t>(width), 4, 5, 6, 7};
    const nn::TensorMap weights = make_weights(shape, torch::kFloat32);
    const torch::Tensor x = torch::zeros({2, 3, width});
    const torch::Tensor z = torch::zeros({2, 4});
    const Posterior posterior = infer(weights, x, z);
    EXPECT_EQ(posterior.mean.sizes(), (std::vector<std::int64_t>{2, 5}));
    EXPECT_EQ(posterior.log_variance.sizes(),
              (std::vector<std::int64_t>{2, 5}));
    EXPECT_EQ(generate(weights, shape, posterior.mean, z).sizes(),
              (std::vector<std::int64_t>{2, 3, width}));
  }
}

TEST(VaeNetwork, the_divergence_is_that_of_normals) {
  const VaeShape shape{2, 16, 3, 2, 4, 5};
  nn::TensorMap weights = make_weights(shape, torch::kFloat64);
  // A posterior that does not look at the window: mean 0.5, variance 4.
  weights["infer.mean.weight"] = torch::zeros({2, 5}, torch::kFloat64);
  weights["infer.mean.bias"] = torch::full({2}, 0.5, torch::kFloat64);
  weights["infer.log_variance.weight"] = torch::zeros({2, 5}, torch::kFloat64);
  weights["infer.log_variance.bias"] =
      torch::full({2}, std::log(4.0), torch::kFloat64);
  const VaeLoss loss =
      vae_loss(weights, shape, torch::ones({3, 2, 16}, torch::kFloat64),
               torch::ones({3, 3}, torch::kFloat64),
               torch::zeros({3, 2}, torch::kFloat64));
  // Two dimensions of (mu^2 + s^2 - 1 - ln s^2) / 2.
  EXPECT_NEAR(loss.divergence.item<double>(), 0.25 + 4.0 - 1.0 - std::log(4.0),
              1e-12);
}

TEST(VaeNetwork, gradients_match_differences) {
  const VaeShape shape{2, 12, 3, 2, 3, 4};
  nn::ParameterSet set = make_vae_parameters(shape);
  shake(set, 5, 0.8);
  const torch::Tensor x =
      nn::to_tensor(normals(4, 24, 6), torch::kFloat64).reshape({4, 2, 12});
  const torch::Tensor z = nn::to_tensor(normals(4, 3, 7), torch::kFloat64);
  const torch::Tensor noise = nn::to_tensor(normals(4, 2, 8), torch::kFloat64);
  const auto value = [&](const nn::TensorMap& weights) {
    const VaeLoss loss = vae_loss(weights, shape, x, z, noise);
    return loss.error + 0.1 * loss.divergence;
  };
  nn::TensorMap weights = nn::to_tensors(set, torch::kFloat64, true);
  value(weights).backward();
  for (const nn::Parameter& entry : set.entries()) {
    const torch::Tensor base = weights.at(entry.name).detach();
    const torch::Tensor step = torch::zeros_like(base);
    step.view({-1})[0] = 1e-6;
    nn::TensorMap moved = nn::to_tensors(set, torch::kFloat64, false);
    moved[entry.name] = base + step;
    const double up = value(moved).item<double>();
    moved[entry.name] = base - step;
    const double down = value(moved).item<double>();
    EXPECT_NEAR(weights.at(entry.name).grad().view({-1})[0].item<double>(),
                (up - down) / 2e-6, 1e-6)
        << entry.name;
  }
}

}  // namespace vae_network_test
}  // namespace sbog::series::detail
