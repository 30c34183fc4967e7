// SPDX-License-Identifier: Apache-2.0
#include "sbog/detect/gaussians.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "detect/support.h"
#include "sbog/base/inner_product.h"

namespace sbog::detect {
namespace gaussians_test {

using testing::HasSubstr;
using testing_support::clustered_bank;
using testing_support::clustered_points;
using testing_support::invalid_argument_of;

// Covariance of rows around given centres, by three plain loops.
Matrix<double> slow_covariance(const LabelledBank& bank,
                               const Matrix<double>& centres, bool is_tied) {
  Matrix<double> sums(bank.dim(), bank.dim());
  for (std::size_t i = 0; i < bank.rows(); ++i) {
    const auto centre = centres.row(is_tied ? bank.classes[i] : 0);
    for (std::size_t a = 0; a < bank.dim(); ++a) {
      for (std::size_t b = 0; b < bank.dim(); ++b) {
        sums(a, b) += (bank.points(i, a) - centre[a]) *
                      (bank.points(i, b) - centre[b]) /
                      static_cast<double>(bank.rows());
      }
    }
  }
  return sums;
}

// x of A x = b by elimination without pivots: A is positive definite.
std::vector<double> slow_solve(Matrix<double> a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a(i, k) / a(k, k);
      for (std::size_t j = k; j < n; ++j) a(i, j) -= factor * a(k, j);
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= a(k, j) * b[j];
    b[k] /= a(k, k);
  }
  return b;
}

double slow_distance(const Matrix<double>& covariance,
                     std::span<const float> point,
                     std::span<const double> centre) {
  std::vector<double> step;
  for (std::size_t j = 0; j < point.size(); ++j) {
    step.push_back(point[j] - centre[j]);
  }
  return dot(step, slow_solve(covariance.clone(), step));
}

Matrix<double> slow_mean(const LabelledBank& bank) {
  Matrix<double> mean(1, bank.dim());
  for (std::size_t i = 0; i < bank.rows(); ++i) {
    for (std::size_t j = 0; j < bank.dim(); ++j) {
      mean(0, j) += bank.points(i, j) / static_cast<double>(bank.rows());
    }
  }
  return mean;
}

TEST(Gaussians, the_covariance_is_that_of_plain_loops) {
  const LabelledBank bank = clustered_bank(600, 5, 3);  // two sums of 512
  const Matrix<double> means = class_means(bank);
  const Matrix<double> found = within_class_covariance(bank);
  const Matrix<double> expected = slow_covariance(bank, means, true);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 5; ++j) {
      EXPECT_NEAR(found(i, j), expected(i, j), 1e-14) << i << ", " << j;
    }
  }
}

TEST(Gaussians, the_score_is_the_difference_of_two_plain_distances) {
  const LabelledBank bank = clustered_bank(120, 6, 3);
  const ClassGaussians gaussians = fit_gaussians(bank, 0.01);
  const Matrix<double> means = class_means(bank);
  const Matrix<double> tied =
      shrunk_covariance(slow_covariance(bank, means, true), 0.01);
  const Matrix<double> mean = slow_mean(bank);
  const Matrix<double> global =
      shrunk_covariance(slow_covariance(bank, mean, false), 0.01);
  const Matrix<float> points =
      unit_rows(clustered_points(70, 6, 4, 0.5, 9), "points");
  const GaussianScores scores = gaussians.score(points);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    double least = 1e300;
    std::size_t nearest = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      const double d = slow_distance(tied, points.row(i), means.row(c));
      if (d < least) nearest = c;
      least = std::min(least, d);
    }
    const double usual = slow_distance(global, points.row(i), mean.row(0));
    EXPECT_NEAR(scores.scores[i], least - usual, 1e-9 * least) << i;
    EXPECT_EQ(scores.classes[i], nearest) << i;
  }
}

TEST(Gaussians, one_class_gives_its_distance_alone) {
  const LabelledBank bank =
      make_bank(clustered_points(80, 4, 2, 0.3, 2), {}, "bank");
  const ClassGaussians gaussians = fit_gaussians(bank, 0.1);
  const Matrix<double> mean = slow_mean(bank);
  const Matrix<double> covariance =
      shrunk_covariance(slow_covariance(bank, mean, false), 0.1);
  const GaussianScores scores = gaussians.score(bank.points);
  for (std::size_t i = 0; i < bank.rows(); ++i) {
    const double d = slow_distance(covariance, bank.points.row(i), mean.row(0));
    EXPECT_NEAR(scores.scores[i], d, 1e-9 * d);
  }
}

// Four points of one class at +-x and +-y: the covariance is diag(x^2, y^2)/2.
TEST(Gaussians, a_cross_of_points_has_the_covariance_of_the_closed_form) {
  LabelledBank bank;
  bank.points = Matrix<float>(4, 2);
  bank.points(0, 0) = 1.0F;
  bank.points(1, 0) = -1.0F;
  bank.points(2, 1) = 1.0F;
  bank.points(3, 1) = -1.0F;
  bank.classes = {0, 0, 0, 0};
  bank.class_labels = {0};
  const ClassGaussians gaussians = fit_gaussians(bank, 1e-9);
  Matrix<float> point(1, 2);
  point(0, 0) = 0.6F;
  point(0, 1) = 0.8F;
  // z' (I / 2)^-1 z = 2 |z|^2.
  EXPECT_NEAR(gaussians.score(point).scores[0], 2.0, 1e-6);
  const std::vector<double> shares = gaussians.contributions(point.row(0), 0);
  EXPECT_NEAR(shares[0], 2.0 * 0.36, 1e-6);
  EXPECT_NEAR(shares[1], 2.0 * 0.64, 1e-6);
}

TEST(Gaussians, contributions_add_up_to_the_distance) {
  const LabelledBank bank = clustered_bank(90, 5, 3);
  const ClassGaussians gaussians = fit_gaussians(bank, 0.05);
  const Matrix<double> means = class_means(bank);
  const Matrix<double> tied =
      shrunk_covariance(slow_covariance(bank, means, true), 0.05);
  for (std::size_t c = 0; c < 3; ++c) {
    const std::vector<double> shares =
        gaussians.contributions(bank.points.row(4), c);
    const double d = slow_distance(tied, bank.points.row(4), means.row(c));
    EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), d,
                1e-9 * d);
  }
}

TEST(Gaussians, shrinkage_keeps_the_trace) {
  Matrix<double> covariance(2, 2);
  covariance(0, 0) = 3.0;
  covariance(1, 1) = 1.0;
  covariance(0, 1) = covariance(1, 0) = 0.5;
  const Matrix<double> half = shrunk_covariance(covariance, 0.5);
  EXPECT_EQ(half(0, 0), 2.5);
  EXPECT_EQ(half(1, 1), 1.5);
  EXPECT_EQ(half(0, 1), 0.25);
  EXPECT_THROW(shrunk_covariance(covariance, 1.5), InvalidArgument);
}

TEST(Gaussians, fewer_rows_than_dimensions_can_be_scored) {
  const LabelledBank bank = clustered_bank(6, 20, 2);
  const GaussianScores scores = fit_gaussians(bank, 0.1).score(bank.points);
  for (const double score : scores.scores) EXPECT_TRUE(std::isfinite(score));
}

TEST(Gaussians, classes_of_one_row_have_no_covariance) {
  const LabelledBank bank = clustered_bank(3, 4, 3);
  EXPECT_THAT(invalid_argument_of([&] { fit_gaussians(bank, 0.1); }),
              HasSubstr("at least one class with two different rows"));
  EXPECT_THROW(fit_gaussians(clustered_bank(9, 4, 3), 0.0), InvalidArgument);
}

TEST(Gaussians, parts_of_different_dimension_are_refused) {
  const auto whitener = [](std::size_t dim) {
    return Whitener{Matrix<double>(1, dim), Matrix<double>(dim, dim)};
  };
  EXPECT_THROW(ClassGaussians(whitener(3), whitener(2)), InvalidArgument);
}

TEST(Gaussians, scores_do_not_depend_on_threads_or_neighbours) {
  const LabelledBank bank = clustered_bank(150, 7, 3);
  const ClassGaussians gaussians = fit_gaussians(bank, 0.01);
  const std::vector<double> alone = gaussians.score(bank.points).scores;
  ThreadPool pool(3);
  EXPECT_EQ(gaussians.score(bank.points, {&pool, nullptr}).scores, alone);
  for (const std::size_t row : {0u, 77u, 149u}) {
    EXPECT_EQ(gaussians.score(bank.points.view().subrows(row, 1)).scores[0],
              alone[row]);
  }
}

}  // namespace gaussians_test
}  // namespace sbog::detect
