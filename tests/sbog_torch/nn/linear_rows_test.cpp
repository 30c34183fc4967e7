// SPDX-License-Identifier: Apache-2.0
// Rows of a linear layer: their values, their independence, their gradients.
#include "sbog_torch/nn/linear_rows.h"

#include <gtest/gtest.h>

namespace sbog::nn {
namespace linear_rows_test {

torch::Tensor uniform(std::vector<std::int64_t> shape, std::uint64_t seed) {
  torch::manual_seed(seed);
  return torch::rand(shape) - 0.5;
}

TEST(LinearRows, equal_the_product) {
  const torch::Tensor x = uniform({37, 20}, 1);
  const torch::Tensor weight = uniform({24, 20}, 2);
  const torch::Tensor bias = uniform({24}, 3);
  const auto gap = [](const torch::Tensor& a, const torch::Tensor& b) {
    return (a.to(torch::kFloat64) - b).abs().max().item<double>();
  };
  const torch::Tensor truth =
      torch::matmul(x.to(torch::kFloat64), weight.to(torch::kFloat64).t());
  EXPECT_LT(gap(linear_rows(x, weight), truth), 1e-6);
  EXPECT_LT(gap(linear_rows(x, weight, bias), truth + bias), 1e-6);
}

TEST(LinearRows, a_row_does_not_depend_on_the_others) {
  const torch::Tensor weight = uniform({64, 48}, 2);
  const torch::Tensor bias = uniform({64}, 3);
  const torch::Tensor x = uniform({1, 48}, 1).repeat({70, 1}).contiguous();
  const torch::Tensor alone = linear_rows(x.narrow(0, 0, 1), weight, bias);
  const torch::Tensor all = linear_rows(x, weight, bias);
  for (std::int64_t i = 0; i < all.size(0); ++i) {
    EXPECT_TRUE(torch::equal(all.narrow(0, i, 1), alone)) << i;
  }
}

TEST(LinearRows, gradients_flow_where_they_are_asked_for) {
  const torch::Tensor x = uniform({5, 4}, 1);
  const torch::Tensor weight = uniform({3, 4}, 2).set_requires_grad(true);
  linear_rows(x, weight).sum().backward();
  EXPECT_TRUE(torch::allclose(weight.grad(), x.sum(0).expand({3, 4})));
  const torch::Tensor bias = uniform({3}, 3).set_requires_grad(true);
  linear_rows(x, weight.detach(), bias).sum().backward();
  EXPECT_TRUE(torch::allclose(bias.grad(), torch::full({3}, 5.0)));
  const torch::NoGradGuard no_gradients;
  EXPECT_FALSE(linear_rows(x, weight).requires_grad());
}

}  // namespace linear_rows_test
}  // namespace sbog::nn
