// SPDX-License-Identifier: Apache-2.0
#include "sbog_torch/image/sgd.h"

#include <gtest/gtest.h>

#include <cmath>

#include "encoder_support.h"
#include "sbog/base/errors.h"

namespace sbog::image {
namespace sgd_test {

using namespace testing_support;

TEST(Sgd, steps_equal_those_of_libtorch) {
  for (const bool is_nesterov : {true, false}) {
    torch::Tensor ours = double_normals({5}, 1).set_requires_grad(true);
    torch::Tensor theirs = ours.detach().clone().set_requires_grad(true);
    SgdOptions options;
    options.is_nesterov = is_nesterov;
    Sgd sgd({{"p", ours}}, options);
    torch::optim::SGD reference(
        {theirs},
        torch::optim::SGDOptions(0.1).momentum(0.9).weight_decay(5e-4).nesterov(
            is_nesterov));
    for (int k = 0; k < 5; ++k) {
      ours.cos().sum().backward();
      sgd.step(0.1);
      reference.zero_grad();
      theirs.cos().sum().backward();
      reference.step();
      EXPECT_LT(distance(ours.detach(), theirs.detach()), 1e-14);
    }
  }
}

TEST(Sgd, gradients_are_cleared_and_a_tensor_without_one_stays) {
  torch::Tensor used = double_normals({3}, 1).set_requires_grad(true);
  torch::Tensor idle = double_normals({3}, 2).set_requires_grad(true);
  const torch::Tensor before = idle.detach().clone();
  Sgd sgd({{"used", used}, {"idle", idle}}, {});
  used.sum().backward();
  sgd.step(0.1);
  EXPECT_FALSE(used.grad().defined());
  EXPECT_TRUE(torch::equal(idle.detach(), before));
}

TEST(Sgd, the_rate_falls_along_a_cosine) {
  const SgdOptions options;
  EXPECT_DOUBLE_EQ(cosine_rate(options, 0, 100), 0.1);
  EXPECT_NEAR(cosine_rate(options, 50, 100), 0.5 * (0.1 + 1e-6), 1e-15);
  EXPECT_NEAR(cosine_rate(options, 100, 100), 1e-6, 1e-15);
}

TEST(Sgd, options_out_of_range_are_refused) {
  SgdOptions options;
  options.momentum = 1.0;
  EXPECT_THROW(check_options(options), InvalidArgument);
  options = {};
  options.learning_rate = -1.0;
  EXPECT_THROW(check_options(options), InvalidArgument);
  options = {};
  options.weight_decay = std::nan("");
  EXPECT_THROW(check_options(options), InvalidArgument);
}

}  // namespace sgd_test
}  // namespace sbog::image
