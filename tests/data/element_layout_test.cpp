// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/detail/element_layout.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "data/support.h"
#include "sbog/base/errors.h"
#include "sbog/data/detail/text.h"

namespace sbog::detail {
namespace element_layout_test {

using testing_support::append_value;
using testing_support::bytes_of;
using testing_support::message_of;

constexpr auto kNative = std::endian::native;
constexpr auto kForeign = std::endian::native == std::endian::little
                              ? std::endian::big
                              : std::endian::little;
using Shape = std::vector<std::size_t>;

// The row-major rank of the element that is the n-th in column-major order.
std::size_t row_major_rank(std::size_t n, const Shape& shape) {
  Shape index;
  for (const std::size_t extent : shape) {
    index.push_back(n % extent);
    n /= extent;
  }
  std::size_t rank = 0;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    rank = rank * shape[k] + index[k];
  }
  return rank;
}

// A column-major file whose elements count in row-major order.
template <typename T>
std::string column_major_file(const Shape& shape, std::endian order) {
  std::size_t count = 1;
  for (const std::size_t extent : shape) count *= extent;
  std::string out = "head";
  for (std::size_t n = 0; n < count; ++n) {
    append_value(out, static_cast<T>(row_major_rank(n, shape)), order);
  }
  return out;
}

template <typename T>
void expect_counting(ElementType type, const Shape& shape, std::endian order) {
  const std::string file = column_major_file<T>(shape, order);
  const Array array = take_array({"f", bytes_of(file), nullptr},
                                 {type, order != kNative, true, shape, 4});
  ASSERT_EQ(array.shape(), shape);
  const auto* values = reinterpret_cast<const T*>(array.bytes());
  for (std::size_t i = 0; i < array.size(); ++i) {
    ASSERT_EQ(values[i], static_cast<T>(i)) << shape_text(shape) << " " << i;
  }
}

TEST(ElementLayout, column_major_files_of_every_rank_become_row_major) {
  for (const Shape& shape :
       {Shape{}, Shape{5}, Shape{3, 4}, Shape{1, 7}, Shape{7, 1}, Shape{33, 65},
        Shape{2, 3, 4}, Shape{40, 2, 35}, Shape{2, 1, 3, 4},
        Shape{3, 2, 1, 2, 3}, Shape{2, 2, 2, 2, 2, 2}}) {
    for (const auto order : {kNative, kForeign}) {
      expect_counting<std::uint8_t>(ElementType::kUInt8, shape, order);
      expect_counting<std::int16_t>(ElementType::kInt16, shape, order);
      expect_counting<float>(ElementType::kFloat32, shape, order);
      expect_counting<double>(ElementType::kFloat64, shape, order);
    }
  }
}

TEST(ElementLayout, an_axis_without_extent_gives_an_empty_array) {
  const Array array = take_array(
      {"f", {}, nullptr}, {ElementType::kInt32, true, true, {3, 0, 2}, 0});
  EXPECT_EQ(array.size(), 0u);
}

TEST(ElementLayout, an_owned_native_file_is_shared_not_copied) {
  const auto owner = std::make_shared<std::vector<double>>(6, 1.5);
  const FileBytes file{"f", std::as_bytes(std::span(*owner)), owner, true};
  const ElementLayout layout{ElementType::kFloat64, false, false, {2, 3}, 0};
  const Array shared = take_array(file, layout);
  EXPECT_EQ(shared.bytes(), file.bytes.data());
  EXPECT_TRUE(shared.is_mapped());
  ElementLayout row = layout;
  row.is_column_major = true;
  row.shape = {6, 1};
  EXPECT_EQ(take_array(file, row).bytes(), file.bytes.data());
  ElementLayout transposed = layout;
  transposed.is_column_major = true;
  EXPECT_NE(take_array(file, transposed).bytes(), file.bytes.data());
  EXPECT_FALSE(take_array(file, transposed).is_mapped());
}

TEST(ElementLayout, a_file_of_another_size_is_refused) {
  const auto refusal = [](std::size_t size) {
    const std::string file(size, '\0');
    return message_of<IoError>([&] {
      take_array({"f", bytes_of(file), nullptr},
                 {ElementType::kFloat32, false, false, {2, 3}, 4});
    });
  };
  EXPECT_EQ(refusal(28), "nothing was thrown");
  EXPECT_EQ(refusal(27),
            "f: the shape (2, 3) of float32 takes 24 bytes, but 23 bytes "
            "follow the header");
  EXPECT_EQ(refusal(29),
            "f: the shape (2, 3) of float32 takes 24 bytes, but 25 bytes "
            "follow the header");
}

TEST(ElementLayout, a_shape_beyond_memory_is_refused) {
  const ElementLayout layout{
      ElementType::kFloat32, false, false, {std::size_t{1} << 62}, 0};
  EXPECT_EQ(message_of<IoError>([&] { layout_byte_count(layout, "f"); }),
            "f: the shape (4611686018427387904,) is larger than any memory");
}

}  // namespace element_layout_test
}  // namespace sbog::detail
