// SPDX-License-Identifier: Apache-2.0
#include "sbog/nn/projection.h"

#include <gtest/gtest.h>

#include "sbog/base/errors.h"
#include "sbog/base/inner_product.h"
#include "sbog/nn/resnet_plan.h"
#include "series/window_support.h"

namespace sbog::series {
namespace projection_test {

using testing_support::normals;

nn::ParameterSet make_head() {
  nn::ParameterSet set;
  add_projection({}, set);
  initialise(set, 3);
  return set;
}

TEST(Projection, rows_have_unit_length) {
  Projection projection;
  const Matrix<float> points =
      projection.forward(make_head(), normals(9, 8, 1));
  ASSERT_EQ(points.cols(), 4u);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    EXPECT_NEAR(norm_of<float>(points.row(i)), 1.0, 1e-6);
  }
}

double value(const nn::ParameterSet& head, const Matrix<float>& features,
             const Matrix<float>& direction) {
  Projection projection;
  const Matrix<float> points = projection.forward(head, features);
  return inner_product<float, float>(points.elements(), direction.elements());
}

TEST(Projection, gradients_are_central_differences) {
  nn::ParameterSet head = make_head();
  Matrix<float> features = normals(2, 8, 2);
  const Matrix<float> direction = normals(2, 4, 3);
  Projection projection;
  projection.forward(head, features);
  nn::ParameterSet gradients = head.zeros();
  const Matrix<float> d_features =
      projection.backward(head, direction, &gradients);
  const float step = 1.0F / 256.0F;
  const auto slope = [&](float& at) {
    const float before = at;
    at = before + step;
    const double above = value(head, features, direction);
    at = before - step;
    const double below = value(head, features, direction);
    at = before;
    return (above - below) / (2.0 * step);
  };
  for (std::size_t k = 0; k < features.size(); ++k) {
    EXPECT_NEAR(d_features.elements()[k], slope(features.elements()[k]), 2e-3);
  }
  for (std::size_t k = 0; k < head.size(); ++k) {
    EXPECT_NEAR(gradients.flat()[k], slope(head.flat()[k]), 1e-2);
  }
}

TEST(Projection, gradients_of_another_shape_are_refused) {
  const nn::ParameterSet head = make_head();
  Projection projection;
  projection.forward(head, normals(2, 8, 2));
  EXPECT_THROW(projection.backward(head, normals(3, 4, 2), nullptr),
               InvalidArgument);
}

}  // namespace projection_test
}  // namespace sbog::series
