// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/array.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "data/support.h"
#include "sbog/base/errors.h"

namespace sbog {
namespace array_test {

using testing_support::array_of;
using testing_support::message_of;

TEST(Array, rows_and_columns_follow_the_rank) {
  const std::vector<float> data(24);
  const auto shaped = [&](std::vector<std::size_t> shape) {
    return array_of(ElementType::kFloat32, std::move(shape), data);
  };
  EXPECT_EQ(shaped({}).rows(), 1u);
  EXPECT_EQ(shaped({}).cols(), 1u);
  EXPECT_EQ(shaped({}).size(), 1u);
  EXPECT_EQ(shaped({7}).rows(), 7u);
  EXPECT_EQ(shaped({7}).cols(), 1u);
  EXPECT_EQ(shaped({4, 6}).cols(), 6u);
  EXPECT_EQ(shaped({2, 3, 4}).rows(), 2u);
  EXPECT_EQ(shaped({2, 3, 4}).cols(), 12u);
  EXPECT_EQ(shaped({0, 3}).size(), 0u);
  EXPECT_EQ(Array().size(), 0u);
}

TEST(Array, a_shape_that_does_not_fit_is_refused) {
  const std::size_t big = std::size_t{1} << 62;
  EXPECT_THROW(Array("x", ElementType::kFloat32, {big, 2}, nullptr),
               InvalidArgument);
  EXPECT_THROW(Array("x", ElementType::kFloat64, {big}, nullptr),
               InvalidArgument);
}

TEST(Array, element_sizes_agree_with_the_names_of_the_types) {
  using enum ElementType;
  for (const auto type :
       {kFloat16, kBFloat16, kFloat32, kFloat64, kInt8, kInt16, kInt32, kInt64,
        kUInt8, kUInt16, kUInt32, kUInt64}) {
    const std::string name = to_string(type);
    const auto digits = name.substr(name.find_first_of("0123456789"));
    EXPECT_EQ(element_size(type) * 8, std::stoul(digits)) << name;
    EXPECT_EQ(is_floating(type), name.find("float") != std::string::npos);
  }
  EXPECT_EQ(element_size(kBool), 1u);
  EXPECT_STREQ(to_string(kBool), "bool");
  EXPECT_FALSE(is_floating(kBool));
}

TEST(ToMatrix, elements_of_the_same_type_are_not_copied) {
  const Array array =
      array_of<float>(ElementType::kFloat32, {2, 3}, {0, 1, 2, 3, 4, 5});
  const auto matrix = to_matrix<float>(array);
  EXPECT_EQ(static_cast<const void*>(matrix.view().data()),
            static_cast<const void*>(array.bytes()));
  EXPECT_EQ(matrix.view()(1, 2), 5.0f);
  EXPECT_FALSE(matrix.is_mapped());
}

TEST(ToMatrix, the_matrix_keeps_the_elements_alive) {
  LoadedMatrix<double> matrix;
  {
    matrix = to_matrix<double>(
        array_of<double>(ElementType::kFloat64, {2, 1}, {1.5, 2.5}));
  }
  EXPECT_EQ(matrix.view()(1, 0), 2.5);
}

TEST(ToMatrix, misaligned_elements_are_copied) {
  std::vector<std::byte> raw(13);
  const std::vector<float> values = {1, 2, 3};
  auto owner = std::make_shared<std::vector<std::byte>>(64);
  std::memcpy(owner->data() + 1, values.data(), 12);
  const Array array("x", ElementType::kFloat32, {3}, {owner, owner->data() + 1},
                    true);
  const auto matrix = to_matrix<float>(array);
  EXPECT_FALSE(matrix.is_mapped());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(matrix.view().data()) % 4, 0u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(matrix.view()(i, 0), values[i]);
}

template <typename Stored>
void expect_same_values(ElementType type, std::vector<Stored> values) {
  const Array array = array_of(type, {values.size()}, values);
  const auto doubles = to_matrix<double>(array);
  const auto floats = to_matrix<float>(array);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(doubles.view()(i, 0), static_cast<double>(values[i]));
    EXPECT_EQ(floats.view()(i, 0), static_cast<float>(values[i]));
  }
}

template <typename Stored>
std::vector<Stored> ends_of_range() {
  using Limits = std::numeric_limits<Stored>;
  return {0, 1, 100, Limits::lowest(), Limits::max()};
}

TEST(ToMatrix, every_type_converts_to_its_values) {
  expect_same_values<std::int8_t>(ElementType::kInt8, ends_of_range<int8_t>());
  expect_same_values(ElementType::kInt16, ends_of_range<std::int16_t>());
  expect_same_values(ElementType::kInt32, ends_of_range<std::int32_t>());
  expect_same_values(ElementType::kUInt8, ends_of_range<std::uint8_t>());
  expect_same_values(ElementType::kUInt16, ends_of_range<std::uint16_t>());
  expect_same_values(ElementType::kUInt32, ends_of_range<std::uint32_t>());
  expect_same_values<std::int64_t>(ElementType::kInt64,
                                   {-(1LL << 53), 1LL << 53, -7});
  expect_same_values<std::uint64_t>(ElementType::kUInt64, {1ULL << 53, 7});
  expect_same_values<float>(ElementType::kFloat32, {-1.5f, 3e38f});
  expect_same_values<double>(ElementType::kFloat64, {-1.1, 1e-310, 3e38});
}

TEST(ToMatrix, sixteen_bit_floats_and_bool_convert) {
  const auto half = to_matrix<double>(
      array_of<std::uint16_t>(ElementType::kFloat16, {2}, {0x3C00, 0xC100}));
  EXPECT_EQ(half.view()(0, 0), 1.0);
  EXPECT_EQ(half.view()(1, 0), -2.5);
  const auto brain = to_matrix<double>(
      array_of<std::uint16_t>(ElementType::kBFloat16, {1}, {0x4049}));
  EXPECT_EQ(brain.view()(0, 0), 3.140625);
  const auto truth = to_matrix<float>(
      array_of<std::uint8_t>(ElementType::kBool, {3}, {0, 1, 200}));
  EXPECT_EQ(truth.view()(0, 0), 0.0f);
  EXPECT_EQ(truth.view()(1, 0), 1.0f);
  EXPECT_EQ(truth.view()(2, 0), 1.0f);
}

TEST(ToMatrix, a_too_large_integer_is_refused_by_row_and_column) {
  const Array array = array_of<std::int64_t>(
      ElementType::kInt64, {2, 2}, {0, 0, (1LL << 53) + 1, 0}, "bank.npy");
  EXPECT_EQ(message_of<InvalidArgument>([&] { to_matrix<double>(array); }),
            "bank.npy: row 1, column 0 is 9007199254740993; integers up to "
            "2^53 in magnitude are expected");
  EXPECT_THROW(to_matrix<float>(array), InvalidArgument);
  EXPECT_THROW(to_matrix<double>(
                   array_of<std::uint64_t>(ElementType::kUInt64, {1}, {~0ULL})),
               InvalidArgument);
}

TEST(ToMatrix, a_double_beyond_float_is_refused_but_nan_is_kept) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const auto kept = to_matrix<float>(
      array_of<double>(ElementType::kFloat64, {2}, {nan, -inf}));
  EXPECT_TRUE(std::isnan(kept.view()(0, 0)));
  EXPECT_TRUE(std::isinf(kept.view()(1, 0)));
  const Array large =
      array_of<double>(ElementType::kFloat64, {1, 2}, {0, -1e39}, "x");
  EXPECT_EQ(message_of<InvalidArgument>([&] { to_matrix<float>(large); }),
            "x: row 0, column 1 is -1e+39; a value within the range of float "
            "is expected");
}

TEST(ToMatrix, an_empty_array_is_an_empty_matrix) {
  const auto matrix = to_matrix<double>(Array());
  EXPECT_EQ(matrix.rows(), 0u);
  EXPECT_TRUE(matrix.view().is_empty());
}

TEST(ToVector, rows_and_columns_are_accepted_and_tables_are_not) {
  const std::vector<double> values = {3, 1, 2};
  for (const auto& shape :
       std::vector<std::vector<std::size_t>>{{3}, {3, 1}, {1, 3}, {1, 3, 1}}) {
    EXPECT_EQ(to_vector(array_of(ElementType::kFloat64, shape, values)),
              values);
  }
  EXPECT_EQ(to_vector(array_of<double>(ElementType::kFloat64, {}, {4})),
            std::vector<double>{4});
  const Array table =
      array_of<double>(ElementType::kFloat64, {2, 2}, {1, 2, 3, 4}, "w.npy");
  EXPECT_EQ(message_of<InvalidArgument>([&] { to_vector(table); }),
            "w.npy: the shape is (2, 2); one row or one column is expected");
}

TEST(ToLabels, integers_of_every_type_are_accepted) {
  const std::vector<std::int64_t> expected = {3, 0, 1};
  EXPECT_EQ(
      to_labels(array_of<std::uint8_t>(ElementType::kUInt8, {3}, {3, 0, 1})),
      expected);
  EXPECT_EQ(to_labels(array_of<float>(ElementType::kFloat32, {3}, {3, 0, 1})),
            expected);
  const std::int64_t least = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(to_labels(array_of<std::int64_t>(ElementType::kInt64, {1}, {least}))
                .front(),
            least);
}

TEST(ToLabels, a_value_that_is_not_integral_is_refused_by_index) {
  const auto refusal = [](double value) {
    const Array array =
        array_of<double>(ElementType::kFloat64, {2}, {0, value}, "y.csv");
    return message_of<InvalidArgument>([&] { to_labels(array); });
  };
  EXPECT_EQ(refusal(1.5),
            "y.csv: element 1 is 1.5; an integral label is expected");
  EXPECT_EQ(refusal(std::nan("")),
            "y.csv: element 1 is nan; an integral label is expected");
  EXPECT_NE(refusal(1e300).find("element 1"), std::string::npos);
  EXPECT_NE(refusal(-HUGE_VAL).find("element 1"), std::string::npos);
  EXPECT_THROW(to_labels(array_of<std::uint64_t>(ElementType::kUInt64, {1},
                                                 {1ULL << 63})),
               InvalidArgument);
}

TEST(ToArray, a_matrix_is_taken_over_without_a_copy) {
  Matrix<double> matrix(2, 3);
  matrix(1, 2) = 8.0;
  const void* data = matrix.data();
  const Array array = to_array(std::move(matrix), "m");
  EXPECT_EQ(static_cast<const void*>(array.bytes()), data);
  EXPECT_EQ(array.shape(), (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(to_matrix<double>(array).view()(1, 2), 8.0);
}

RC_GTEST_PROP(ToMatrix, integers_up_to_2_to_53_come_back_exactly,
              (const std::vector<std::int64_t>& any)) {
  std::vector<std::int64_t> values = any;
  for (auto& value : values) value >>= 10;  // now within 2^53
  const Array array = array_of(ElementType::kInt64, {values.size()}, values);
  const std::vector<double> wide = to_vector(array);
  for (std::size_t i = 0; i < values.size(); ++i) {
    RC_ASSERT(static_cast<std::int64_t>(wide[i]) == values[i]);
  }
}

}  // namespace array_test
}  // namespace sbog
