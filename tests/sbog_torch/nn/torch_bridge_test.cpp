// SPDX-License-Identifier: Apache-2.0
#include "sbog_torch/nn/torch_bridge.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <vector>

#include "sbog/base/errors.h"
#include "sbog/base/thread_pool.h"
#include "sbog/nn/adam.h"

namespace sbog::nn {
namespace torch_bridge_test {

ParameterSet make_set() {
  ParameterSet set;
  set.add("a.weight", {2, 3});
  set.add("a.bias", {2});
  initialise_layer(set, "a", 3);
  return set;
}

TEST(TorchBridge, sets_go_to_tensors_and_back) {
  const ParameterSet set = make_set();
  TensorMap tensors = to_tensors(set, torch::kFloat64, true);
  EXPECT_EQ(tensors.at("a.weight").size(1), 3);
  EXPECT_EQ(tensors.at("a.weight")[1][2].item<float>(),
            set.values("a.weight")[5]);
  ParameterSet back = set.zeros();
  from_tensors(tensors, back);
  EXPECT_TRUE(std::ranges::equal(back.flat(), set.flat()));
  tensors.erase("a.bias");
  EXPECT_THROW(from_tensors(tensors, back), InvalidArgument);
  tensors["a.bias"] = torch::zeros({3});
  EXPECT_THROW(from_tensors(tensors, back), InvalidArgument);
}

TEST(TorchBridge, gradients_come_back_and_absent_ones_are_zero) {
  const ParameterSet set = make_set();
  const TensorMap tensors = to_tensors(set, torch::kFloat64, true);
  (3.0 * tensors.at("a.weight")).sum().backward();
  const ParameterSet gradients = gradients_of(tensors, set);
  for (const float g : gradients.values("a.weight")) EXPECT_EQ(g, 3.0F);
  for (const float g : gradients.values("a.bias")) EXPECT_EQ(g, 0.0F);
}

TEST(TorchBridge, matrices_go_to_tensors_and_back) {
  Matrix<float> matrix(2, 3);
  matrix(1, 2) = 4.0F;
  const torch::Tensor tensor = to_tensor(matrix, torch::kFloat64);
  EXPECT_EQ(tensor[1][2].item<double>(), 4.0);
  EXPECT_TRUE(
      std::ranges::equal(to_matrix(tensor).elements(), matrix.elements()));
  EXPECT_THROW(to_matrix(torch::zeros({2})), InvalidArgument);
}

// As decoders are trained: every thread of a pool multiplies for itself, where
// the library for it lets them.
TEST(TorchBridge, products_of_several_threads_are_those_of_one) {
  use_one_torch_thread();
  torch::manual_seed(3);
  const torch::Tensor a = torch::randn({96, 80});
  const torch::Tensor b = torch::randn({80, 64});
  const torch::Tensor product = a.matmul(b);
  ThreadPool pool(is_blas_thread_safe() ? 7 : 1);
  std::atomic<int> wrong{0};
  pool.parallel_for(20000, [&](std::size_t, std::size_t) {
    use_one_torch_thread();
    if (!torch::equal(a.matmul(b), product)) ++wrong;
  });
  EXPECT_EQ(wrong, 0);
}

TEST(TorchBridge, libtorch_runs_with_one_thread) {
  use_one_torch_thread();
  EXPECT_EQ(torch::get_num_threads(), 1);
}

// Follows one of LibTorch's optimisers on a quadratic for a hundred steps.
template <class Optimiser, class Options>
void expect_same_path(const AdamOptions& options, const Options& theirs) {
  std::vector<float> at = {1.0F, -2.0F, 0.5F};
  AdamState state = make_adam_state(3);
  torch::Tensor x =
      torch::tensor({1.0, -2.0, 0.5}, torch::kFloat64).set_requires_grad(true);
  const torch::Tensor curvature =
      torch::tensor({1.0, 3.0, 0.1}, torch::kFloat64);
  Optimiser optimiser({x}, theirs);
  for (int step = 0; step < 100; ++step) {
    std::vector<float> gradient = {at[0], 3.0F * at[1], 0.1F * at[2]};
    adam_step(options, gradient, state, at);
    optimiser.zero_grad();
    (0.5 * curvature * x * x).sum().backward();
    optimiser.step();
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(at[static_cast<std::size_t>(k)], x[k].item<double>(), 1e-5);
    }
  }
}

TEST(TorchBridge, our_adam_follows_libtorch) {
  expect_same_path<torch::optim::Adam>(
      {1e-2, 0.9, 0.999, 1e-8, 1e-3, false},
      torch::optim::AdamOptions(1e-2).weight_decay(1e-3));
  expect_same_path<torch::optim::AdamW>(
      {1e-2, 0.9, 0.999, 1e-8, 1e-2, true},
      torch::optim::AdamWOptions(1e-2).weight_decay(1e-2));
}

}  // namespace torch_bridge_test
}  // namespace sbog::nn
