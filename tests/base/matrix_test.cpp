// SPDX-License-Identifier: Apache-2.0
#include "sbog/base/matrix.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace sbog {
namespace matrix_test {

Matrix<double> numbered(std::size_t rows, std::size_t cols) {
  Matrix<double> out(rows, cols);
  double value = 0;
  for (double& element : out.elements()) element = value++;
  return out;
}

TEST(Matrix, a_new_matrix_is_zero_and_aligned_to_64_bytes) {
  for (const std::size_t cols : {1u, 3u, 17u}) {
    const Matrix<float> matrix(5, cols);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(matrix.data()) % 64, 0u);
    for (const float element : matrix.elements()) EXPECT_EQ(element, 0.0f);
  }
}

TEST(Matrix, an_empty_shape_holds_nothing_but_keeps_its_sides) {
  const Matrix<float> none;
  EXPECT_EQ(none.size(), 0u);
  const Matrix<float> flat(7, 0);
  EXPECT_EQ(flat.rows(), 7u);
  EXPECT_EQ(flat.cols(), 0u);
  EXPECT_TRUE(flat.view().is_empty());
  EXPECT_EQ(flat.row(6).size(), 0u);
  EXPECT_EQ(flat.clone().rows(), 7u);
}

TEST(Matrix, a_shape_that_overflows_is_refused) {
  const std::size_t huge = std::numeric_limits<std::size_t>::max();
  EXPECT_THROW(Matrix<float>(huge, 2), InvalidArgument);
  EXPECT_THROW(Matrix<float>(std::size_t{1} << 32, std::size_t{1} << 32),
               InvalidArgument);
  EXPECT_THROW(Matrix<double>(std::size_t{1} << 60, 1), InvalidArgument);
}

TEST(Matrix, a_move_empties_the_source_and_keeps_the_address) {
  Matrix<double> source = numbered(3, 4);
  const double* address = source.data();
  Matrix<double> target = std::move(source);
  EXPECT_EQ(target.data(), address);
  EXPECT_EQ(source.size(), 0u);  // NOLINT(bugprone-use-after-move): stated
  source = std::move(target);
  EXPECT_EQ(source.data(), address);
  EXPECT_EQ(source(2, 3), 11.0);
}

TEST(Matrix, a_move_to_itself_changes_nothing) {
  Matrix<double> matrix = numbered(2, 2);
  Matrix<double>& same = matrix;
  matrix = std::move(same);
  EXPECT_EQ(matrix(1, 1), 3.0);
}

TEST(Matrix, a_clone_is_independent) {
  Matrix<double> source = numbered(2, 3);
  Matrix<double> copy = source.clone();
  copy(1, 2) = -1;
  EXPECT_EQ(source(1, 2), 5.0);
  EXPECT_EQ(copy(0, 1), 1.0);
}

RC_GTEST_PROP(Matrix, rows_elements_and_indices_name_the_same_memory, ()) {
  const auto rows = *rc::gen::inRange<std::size_t>(1, 20);
  const auto cols = *rc::gen::inRange<std::size_t>(1, 20);
  Matrix<double> matrix = numbered(rows, cols);
  const auto i = *rc::gen::inRange<std::size_t>(0, rows);
  const auto j = *rc::gen::inRange<std::size_t>(0, cols);
  const double expected = static_cast<double>(i * cols + j);
  RC_ASSERT(matrix(i, j) == expected);
  RC_ASSERT(matrix.row(i)[j] == expected);
  RC_ASSERT(matrix.elements()[i * cols + j] == expected);
  RC_ASSERT(&matrix.view()(i, j) == &matrix(i, j));
}

RC_GTEST_PROP(MatrixView, a_strided_view_skips_what_lies_between_rows, ()) {
  const auto rows = *rc::gen::inRange<std::size_t>(1, 10);
  const auto cols = *rc::gen::inRange<std::size_t>(1, 10);
  const auto gap = *rc::gen::inRange<std::size_t>(0, 5);
  Matrix<double> matrix = numbered(rows, cols + gap);
  const MatrixView<double> view(matrix.data(), rows, cols, cols + gap);
  const auto first = *rc::gen::inRange<std::size_t>(0, rows);
  const MatrixView<double> part = view.subrows(first, rows - first);
  RC_ASSERT(part.row_stride() == cols + gap);
  for (std::size_t i = 0; i < part.rows(); ++i) {
    RC_ASSERT(part.row(i).size() == cols);
    for (std::size_t j = 0; j < cols; ++j) {
      RC_ASSERT(part(i, j) == matrix(first + i, j));
    }
  }
}

TEST(MatrixView, a_view_writes_through_and_converts_to_constant) {
  Matrix<float> matrix(2, 2);
  const MatrixView<float> view = matrix;
  view(1, 0) = 4.0f;
  const MatrixView<const float> constant = view;
  EXPECT_EQ(constant(1, 0), 4.0f);
  EXPECT_EQ(constant.data(), matrix.data());
  EXPECT_FALSE(
      (std::is_convertible_v<MatrixView<const float>, MatrixView<float>>));
}

TEST(MatrixView, zero_rows_of_a_view_are_a_view) {
  const Matrix<float> matrix(3, 2);
  EXPECT_TRUE(matrix.view().subrows(3, 0).is_empty());
  EXPECT_TRUE(MatrixView<float>().is_empty());
}

}  // namespace matrix_test
}  // namespace sbog
