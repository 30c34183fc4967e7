// SPDX-License-Identifier: Apache-2.0
// copy_rows: order, repetition, strided views, nothing asked.
#include "sbog/base/copy_rows.h"

#include <gtest/gtest.h>

#include <vector>

namespace sbog {
namespace copy_rows_test {

TEST(CopyRows, takes_rows_in_the_order_asked_also_twice) {
  Matrix<double> points(4, 3);
  for (std::size_t i = 0; i < points.size(); ++i) {
    points.data()[i] = static_cast<double>(i);
  }
  // A view of two of the three columns: the stride is not the width.
  const MatrixView<const double> narrow(points.data(), 4, 2, 3);
  const std::vector<std::size_t> rows = {3, 0, 3};
  const Matrix<double> taken = copy_rows(narrow, rows);
  ASSERT_EQ(taken.rows(), 3U);
  ASSERT_EQ(taken.cols(), 2U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(taken(i, 0), points(rows[i], 0));
    EXPECT_EQ(taken(i, 1), points(rows[i], 1));
  }
}

TEST(CopyRows, no_rows_give_an_empty_matrix_of_the_same_width) {
  const Matrix<float> points(2, 5);
  const Matrix<float> taken = copy_rows<float>(points.view(), {});
  EXPECT_EQ(taken.rows(), 0U);
  EXPECT_EQ(taken.cols(), 5U);
}

}  // namespace copy_rows_test
}  // namespace sbog
