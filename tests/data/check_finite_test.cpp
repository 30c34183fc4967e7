// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/check_finite.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "data/support.h"
#include "sbog/base/errors.h"

namespace sbog {
namespace check_finite_test {

using testing_support::array_of;
using testing_support::message_of;

template <typename T>
class CheckFinite : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(CheckFinite, Scalars);

TYPED_TEST(CheckFinite, finite_values_pass_even_at_the_ends_of_the_range) {
  using Limits = std::numeric_limits<TypeParam>;
  Matrix<TypeParam> matrix(2, 3);
  matrix(0, 0) = Limits::max();
  matrix(0, 1) = Limits::max();
  matrix(1, 0) = Limits::lowest();
  matrix(1, 2) = Limits::denorm_min();
  const auto view = MatrixView<const TypeParam>(matrix);
  EXPECT_NO_THROW(check_finite(view, "bank"));
}

TYPED_TEST(CheckFinite, the_first_bad_value_in_row_order_is_named) {
  using Limits = std::numeric_limits<TypeParam>;
  Matrix<TypeParam> matrix(3, 70);
  const auto message = [&] {
    const auto view = MatrixView<const TypeParam>(matrix);
    return message_of<InvalidArgument>([&] { check_finite(view, "bank"); });
  };
  matrix(2, 69) = -Limits::infinity();
  EXPECT_EQ(message(),
            "bank: row 2, column 69 is -inf; finite values are expected");
  matrix(1, 40) = Limits::infinity();
  EXPECT_EQ(message(),
            "bank: row 1, column 40 is inf; finite values are expected");
  matrix(1, 3) = Limits::quiet_NaN();
  EXPECT_EQ(message(),
            "bank: row 1, column 3 is NaN; finite values are expected");
}

TYPED_TEST(CheckFinite, values_between_the_rows_of_a_view_are_not_looked_at) {
  Matrix<TypeParam> matrix(2, 3);
  matrix(0, 2) = std::numeric_limits<TypeParam>::quiet_NaN();
  const MatrixView<const TypeParam> left(matrix.data(), 2, 2, 3);
  EXPECT_NO_THROW(check_finite(left, "bank"));
}

TEST(CheckFiniteArray, halves_are_checked_and_integers_pass) {
  const Array half = array_of<std::uint16_t>(ElementType::kFloat16, {2, 2},
                                             {0, 0x7BFF, 0x7C00, 0});
  EXPECT_EQ(message_of<InvalidArgument>([&] { check_finite(half, "h"); }),
            "h: row 1, column 0 is inf; finite values are expected");
  const Array same_bits_as_integers =
      array_of<std::uint16_t>(ElementType::kUInt16, {1}, {0x7C00});
  EXPECT_NO_THROW(check_finite(same_bits_as_integers, "i"));
}

}  // namespace check_finite_test
}  // namespace sbog
