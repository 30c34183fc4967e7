// SPDX-License-Identifier: Apache-2.0
// The detector at its optimum, on classes no line separates, and its weights.
#include "sbog/oracle/quadratic_detector.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "oracle/energy_oracle.h"
#include "sbog/base/errors.h"
#include "sbog/metrics/detection.h"

namespace sbog {
namespace quadratic_detector_test {

// Points around the origin, and a shell around them.
struct Shell {
  Matrix<float> inner = oracle::normal_matrix<float>(200, 3, 1);
  Matrix<float> outer = oracle::normal_matrix<float>(80, 3, 2, 3.0);
};

double log_loss(const std::vector<double>& negatives,
                const std::vector<double>& positives) {
  double sum = 0.0;
  for (const double s : negatives) {
    sum +=
        0.5 * std::log1p(std::exp(s)) / static_cast<double>(negatives.size());
  }
  for (const double s : positives) {
    sum +=
        0.5 * std::log1p(std::exp(-s)) / static_cast<double>(positives.size());
  }
  return sum;
}

TEST(QuadraticDetector, separates_what_no_line_separates) {
  const Shell shell;
  const QuadraticDetector detector(shell.inner, shell.outer);
  EXPECT_EQ(detector.status(), SolveStatus::kDone);
  const auto fresh_inner = oracle::normal_matrix<float>(500, 3, 3);
  const auto fresh_outer = oracle::normal_matrix<float>(500, 3, 4, 3.0);
  EXPECT_GT(
      auroc(detector.score(fresh_outer), detector.score(fresh_inner)).value(),
      0.9);
}

TEST(QuadraticDetector, one_coordinate_reaches_the_minimum_of_the_loss) {
  // Features x and x^2: the minimum over two weights and the intercept is found
  // by a plain search around the fit.
  const auto inner = oracle::normal_matrix<float>(60, 1, 5);
  const auto outer = oracle::normal_matrix<float>(40, 1, 6, 2.0);
  constexpr double kRidge = 0.05;
  const QuadraticDetector detector(inner, outer, {kRidge, 50});
  std::vector<double> x;
  for (const float v : inner.elements()) x.push_back(v);
  for (const float v : outer.elements()) x.push_back(v);
  double m1 = 0.0, m2 = 0.0, v1 = 0.0, v2 = 0.0;
  for (const double v : x) {
    m1 += v / 100.0;
    m2 += v * v / 100.0;
  }
  for (const double v : x) {
    v1 += (v - m1) * (v - m1) / 100.0;
    v2 += (v * v - m2) * (v * v - m2) / 100.0;
  }
  const auto objective = [&](double a, double b, double c) {
    std::vector<double> negatives, positives;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double score = a + b * (x[i] - m1) / std::sqrt(v1) +
                           c * (x[i] * x[i] - m2) / std::sqrt(v2);
      (i < 60 ? negatives : positives).push_back(score);
    }
    return log_loss(negatives, positives) + 0.5 * kRidge * (b * b + c * c);
  };
  // The fit's three numbers from its scores at three points.
  const std::vector<float> probes = {0.0f, 1.0f, -1.0f};
  const auto s = detector.score({probes.data(), 3, 1});
  const double c = 0.5 * (s[1] + s[2] - 2.0 * s[0]) * std::sqrt(v2);
  const double b = 0.5 * (s[1] - s[2]) * std::sqrt(v1);
  const double a = s[0] + b * m1 / std::sqrt(v1) + c * m2 / std::sqrt(v2);
  const double least = objective(a, b, c);
  for (const double step : {1e-3, 1e-2, 0.3}) {
    for (const double sign : {-1.0, 1.0}) {
      EXPECT_GT(objective(a + sign * step, b, c), least);
      EXPECT_GT(objective(a, b + sign * step, c), least);
      EXPECT_GT(objective(a, b, c + sign * step), least);
    }
  }
}

TEST(QuadraticDetector, classes_weigh_the_same_whatever_their_size) {
  const Shell shell;
  Matrix<float> twice(2 * shell.outer.rows(), 3);
  for (std::size_t i = 0; i < twice.rows(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) twice(i, k) = shell.outer(i / 2, k);
  }
  // Standardisation sees another mixture, which a tiny ridge hides.
  const QuadraticDetector once(shell.inner, shell.outer, {1e-9, 100});
  const QuadraticDetector doubled(shell.inner, twice, {1e-9, 100});
  const auto a = once.score(shell.inner);
  const auto b = doubled.score(shell.inner);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_NEAR(a[i], b[i], 1e-4 * (1.0 + std::abs(a[i])));
  }
}

TEST(QuadraticDetector, a_constant_coordinate_and_separable_classes_are_fine) {
  Matrix<float> low(5, 2);
  Matrix<float> high(5, 2);
  for (std::size_t i = 0; i < 5; ++i) {
    low(i, 0) = static_cast<float>(i);
    high(i, 0) = static_cast<float>(10 + i);
    low(i, 1) = high(i, 1) = 1.0f;
  }
  const QuadraticDetector detector(low, high);
  EXPECT_EQ(detector.status(), SolveStatus::kDone);
  for (const double s : detector.score(low)) EXPECT_LT(s, 0.0);
  for (const double s : detector.score(high)) EXPECT_GT(s, 0.0);
}

TEST(QuadraticDetector, too_few_steps_are_reported) {
  const Shell shell;
  const QuadraticDetector detector(shell.inner, shell.outer, {1e-3, 1});
  EXPECT_EQ(detector.status(), SolveStatus::kNotConverged);
  EXPECT_EQ(detector.steps(), 1u);
}

TEST(QuadraticDetector, refuses_what_does_not_fit) {
  const Shell shell;
  EXPECT_THROW(QuadraticDetector(shell.inner, Matrix<float>(0, 3)),
               InvalidArgument);
  EXPECT_THROW(QuadraticDetector(shell.inner, Matrix<float>(4, 2)),
               InvalidArgument);
  EXPECT_THROW(QuadraticDetector(shell.inner, shell.outer, {0.0, 5}),
               InvalidArgument);
  EXPECT_THROW(
      QuadraticDetector(shell.inner, shell.outer).score(Matrix<float>(1, 2)),
      InvalidArgument);
}

}  // namespace quadratic_detector_test
}  // namespace sbog
