// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/detail/window_means.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sbog/base/errors.h"
#include "series/support.h"

namespace sbog::detail {
namespace window_means_test {

using testing_support::normal_rows;
using testing_support::to_float;

double to_nearest(const Matrix<float>& centres, const Matrix<float>& rows,
                  std::size_t start) {
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < centres.rows(); ++k) {
    double square = 0.0;
    for (std::size_t j = 0; j < centres.cols(); ++j) {
      const double x = rows(start + j / rows.cols(), j % rows.cols());
      square += (x - centres(k, j)) * (x - centres(k, j));
    }
    nearest = std::min(nearest, square);
  }
  return std::sqrt(nearest);
}

TEST(WindowMeans, centres_are_the_means_of_their_windows) {
  // Two flat levels, so most windows are one of two points.
  Matrix<float> rows(400, 1);
  for (std::size_t t = 200; t < 400; ++t) rows(t, 0) = 5.0F;
  const Matrix<float> centres = window_centres(rows, 3);
  EXPECT_LE(centres.rows(), kMeansCentres);
  EXPECT_NEAR(to_nearest(centres, rows, 0), 0.0, 1e-5);
  EXPECT_NEAR(to_nearest(centres, rows, 300), 0.0, 1e-5);
}

TEST(WindowMeans, a_flat_series_has_one_centre) {
  EXPECT_EQ(window_centres(Matrix<float>(100, 2), 0).rows(), 1u);
}

TEST(WindowMeans, a_row_has_the_mean_distance_of_its_windows) {
  const Matrix<float> train = to_float(normal_rows(150, 2, 160));
  const Matrix<float> test = to_float(normal_rows(60, 2, 161));
  const Matrix<float> centres = window_centres(train, 7);
  const std::vector<double> scores = window_mean_scores(train, test, 7);
  for (const std::size_t t : {0u, 10u, 30u, 59u}) {
    double sum = 0.0;
    double count = 0.0;
    for (std::size_t start = 0; start + kMeansWindow <= 60; ++start) {
      if (t < start || t >= start + kMeansWindow) continue;
      sum += to_nearest(centres, test, start);
      count += 1.0;
    }
    EXPECT_NEAR(scores[t], sum / count, 1e-5);
  }
}

TEST(WindowMeans, lower_the_distances_of_the_training_windows) {
  const Matrix<float> train = to_float(normal_rows(300, 2, 162));
  const Matrix<float> centres = window_centres(train, 1);
  double with_centres = 0.0;
  double with_mean = 0.0;
  Matrix<float> mean(1, centres.cols());
  for (std::size_t start = 0; start + kMeansWindow <= 300; ++start) {
    with_centres += std::pow(to_nearest(centres, train, start), 2.0);
    with_mean += std::pow(to_nearest(mean, train, start), 2.0);
  }
  EXPECT_LT(with_centres, 0.9 * with_mean);
}

TEST(WindowMeans, short_series_are_refused) {
  EXPECT_THROW(window_centres(Matrix<float>(19, 1), 0), InvalidArgument);
}

}  // namespace window_means_test
}  // namespace sbog::detail
