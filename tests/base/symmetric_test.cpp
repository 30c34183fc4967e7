// SPDX-License-Identifier: Apache-2.0
// Sums, eigenvectors and Cholesky beside plain loops and known cases.
#include "sbog/base/symmetric.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sbog/base/errors.h"
#include "sbog/base/philox.h"

namespace sbog {
namespace symmetric_test {

Matrix<double> random_rows(std::size_t rows, std::size_t cols,
                           std::uint64_t seed) {
  Matrix<double> result(rows, cols);
  PhiloxStream(seed, 0, 0, 0).normals(0, result.elements());
  return result;
}

// left' * right, entry by entry in long double.
double product(const Matrix<double>& left, const Matrix<double>& right,
               std::size_t i, std::size_t j) {
  long double sum = 0.0L;
  for (std::size_t k = 0; k < left.rows(); ++k) {
    sum += static_cast<long double>(left(k, i)) * right(k, j);
  }
  return static_cast<double>(sum);
}

Matrix<double> gram_of(const Matrix<double>& rows) {
  Matrix<double> gram(rows.cols(), rows.cols());
  add_gram(rows, gram);
  return gram;
}

// An entry of the symmetric matrix whose lower triangle is given.
double entry(const Matrix<double>& lower, std::size_t i, std::size_t j) {
  return i >= j ? lower(i, j) : lower(j, i);
}

TEST(Symmetric, GramIsAddedToTheLowerTriangleAlone) {
  const Matrix<double> rows = random_rows(37, 9, 1);
  Matrix<double> gram(9, 9);
  for (double& x : gram.elements()) x = 2.0;
  add_gram(rows, gram);
  for (std::size_t i = 0; i < 9; ++i) {
    for (std::size_t j = 0; j < 9; ++j) {
      const double expected = j <= i ? 2.0 + product(rows, rows, i, j) : 2.0;
      EXPECT_NEAR(gram(i, j), expected, 1e-12);
    }
  }
}

TEST(Symmetric, ProductsOfPartsOfRows) {
  const Matrix<double> left = random_rows(20, 5, 2);
  const Matrix<double> right = random_rows(20, 3, 3);
  Matrix<double> sums(5, 3);
  add_products(left.view().subrows(0, 7), right.view().subrows(0, 7), sums);
  add_products(left.view().subrows(7, 13), right.view().subrows(7, 13), sums);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_NEAR(sums(i, j), product(left, right, i, j), 1e-13);
    }
  }
}

TEST(Symmetric, RowProductsAreThoseOfTheRows) {
  const Matrix<double> rows = random_rows(6, 11, 4);
  const Matrix<double> products = row_products(rows);
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      long double sum = 0.0L;
      for (std::size_t k = 0; k < 11; ++k) {
        sum += static_cast<long double>(rows(i, k)) * rows(j, k);
      }
      EXPECT_NEAR(products(i, j), static_cast<double>(sum), 1e-13);
    }
  }
}

TEST(Symmetric, EigenvaluesOfTwoByTwo) {
  Matrix<double> square(2, 2);
  square(0, 0) = 2.0;
  square(1, 0) = 1.0;
  square(0, 1) = std::nan("");  // never read
  square(1, 1) = 2.0;
  const SymmetricEigen eigen = symmetric_eigen(square);
  EXPECT_NEAR(eigen.values[0], 3.0, 1e-15);
  EXPECT_NEAR(eigen.values[1], 1.0, 1e-15);
  EXPECT_NEAR(std::abs(eigen.vectors(0, 0)), std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(eigen.vectors(0, 0), eigen.vectors(0, 1), 1e-15);
  EXPECT_NEAR(eigen.vectors(1, 0), -eigen.vectors(1, 1), 1e-15);
}

TEST(Symmetric, EigenvectorsSolveTheirEquation) {
  const Matrix<double> gram = gram_of(random_rows(40, 12, 5));
  const SymmetricEigen eigen = symmetric_eigen(gram);
  for (std::size_t k = 0; k < 12; ++k) {
    EXPECT_LE(eigen.values[k], eigen.values[k == 0 ? 0 : k - 1]);
    for (std::size_t i = 0; i < 12; ++i) {
      double moved = 0.0;
      for (std::size_t j = 0; j < 12; ++j) {
        moved += entry(gram, i, j) * eigen.vectors(k, j);
      }
      EXPECT_NEAR(moved, eigen.values[k] * eigen.vectors(k, i), 1e-12);
    }
  }
}

TEST(Symmetric, CholeskyFactorGivesTheMatrixBack) {
  const Matrix<double> gram = gram_of(random_rows(30, 8, 6));
  const Matrix<double> lower = cholesky_factor(gram);
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = 0.0;
      for (std::size_t k = 0; k <= j; ++k) sum += lower(i, k) * lower(j, k);
      EXPECT_NEAR(sum, gram(i, j), 1e-12);
    }
    for (std::size_t j = i + 1; j < 8; ++j) EXPECT_EQ(lower(i, j), 0.0);
  }
}

TEST(Symmetric, CholeskySolvesForEveryColumn) {
  const Matrix<double> gram = gram_of(random_rows(30, 8, 7));
  const Matrix<double> right = random_rows(8, 3, 8);
  const Matrix<double> solved = cholesky_solve(gram, right);
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      double sum = 0.0;
      for (std::size_t k = 0; k < 8; ++k)
        sum += entry(gram, i, k) * solved(k, j);
      EXPECT_NEAR(sum, right(i, j), 1e-12);
    }
  }
}

TEST(Symmetric, RefusesWhatHasNoFactor) {
  Matrix<double> square(2, 2);
  square(0, 0) = 1.0;
  square(1, 1) = -1.0;
  EXPECT_THROW(cholesky_factor(square), InvalidArgument);
  EXPECT_THROW(cholesky_solve(square, square), InvalidArgument);
  EXPECT_THROW(symmetric_eigen(random_rows(2, 3, 9)), InvalidArgument);
  square(1, 1) = 1.0;
  EXPECT_THROW(cholesky_solve(square, random_rows(3, 1, 9)), InvalidArgument);
}

}  // namespace symmetric_test
}  // namespace sbog
