// SPDX-License-Identifier: Apache-2.0
#include "sbog/job/embedded_series.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sbog::testing_support {
namespace embedded_series_test {

using job::embedded_series;
using job::embedded_series_labels;

TEST(EmbeddedSeries, training_and_test_have_the_same_channels) {
  EXPECT_EQ(embedded_series().cols(), job::embedded_series_test().cols());
}

TEST(EmbeddedSeries, some_rows_of_the_test_are_marked) {
  const auto labels = to_labels(embedded_series_labels());
  EXPECT_EQ(labels.size(), job::embedded_series_test().rows());
  const auto marked = std::count(labels.begin(), labels.end(), 1);
  EXPECT_GT(marked, 0);
  EXPECT_LT(marked, static_cast<std::ptrdiff_t>(labels.size()) / 2);
}

}  // namespace embedded_series_test
}  // namespace sbog::testing_support
