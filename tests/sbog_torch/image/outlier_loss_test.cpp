// SPDX-License-Identifier: Apache-2.0
#include "sbog_torch/image/outlier_loss.h"

#include <gtest/gtest.h>

#include <cmath>

#include "decoder_support.h"
#include "sbog/base/errors.h"

namespace sbog::image {
namespace outlier_loss_test {

using namespace testing_support;

torch::Tensor doubles(std::vector<double> values) {
  return torch::tensor(values, torch::kFloat64);
}

TEST(OutlierLoss, losses_are_found_by_their_names) {
  for (const OutlierLoss loss :
       {OutlierLoss::kEnergy, OutlierLoss::kUniform, OutlierLoss::kHinge}) {
    EXPECT_EQ(outlier_loss(to_string(loss)), loss);
  }
  EXPECT_NE(message_of<InvalidArgument>([] {
              outlier_loss("vos");
            }).find("energy, uniform or hinge is expected, got vos"),
            std::string::npos);
}

TEST(OutlierLoss, the_energy_term_is_the_logistic_loss_of_the_difference) {
  const torch::Tensor weight = doubles({-0.5, 0.25}).reshape({2, 1});
  const torch::Tensor bias = doubles({1.0, -2.0});
  const std::vector<double> in = {4.0, 9.0};
  const std::vector<double> out = {1.0, -3.0, 7.0};
  double sum = 0.0;
  // The logit of "in-distribution" is 0.75 S - 3.
  for (const double s : in) sum += std::log1p(std::exp(-(0.75 * s - 3.0)));
  for (const double s : out) sum += std::log1p(std::exp(0.75 * s - 3.0));
  EXPECT_NEAR(
      energy_term(doubles(in), doubles(out), weight, bias).item<double>(),
      sum / 5.0, 1e-12);
}

TEST(OutlierLoss, at_the_border_both_kinds_are_as_likely) {
  const torch::Tensor weight = torch::tensor({{-0.5}, {0.5}});
  const torch::Tensor bias = torch::zeros({2});
  set_border(weight, bias, 7.0);
  const torch::Tensor at = torch::full({1}, 7.0);
  EXPECT_NEAR(energy_term(at, at, weight, bias).item<double>(), std::log(2.0),
              1e-6);
  EXPECT_LT(energy_term(at + 3.0, at - 3.0, weight, bias).item<double>(), 0.1);
}

TEST(OutlierLoss, the_uniform_term_is_log_c_at_equal_logits_and_least_there) {
  const torch::Tensor equal = torch::full({3, 5}, 2.5, torch::kFloat64);
  EXPECT_NEAR(uniform_term(equal).item<double>(), std::log(5.0), 1e-12);
  const torch::Tensor other = normals({3, 5}, 1).to(torch::kFloat64);
  EXPECT_GT(uniform_term(other).item<double>(), std::log(5.0));
}

TEST(OutlierLoss, the_hinge_is_zero_beyond_its_margins) {
  EXPECT_EQ(hinge_term(doubles({25.0, 30.0}), doubles({7.0, 1.0}), -25.0, -7.0)
                .item<double>(),
            0.0);
  // 2 and 3 short of 25 inside, 4 above 7 outside.
  EXPECT_NEAR(
      hinge_term(doubles({23.0, 22.0}), doubles({11.0, 1.0}), -25.0, -7.0)
          .item<double>(),
      (4.0 + 9.0) / 2.0 + 16.0 / 2.0, 1e-12);
}

TEST(OutlierLoss, a_loss_chooses_its_term) {
  const torch::Tensor inside = normals({3, 4}, 3).to(torch::kFloat64);
  const torch::Tensor outside = normals({5, 4}, 4).to(torch::kFloat64);
  const nn::TensorMap phi = {
      {"phi.weight", doubles({-0.5, 0.5}).reshape({2, 1})},
      {"phi.bias", doubles({0.1, 0.2})}};
  const torch::Tensor in = log_sum_exp(inside);
  const torch::Tensor out = log_sum_exp(outside);
  const auto term = [&](OutlierLoss loss) {
    return outlier_term(loss, inside, outside, phi, {-9.0, -0.5})
        .item<double>();
  };
  EXPECT_EQ(term(OutlierLoss::kEnergy),
            energy_term(in, out, phi.at("phi.weight"), phi.at("phi.bias"))
                .item<double>());
  EXPECT_EQ(term(OutlierLoss::kUniform), uniform_term(outside).item<double>());
  EXPECT_EQ(term(OutlierLoss::kHinge),
            hinge_term(in, out, -9.0, -0.5).item<double>());
}

TEST(OutlierLoss, weights_and_margins_out_of_range_are_refused) {
  EXPECT_NO_THROW(check_outlier_term("test", 0.0, {-2.0, -1.0}));
  EXPECT_THROW(check_outlier_term("test", -1.0, {-2.0, -1.0}), InvalidArgument);
  EXPECT_THROW(check_outlier_term("test", 1e6, {-2.0, -1.0}), InvalidArgument);
  EXPECT_THROW(check_outlier_term("test", 1.0, {-1.0, -1.0}), InvalidArgument);
}

TEST(OutlierLoss, gradients_agree_with_central_differences) {
  const torch::Tensor logits = normals({6, 4}, 2).to(torch::kFloat64);
  const torch::Tensor weight = doubles({-0.5, 0.5}).reshape({2, 1});
  const torch::Tensor bias = doubles({0.1, 0.2});
  const auto loss = [&](torch::Tensor x) {
    const torch::Tensor in = log_sum_exp(x.narrow(0, 0, 3));
    const torch::Tensor out = log_sum_exp(x.narrow(0, 3, 3));
    return energy_term(in, out, weight, bias) +
           uniform_term(x.narrow(0, 3, 3)) + hinge_term(in, out, -9.0, -0.5);
  };
  EXPECT_LT(gradient_error(logits, loss), 1e-7);
}

}  // namespace outlier_loss_test
}  // namespace sbog::image
