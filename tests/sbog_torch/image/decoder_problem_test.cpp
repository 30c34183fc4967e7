// SPDX-License-Identifier: Apache-2.0
#include "sbog_torch/image/decoder_problem.h"

#include <gtest/gtest.h>

#include "decoder_support.h"
#include "sbog/base/errors.h"

namespace sbog::image {
namespace decoder_problem_test {

using namespace testing_support;

TEST(DecoderProblem, the_shape_is_that_of_the_images) {
  const DecoderProblem problem{torch::zeros({2, 3, 8, 12}), {}, {}};
  EXPECT_EQ(image_shape(problem), (ImageShape{3, 8, 12}));
  EXPECT_THROW(image_shape({}), InvalidArgument);
}

TEST(DecoderProblem, wrong_types_shapes_and_values_are_refused_by_name) {
  const DecoderProblem good = bar_problem(3);
  EXPECT_NO_THROW(check_problem(good, "flow"));
  const auto message = [](const DecoderProblem& problem) {
    return message_of<InvalidArgument>([&] { check_problem(problem, "flow"); });
  };
  DecoderProblem bad = good;
  bad.images = good.images.to(torch::kFloat64);
  EXPECT_NE(message(bad).find("flow: float images"), std::string::npos);
  bad.images = good.images.narrow(0, 0, 0);
  EXPECT_NE(message(bad), "");
  bad = good;
  bad.latents = good.latents.narrow(0, 0, 2);
  EXPECT_NE(message(bad).find("latent"), std::string::npos);
  bad = good;
  bad.images = good.images.clone();
  bad.images[1][0][2][3] = std::numeric_limits<float>::infinity();
  EXPECT_NE(message(bad).find("images"), std::string::npos);
}

}  // namespace decoder_problem_test
}  // namespace sbog::image
