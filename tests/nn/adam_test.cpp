// SPDX-License-Identifier: Apache-2.0
#include "sbog/nn/adam.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sbog/base/errors.h"

namespace sbog::nn {
namespace adam_test {

TEST(Adam, the_first_step_is_the_rate_against_the_sign) {
  const AdamOptions options{0.01, 0.9, 0.999, 1e-8, 0.0, false};
  AdamState state = make_adam_state(3);
  std::vector<float> at = {1.0F, 2.0F, 3.0F};
  const std::vector<float> gradient = {5.0F, -0.001F, 0.0F};
  adam_step(options, gradient, state, at);
  EXPECT_NEAR(at[0], 0.99, 1e-6);
  EXPECT_NEAR(at[1], 2.01, 1e-6);
  EXPECT_EQ(at[2], 3.0F);
  EXPECT_EQ(state.steps, 1u);
}

TEST(Adam, decoupled_decay_shrinks_whatever_the_gradient) {
  const AdamOptions options{0.1, 0.9, 0.999, 1e-8, 0.5, true};
  AdamState state = make_adam_state(1);
  std::vector<float> at = {2.0F};
  adam_step(options, std::vector<float>{0.0F}, state, at);
  EXPECT_NEAR(at[0], 2.0 * (1.0 - 0.05), 1e-6);
}

TEST(Adam, decay_in_the_gradient_acts_through_the_moments) {
  const AdamOptions options{0.1, 0.9, 0.999, 1e-8, 0.5, false};
  AdamState state = make_adam_state(1);
  std::vector<float> at = {2.0F};
  adam_step(options, std::vector<float>{0.0F}, state, at);
  EXPECT_NEAR(at[0], 1.9, 1e-6);  // a whole step, as for any gradient
  EXPECT_NEAR(state.first[0], 0.1, 1e-7);
}

TEST(Adam, sizes_that_differ_are_refused) {
  AdamState state = make_adam_state(2);
  std::vector<float> at = {2.0F};
  EXPECT_THROW(adam_step({}, std::vector<float>{0.0F}, state, at),
               InvalidArgument);
}

TEST(Adam, the_cosine_falls_from_the_rate_to_its_floor) {
  EXPECT_DOUBLE_EQ(cosine_rate(1e-3, 0, 30), 1e-3);
  EXPECT_NEAR(cosine_rate(1e-3, 15, 30), 0.5e-3 + 0.5e-9, 1e-15);
  EXPECT_NEAR(cosine_rate(1e-3, 30, 30), 1e-9, 1e-15);
  EXPECT_NEAR(cosine_rate(1.0, 10, 30), 1e-6 + (1.0 - 1e-6) * 0.75, 1e-12);
}

}  // namespace adam_test
}  // namespace sbog::nn
