// SPDX-License-Identifier: Apache-2.0
#include "sbog/nn/cluster_loss.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sbog/base/errors.h"
#include "series/window_support.h"

namespace sbog::series {
namespace cluster_loss_test {

using testing_support::normals;

TEST(ClusterLoss, gradients_are_central_differences) {
  Matrix<float> logits[3] = {normals(5, 4, 1), normals(5, 4, 2),
                             normals(5, 4, 3)};
  const ClusterWeights weights{2.0, 0.7};
  const auto value = [&] {
    return cluster_loss(logits[0], logits[1], logits[2], weights).total;
  };
  const ClusterLoss loss =
      cluster_loss(logits[0], logits[1], logits[2], weights);
  const Matrix<float>* gradients[3] = {&loss.d_anchor, &loss.d_near,
                                       &loss.d_far};
  const float step = 1.0F / 512.0F;
  for (int part = 0; part < 3; ++part) {
    for (std::size_t k = 0; k < logits[part].size(); ++k) {
      float& at = logits[part].elements()[k];
      const float before = at;
      at = before + step;
      const double above = value();
      at = before - step;
      const double below = value();
      at = before;
      EXPECT_NEAR(gradients[part]->elements()[k], (above - below) * 256.0,
                  1e-4);
    }
  }
}

// Logits of the constant output (q, (1 - q) / 9, ...).
Matrix<float> constant_output(double q) {
  Matrix<float> logits(6, 10);
  for (std::size_t i = 0; i < 6; ++i) {
    logits(i, 0) = static_cast<float>(std::log(q));
    for (std::size_t c = 1; c < 10; ++c) {
      logits(i, c) = static_cast<float>(std::log((1.0 - q) / 9.0));
    }
  }
  return logits;
}

TEST(ClusterLoss, the_best_constant_output_is_that_of_the_collapsed_runs) {
  double best = 0.0, best_q = 0.0;
  for (int k = 101; k < 1000; ++k) {
    const double q = 0.001 * k;
    const Matrix<float> logits = constant_output(q);
    const double total = cluster_loss(logits, logits, {}, {}).total;
    if (total < best) {
      best = total;
      best_q = q;
    }
  }
  EXPECT_NEAR(best, -2.3772, 5e-5);
  EXPECT_NEAR(best_q, 0.368, 1e-9);
  EXPECT_NEAR(1.0 - best_q, 0.632, 1e-9);
  const Matrix<float> logits = constant_output(best_q);
  const ClusterLoss parts = cluster_loss(logits, logits, logits, {2.0, 1.0});
  EXPECT_NEAR(parts.consistency, 1.716, 1e-3);
  EXPECT_NEAR(parts.entropy, 2.047, 1e-3);
  EXPECT_NEAR(parts.inconsistency, 0.198, 1e-3);
}

TEST(ClusterLoss, ten_sure_and_even_classes_reach_the_bound) {
  Matrix<float> logits(20, 10);
  for (std::size_t i = 0; i < 20; ++i) logits(i, i % 10) = 100.0F;
  EXPECT_NEAR(cluster_loss(logits, logits, {}, {}).total, -2.0 * std::log(10.0),
              1e-6);
}

TEST(ClusterLoss, disagreement_beyond_the_clamp_costs_a_hundred) {
  Matrix<float> anchor(1, 2), near(1, 2);
  anchor(0, 0) = near(0, 1) = 500.0F;
  const ClusterLoss loss = cluster_loss(anchor, near, {}, {0.0, 0.0});
  EXPECT_DOUBLE_EQ(loss.consistency, 100.0);
  EXPECT_EQ(loss.d_anchor(0, 0), 0.0F);
}

TEST(ClusterLoss, softmax_rows_add_up_to_one) {
  const Matrix<float> p = softmax_rows(normals(7, 5, 4));
  for (std::size_t i = 0; i < 7; ++i) {
    double sum = 0.0;
    for (const float value : p.row(i)) sum += value;
    EXPECT_NEAR(sum, 1.0, 1e-6);
  }
}

TEST(ClusterLoss, shapes_that_differ_are_refused) {
  EXPECT_THROW(cluster_loss(normals(2, 3, 1), normals(2, 4, 1), {}, {}),
               InvalidArgument);
  EXPECT_THROW(cluster_loss(normals(2, 3, 1), normals(2, 3, 1), {}, {2.0, 1.0}),
               InvalidArgument);
}

}  // namespace cluster_loss_test
}  // namespace sbog::series
