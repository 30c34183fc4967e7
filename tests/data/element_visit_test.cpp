// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/detail/element_visit.h"

#include <gtest/gtest.h>

#include <type_traits>
#include <vector>

#include "data/support.h"

namespace sbog::detail {
namespace element_visit_test {

using testing_support::array_of;

TEST(ElementVisit, every_index_is_visited_once_in_order) {
  const Array array =
      array_of<std::int16_t>(ElementType::kInt16, {2, 2}, {5, -6, 7, -8});
  std::vector<std::size_t> indices;
  std::vector<std::int64_t> values;
  visit_elements(array, [&](std::size_t i, auto value) {
    indices.push_back(i);
    values.push_back(static_cast<std::int64_t>(value));
  });
  EXPECT_EQ(indices, (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_EQ(values, (std::vector<std::int64_t>{5, -6, 7, -8}));
}

template <typename Wide>
bool is_widened_to(ElementType type) {
  const Array array = array_of<std::uint64_t>(type, {1}, {0});
  bool is_same = false;
  visit_elements(array, [&](std::size_t, auto value) {
    is_same = std::is_same_v<decltype(value), Wide>;
  });
  return is_same;
}

TEST(ElementVisit, values_widen_to_a_type_that_holds_them_exactly) {
  using enum ElementType;
  for (const auto type : {kFloat16, kBFloat16, kFloat32}) {
    EXPECT_TRUE(is_widened_to<float>(type)) << to_string(type);
  }
  EXPECT_TRUE(is_widened_to<double>(kFloat64));
  for (const auto type : {kInt8, kInt16, kInt32, kInt64}) {
    EXPECT_TRUE(is_widened_to<std::int64_t>(type)) << to_string(type);
  }
  for (const auto type : {kUInt8, kUInt16, kUInt32, kUInt64, kBool}) {
    EXPECT_TRUE(is_widened_to<std::uint64_t>(type)) << to_string(type);
  }
}

}  // namespace element_visit_test
}  // namespace sbog::detail
