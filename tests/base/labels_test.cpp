// SPDX-License-Identifier: Apache-2.0
// Rows of labels and their counts.
#include "sbog/base/labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sbog {
namespace labels_test {

TEST(Labels, rows_of_labels_are_increasing) {
  const std::vector<std::int64_t> labels = {3, -1, 3, 3};
  const RowsByLabel rows = rows_by_label(labels);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows.at(-1), (std::vector<std::size_t>{1}));
  EXPECT_EQ(rows.at(3), (std::vector<std::size_t>{0, 2, 3}));
}

TEST(Labels, all_rows_begin_with_0) {
  EXPECT_EQ(all_rows(3), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_TRUE(all_rows(0).empty());
}

TEST(Labels, one_label_per_row_is_expected) {
  const std::vector<std::int64_t> labels = {1, 2};
  EXPECT_NO_THROW(check_label_count(labels, 2, "labels"));
  EXPECT_THAT([&] { check_label_count(labels, 3, "labels"); },
              testing::ThrowsMessage<InvalidArgument>(
                  "labels: one per row is expected (3), got 2"));
}

}  // namespace labels_test
}  // namespace sbog
