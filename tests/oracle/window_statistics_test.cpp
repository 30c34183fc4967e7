// SPDX-License-Identifier: Apache-2.0
// Statistics of windows: by hand, invariances, derivatives.
#include "sbog/oracle/window_statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "oracle/var_support.h"
#include "sbog/base/errors.h"

namespace sbog {
namespace window_statistics_test {

TEST(WindowStatistics, a_window_of_four_points_by_hand) {
  // Coordinates 1, -1, 1, -1 and 3, 3, 1, 1 around means 0 and 2.
  const std::vector<double> window = {1, 3, -1, 3, 1, 1, -1, 1};
  const WindowMoments moments = window_moments(window);
  EXPECT_EQ(moments.mean, (Vector2{0.0, 2.0}));
  EXPECT_EQ(moments.covariance, (Matrix2{{{1.0, 0.0}, {0.0, 1.0}}}));
  // sum of x_t[i] x_{t-1}[j] over t = 2..4, divided by 4.
  EXPECT_EQ(moments.lagged, (Matrix2{{{-0.75, 0.25}, {0.25, 0.25}}}));
  const Statistics expected = {0, 2, 0, 0, 0, -0.75, 0.25, 0.25, 0.25};
  EXPECT_EQ(window_statistics(window), expected);
}

TEST(WindowStatistics, a_triangular_map_moves_only_means_and_scales) {
  const Matrix<double> windows = oracle::drawn_windows(1, 5, 3);
  for (std::size_t w = 0; w < windows.rows(); ++w) {
    std::vector<double> mapped(kWindowSize);
    for (std::size_t t = 0; t < kWindowPoints; ++t) {
      mapped[2 * t] = 5.0 + 2.0 * windows(w, 2 * t);
      mapped[2 * t + 1] =
          -1.0 + 0.7 * windows(w, 2 * t) + 3.0 * windows(w, 2 * t + 1);
    }
    const Statistics before = window_statistics(windows.row(w));
    const Statistics after = window_statistics(mapped);
    EXPECT_NEAR(after[0], 5.0 + 2.0 * before[0], 1e-12);
    EXPECT_NEAR(after[2], before[2] + std::log(2.0), 1e-12);
    EXPECT_NEAR(after[3], before[3] + std::log(3.0), 1e-12);
    for (std::size_t i = 5; i < kStatistics; ++i) {
      EXPECT_NEAR(after[i], before[i], 1e-12) << i;
    }
  }
}

TEST(WindowStatistics, they_determine_the_moments) {
  const Matrix<double> windows = oracle::drawn_windows(2, 5, 4);
  for (std::size_t w = 0; w < windows.rows(); ++w) {
    const WindowMoments moments = window_moments(windows.row(w));
    const Statistics s = statistics_of(moments);
    const Matrix2 factor = {
        {{std::exp(s[2]), 0.0}, {s[4] * std::exp(s[2]), std::exp(s[3])}}};
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t j = 0; j < 2; ++j) {
        double covariance = 0.0;
        double lagged = 0.0;
        for (std::size_t k = 0; k < 2; ++k) {
          covariance += factor[i][k] * factor[j][k];
          for (std::size_t l = 0; l < 2; ++l) {
            lagged += factor[i][k] * s[5 + 2 * k + l] * factor[j][l];
          }
        }
        EXPECT_NEAR(covariance, moments.covariance[i][j], 1e-13);
        EXPECT_NEAR(lagged, moments.lagged[i][j], 1e-13);
      }
    }
  }
}

TEST(WindowStatistics, the_change_is_the_derivative) {
  const WindowMoments at =
      window_moments(oracle::drawn_windows(0, 1, 6).row(0));
  const std::vector<WindowMoments> directions = {
      {{1.0, -2.0}, {}, {}},
      {{}, {{{0.3, 0.0}, {0.0, 0.0}}}, {}},
      {{}, {{{0.0, 0.2}, {0.2, -0.1}}}, {}},
      {{0.1, 0.2}, {{{0.4, 0.1}, {0.1, 0.3}}}, {{{0.1, -0.5}, {0.7, 0.2}}}}};
  constexpr double kStep = 1e-5;
  for (const WindowMoments& direction : directions) {
    const auto moved = [&](double step) {
      WindowMoments next = at;
      for (std::size_t i = 0; i < 2; ++i) {
        next.mean[i] += step * direction.mean[i];
        for (std::size_t j = 0; j < 2; ++j) {
          next.covariance[i][j] += step * direction.covariance[i][j];
          next.lagged[i][j] += step * direction.lagged[i][j];
        }
      }
      return statistics_of(next);
    };
    const Statistics up = moved(kStep);
    const Statistics down = moved(-kStep);
    const Statistics change = statistics_change(at, direction);
    for (std::size_t i = 0; i < kStatistics; ++i) {
      EXPECT_NEAR(change[i], (up[i] - down[i]) / (2.0 * kStep), 1e-8) << i;
    }
  }
}

TEST(WindowStatistics, a_window_that_does_not_move_has_none) {
  const Statistics s = window_statistics(std::vector<double>{1, 2, 1, 2, 1, 2});
  EXPECT_FALSE(std::isfinite(s[2]));
}

TEST(WindowStatistics, refuses_fewer_than_two_points) {
  EXPECT_THROW(window_moments(std::vector<double>{1, 2}), InvalidArgument);
  EXPECT_THROW(window_moments(std::vector<double>{1, 2, 3, 4, 5}),
               InvalidArgument);
}

}  // namespace window_statistics_test
}  // namespace sbog
