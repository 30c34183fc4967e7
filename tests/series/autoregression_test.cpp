// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/autoregression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "sbog/base/errors.h"
#include "series/support.h"

namespace sbog {
namespace autoregression_test {

using testing_support::normal_rows;
using testing_support::to_float;

// The normal equations by Gaussian elimination, row by row.
Matrix<double> slow_fit(const Matrix<float>& rows, RowRange hole) {
  const std::size_t channels = rows.cols();
  const std::size_t width = 3 * channels + 1;
  Matrix<double> normal(width, width + channels);
  std::vector<double> x(width);
  std::size_t used = 0;
  for (std::size_t t = 0; t < rows.rows(); ++t) {
    if (t >= hole.first && t < hole.end) continue;
    ++used;
    for (std::size_t lag = 1; lag <= 3; ++lag) {
      for (std::size_t c = 0; c < channels; ++c) {
        x[(lag - 1) * channels + c] = rows(t >= lag ? t - lag : 0, c);
      }
    }
    x[width - 1] = 1.0;
    for (std::size_t i = 0; i < width; ++i) {
      for (std::size_t j = 0; j < width; ++j) normal(i, j) += x[i] * x[j];
      for (std::size_t c = 0; c < channels; ++c) {
        normal(i, width + c) += x[i] * rows(t, c);
      }
    }
  }
  for (std::size_t i = 0; i < width; ++i) {
    normal(i, i) += 1e-3 * static_cast<double>(used);
  }
  for (std::size_t i = 0; i < width; ++i) {
    for (std::size_t r = 0; r < width; ++r) {
      if (r == i) continue;
      const double factor = normal(r, i) / normal(i, i);
      for (std::size_t j = i; j < width + channels; ++j) {
        normal(r, j) -= factor * normal(i, j);
      }
    }
  }
  Matrix<double> result(width, channels);
  for (std::size_t i = 0; i < width; ++i) {
    for (std::size_t c = 0; c < channels; ++c) {
      result(i, c) = normal(i, width + c) / normal(i, i);
    }
  }
  return result;
}

void expect_near(const Matrix<double>& a, const Matrix<double>& b) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.cols(), b.cols());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_NEAR(a.data()[i], b.data()[i], 1e-10);
  }
}

TEST(Autoregression, equals_the_plain_normal_equations) {
  const Matrix<float> rows = to_float(normal_rows(700, 3, 1));
  const RowRange hole{200, 420};
  const auto fits = fit_autoregressions(rows, std::vector<RowRange>{hole});
  ASSERT_EQ(fits.size(), 2u);
  expect_near(fits[0].coefficients(), slow_fit(rows, {0, 0}));
  expect_near(fits[1].coefficients(), slow_fit(rows, hole));
}

TEST(Autoregression, finds_the_coefficients_of_its_own_process) {
  // x_t = 0.5 x_{t-1} + noise: the ridge shrinks by 1e-3 / variance.
  Matrix<double> noise = normal_rows(20000, 1, 2);
  for (std::size_t t = 1; t < noise.rows(); ++t) {
    noise(t, 0) += 0.5 * noise(t - 1, 0);
  }
  const auto fits = fit_autoregressions(to_float(noise), {});
  EXPECT_NEAR(fits[0].coefficients()(0, 0), 0.5, 0.02);
  EXPECT_NEAR(fits[0].coefficients()(1, 0), 0.0, 0.02);
}

TEST(Autoregression, the_residual_is_the_row_less_the_prediction) {
  const Matrix<float> rows = to_float(normal_rows(60, 2, 3));
  const auto fits = fit_autoregressions(rows, {});
  const Matrix<double>& b = fits[0].coefficients();
  const Matrix<float> residuals = fits[0].residuals(rows);
  for (const std::size_t t : {0u, 1u, 2u, 3u, 59u}) {
    for (std::size_t c = 0; c < 2; ++c) {
      double prediction = b(6, c);
      for (std::size_t lag = 1; lag <= 3; ++lag) {
        const std::size_t past = t >= lag ? t - lag : 0;
        for (std::size_t k = 0; k < 2; ++k) {
          prediction += b((lag - 1) * 2 + k, c) * rows(past, k);
        }
      }
      EXPECT_NEAR(residuals(t, c), rows(t, c) - prediction, 1e-6);
    }
  }
}

TEST(Autoregression, a_constant_channel_keeps_its_value) {
  Matrix<double> values = normal_rows(100, 3, 4);
  for (std::size_t t = 0; t < 100; ++t) values(t, 1) = 0.25;
  const Matrix<float> rows = to_float(values);
  const auto fits = fit_autoregressions(rows, {});
  EXPECT_EQ(fits[0].active(), (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(fits[0].residuals(rows)(50, 1), 0.25F);
}

TEST(Autoregression, very_many_channels_are_predicted_from_their_own_past) {
  const std::size_t channels = Autoregression::kMaxJointChannels + 1;
  const Matrix<float> rows = to_float(normal_rows(80, channels, 5));
  const RowRange hole{10, 30};
  const auto fits = fit_autoregressions(rows, std::vector<RowRange>{hole});
  EXPECT_FALSE(fits[0].is_joint());
  Matrix<float> one(80, 1);
  for (std::size_t t = 0; t < 80; ++t) one(t, 0) = rows(t, 7);
  const Matrix<double> expected = slow_fit(one, hole);
  for (std::size_t p = 0; p < 4; ++p) {
    EXPECT_NEAR(fits[1].coefficients()(p, 7), expected(p, 0), 1e-10);
  }
  const Autoregression rebuilt({0}, slow_fit(one, hole), 1);
  EXPECT_NEAR(rebuilt.residuals(one)(40, 0), fits[1].residuals(rows)(40, 7),
              1e-6);
}

TEST(Autoregression, refuses_coefficients_of_another_shape) {
  EXPECT_THROW(Autoregression({0, 1}, Matrix<double>(6, 2), 2),
               InvalidArgument);
}

}  // namespace autoregression_test
}  // namespace sbog
