// SPDX-License-Identifier: Apache-2.0
// Steps of a shape: their covariance, in full and by rows, and where nothing
// varies.
#include "sbog/sample/step_shape.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sample/support.h"
#include "sbog/sample/proposals.h"

namespace sbog {
namespace step_shape_test {

// A bank of one class whose coordinates have the deviations 1, 1/2, 1/3, ...
Matrix<double> bank_of(std::size_t rows, std::size_t dim) {
  Matrix<double> bank = oracle::normal_matrix<double>(rows, dim, 17);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < dim; ++k) {
      bank(i, k) /= static_cast<double>(k + 1);
    }
  }
  return bank;
}

// (1 - a) S + a I tr / m, scaled to trace m, by plain sums.
Matrix<double> wanted_covariance(const WithinClass<double>& within) {
  const std::size_t dim = within.dim();
  const Matrix<double> rows = within.centred(0, within.row_count());
  Matrix<double> sums(dim, dim);
  double trace = 0.0;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t a = 0; a < dim; ++a) {
      trace += rows(i, a) * rows(i, a);
      for (std::size_t b = 0; b < dim; ++b) {
        sums(a, b) += rows(i, a) * rows(i, b);
      }
    }
  }
  for (std::size_t a = 0; a < dim; ++a) {
    for (std::size_t b = 0; b < dim; ++b) {
      sums(a, b) *= 0.95 * static_cast<double>(dim) / trace;
    }
    sums(a, a) += 0.05;
  }
  return sums;
}

void expect_covariance(std::size_t rows, std::size_t dim, bool is_low_rank) {
  const Matrix<double> bank = bank_of(rows, dim);
  const std::vector<std::uint32_t> labels(rows, 0);
  const WithinClass<double> within(bank.view(), labels, 1, false);
  const StepShape shape(within, 3);
  EXPECT_EQ(shape.is_low_rank(), is_low_rank);
  EXPECT_EQ(shape.dim(), dim);
  EXPECT_EQ(shape.normal_count(), is_low_rank ? rows + dim : dim);
  const Matrix<double> wanted = wanted_covariance(within);
  constexpr std::size_t kCount = 40000;
  const Matrix<double> steps = draw_steps({9, 0, 0, 0}, &shape, dim, kCount);
  double trace = 0.0;
  for (std::size_t a = 0; a < dim; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      double sum = 0.0;
      for (std::size_t j = 0; j < kCount; ++j) sum += steps(j, a) * steps(j, b);
      sum /= static_cast<double>(kCount);
      // Five standard errors of a product of normals.
      const double error = std::sqrt(
          (wanted(a, a) * wanted(b, b) + wanted(a, b) * wanted(a, b)) /
          static_cast<double>(kCount));
      EXPECT_NEAR(sum, wanted(a, b), 5.0 * error) << a << " " << b;
      if (a == b) trace += sum;
    }
  }
  EXPECT_NEAR(trace, static_cast<double>(dim), 0.05 * static_cast<double>(dim));
}

TEST(StepShape, steps_have_the_shrunk_covariance) {
  expect_covariance(300, 6, false);
}

TEST(StepShape, fewer_rows_than_dimensions_stand_for_their_covariance) {
  expect_covariance(5, 9, true);
}

TEST(StepShape, many_dimensions_are_drawn_from_a_thousand_rows_at_most) {
  Matrix<double> bank(1500, 2100);
  for (std::size_t i = 0; i < bank.rows(); ++i) bank(i, i) = 1.0;
  const std::vector<std::uint32_t> labels(bank.rows(), 0);
  const StepShape shape(WithinClass<double>(bank.view(), labels, 1, false), 3);
  EXPECT_TRUE(shape.is_low_rank());
  EXPECT_EQ(shape.normal_count(), 1024u + 2100u);
}

TEST(StepShape, one_point_in_every_class_leaves_isotropic_steps) {
  for (const std::size_t dim : {3u, 40u}) {
    const Matrix<double> bank = bank_of(8, dim);
    std::vector<std::uint32_t> labels;
    for (std::uint32_t c = 0; c < 8; ++c) labels.push_back(c);
    const StepShape shape(WithinClass<double>(bank.view(), labels, 8, true), 3);
    const Matrix<double> steps = draw_steps({2, 0, 0, 0}, &shape, dim, 20000);
    for (std::size_t k = 0; k < dim; ++k) {
      double square = 0.0;
      for (std::size_t j = 0; j < steps.rows(); ++j) {
        square += steps(j, k) * steps(j, k) / 20000.0;
      }
      EXPECT_NEAR(square, 1.0, 0.05) << k;
    }
  }
}

}  // namespace step_shape_test
}  // namespace sbog
