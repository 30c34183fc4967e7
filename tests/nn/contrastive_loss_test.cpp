// SPDX-License-Identifier: Apache-2.0
#include "sbog/nn/contrastive_loss.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sbog/base/errors.h"
#include "series/window_support.h"

namespace sbog::series {
namespace contrastive_loss_test {

using testing_support::normals;

constexpr ContrastiveLoss kAll[] = {ContrastiveLoss::kInfoNce,
                                    ContrastiveLoss::kHinge,
                                    ContrastiveLoss::kPullPush};

TEST(ContrastiveLoss, gradients_are_central_differences) {
  for (const ContrastiveLoss loss : kAll) {
    Matrix<float> points = normals(12, 3, 1);
    const LossResult at = contrastive_loss(loss, points, 0.4, 1.0);
    for (std::size_t k = 0; k < points.size(); ++k) {
      const float before = points.elements()[k];
      const float step = 1.0F / 1024.0F;
      points.elements()[k] = before + step;
      const double above = contrastive_loss(loss, points, 0.4, 1.0).value;
      points.elements()[k] = before - step;
      const double below = contrastive_loss(loss, points, 0.4, 1.0).value;
      points.elements()[k] = before;
      EXPECT_NEAR(at.gradients.elements()[k], (above - below) * 512.0,
                  2e-3 * (1.0 + std::abs(at.gradients.elements()[k])));
    }
  }
}

// One anchor at e1, its positive at e1, one negative at e2.
Matrix<float> corner() {
  Matrix<float> points(3, 2);
  points(0, 0) = points(1, 0) = points(2, 1) = 1.0F;
  return points;
}

TEST(ContrastiveLoss, values_at_a_corner_are_closed_forms) {
  const Matrix<float> points = corner();
  EXPECT_NEAR(
      contrastive_loss(ContrastiveLoss::kInfoNce, points, 0.4, 0.0).value,
      std::log(1.0 + std::exp(-1.0 / 0.4)), 1e-12);
  // d(a, n) = 2, so the hinge is open only beyond a margin of 5.
  EXPECT_EQ(contrastive_loss(ContrastiveLoss::kHinge, points, 0.4, 5.0).value,
            0.0);
  EXPECT_NEAR(contrastive_loss(ContrastiveLoss::kHinge, points, 0.4, 6.0).value,
              1.0, 1e-12);
  EXPECT_NEAR(
      contrastive_loss(ContrastiveLoss::kPullPush, points, 0.4, 0.0).value, 3.0,
      1e-12);
}

TEST(ContrastiveLoss, a_collapsed_encoder_has_the_margin_as_its_hinge) {
  Matrix<float> points(15, 4);
  for (std::size_t i = 0; i < 15; ++i) points(i, 2) = 1.0F;
  double margin = 1.0;
  double loss = 0.0;
  for (int step = 0; step <= 60; ++step) {
    if (step > 0) margin = next_margin(margin, loss);
    loss = contrastive_loss(ContrastiveLoss::kHinge, points, 0.4, margin).value;
    EXPECT_NEAR(loss, std::max(0.01, std::pow(0.9, step)), 1e-12);
  }
  EXPECT_EQ(loss, 0.01);
}

TEST(ContrastiveLoss, wrong_shapes_and_temperatures_are_refused) {
  EXPECT_THROW(
      contrastive_loss(ContrastiveLoss::kHinge, normals(4, 2, 1), 0.4, 1.0),
      InvalidArgument);
  EXPECT_THROW(
      contrastive_loss(ContrastiveLoss::kHinge, normals(3, 2, 1), 0.0, 1.0),
      InvalidArgument);
}

}  // namespace contrastive_loss_test
}  // namespace sbog::series
