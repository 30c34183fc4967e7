// SPDX-License-Identifier: Apache-2.0
#include "sbog/detect/class_span.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "detect/support.h"
#include "sbog/base/inner_product.h"

namespace sbog::detect {
namespace class_span_test {

using testing_support::clustered_bank;
using testing_support::clustered_points;

using Row = std::vector<double>;

// What is left of x beside a basis.
Row without(Row x, const std::vector<Row>& basis) {
  for (const Row& b : basis) {
    const double share = dot(std::span<const double>(x), b);
    for (std::size_t j = 0; j < x.size(); ++j) x[j] -= share * b[j];
  }
  return x;
}

// Gram-Schmidt of m_c - m_0, which spans the same as m_c - m; twice, so that
// nothing of a direction is left in the next.
std::vector<Row> slow_basis(const Matrix<double>& means) {
  std::vector<Row> basis;
  for (std::size_t c = 1; c < means.rows(); ++c) {
    Row x;
    for (std::size_t j = 0; j < means.cols(); ++j) {
      x.push_back(means(c, j) - means(0, j));
    }
    x = without(without(x, basis), basis);
    const double length = norm_of<double>(x);
    if (length < 1e-6) continue;
    for (double& value : x) value /= length;
    basis.push_back(x);
  }
  return basis;
}

double slow_score(std::span<const float> point, const Matrix<double>& means,
                  const std::vector<Row>& basis) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < means.rows(); ++c) {
    double sum = 0.0;
    for (const Row& b : basis) {
      double share = 0.0;
      for (std::size_t j = 0; j < point.size(); ++j) {
        share += b[j] * (double{point[j]} - means(c, j));
      }
      sum += share * share;
    }
    least = std::min(least, sum);
  }
  return least;
}

double plain_score(std::span<const float> point, const Matrix<double>& means) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < means.rows(); ++c) {
    least =
        std::min(least, squared_distance<float, double>(point, means.row(c)));
  }
  return least;
}

Matrix<float> asked(std::size_t dim) {
  return unit_rows(clustered_points(90, dim, dim, 0.4, 5), "points");
}

TEST(ClassSpan, agrees_with_a_projection_by_gram_schmidt) {
  for (const std::size_t classes : {2U, 3U, 7U}) {
    const Matrix<double> means = class_means(clustered_bank(70, 9, classes));
    const ClassSpan span(means);
    EXPECT_EQ(span.rank(), classes - 1);
    const std::vector<Row> basis = slow_basis(means);
    const Matrix<float> points = asked(9);
    const std::vector<double> scores = span.score(points);
    for (std::size_t i = 0; i < points.rows(); ++i) {
      EXPECT_NEAR(scores[i], slow_score(points.row(i), means, basis), 1e-12);
    }
  }
}

TEST(ClassSpan, what_tells_no_classes_apart_does_not_count) {
  Matrix<double> means(2, 3);
  means(0, 0) = 0.6;
  means(1, 0) = -0.6;
  means(0, 2) = means(1, 2) = 0.5;
  Matrix<float> points(2, 3);
  points(0, 0) = points(1, 0) = 0.8F;
  points(1, 1) = 0.6F;
  points(1, 2) = -3.0F;
  const std::vector<double> scores = ClassSpan(means).score(points);
  EXPECT_NEAR(scores[0], 0.04, 1e-7);
  EXPECT_NEAR(scores[1], scores[0], 1e-12);
}

TEST(ClassSpan, equal_means_add_no_direction) {
  Matrix<double> means(3, 4);
  means(0, 0) = 1.0;
  means(1, 0) = means(2, 0) = -1.0;
  EXPECT_EQ(ClassSpan(means).rank(), 1u);
}

TEST(ClassSpan, is_the_plain_distance_where_nothing_can_be_left_out) {
  Matrix<double> equal(2, 5);
  equal(0, 1) = equal(1, 1) = 1.0;
  std::vector<Matrix<double>> cases;
  cases.push_back(class_means(clustered_bank(60, 5, 6)));
  cases.push_back(class_means(clustered_bank(60, 5, 1)));
  cases.push_back(std::move(equal));
  const Matrix<float> points = asked(5);
  for (const Matrix<double>& means : cases) {
    const std::vector<double> scores = ClassSpan(means).score(points);
    for (std::size_t i = 0; i < points.rows(); ++i) {
      EXPECT_NEAR(scores[i], plain_score(points.row(i), means), 1e-12);
    }
  }
}

}  // namespace class_span_test
}  // namespace sbog::detect
