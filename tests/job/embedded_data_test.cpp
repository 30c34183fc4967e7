// SPDX-License-Identifier: Apache-2.0
#include "sbog/job/embedded_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sbog/base/errors.h"

namespace sbog::job {
namespace embedded_data_test {

TEST(EmbeddedData, the_bank_has_unit_rows_and_three_classes) {
  const auto bank = to_matrix<double>(embedded_array("demo:bank"));
  ASSERT_EQ(bank.rows(), 600u);
  for (std::size_t i = 0; i < bank.rows(); ++i) {
    double norm2 = 0.0;
    for (const double x : bank.view().row(i)) norm2 += x * x;
    EXPECT_NEAR(norm2, 1.0, 1e-12);
  }
  const auto labels = to_labels(embedded_array("demo:labels"));
  EXPECT_EQ(labels.front(), 0);
  EXPECT_EQ(labels.back(), 2);
}

TEST(EmbeddedData, an_unknown_name_lists_the_known_ones) {
  EXPECT_TRUE(is_embedded("demo:nothing"));
  EXPECT_FALSE(is_embedded("bank.npy"));
  try {
    embedded_array("demo:nothing");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("demo:bank"), std::string::npos);
  }
}

TEST(EmbeddedData, a_file_that_is_not_there_is_an_io_error) {
  EXPECT_THROW(load_array("no-such-file.npy"), IoError);
  EXPECT_EQ(load_array("demo:queries").rows(), 9u);
}

TEST(EmbeddedData, no_name_means_no_labels) {
  EXPECT_TRUE(load_labels("").empty());
  EXPECT_EQ(load_labels("demo:labels").size(), 600u);
}

TEST(EmbeddedData, series_for_training_and_test_have_the_same_channels) {
  EXPECT_EQ(embedded_array("demo:series").cols(),
            embedded_array("demo:series-test").cols());
}

TEST(EmbeddedData, some_rows_of_the_test_series_are_marked) {
  const auto labels = load_labels("demo:series-labels");
  EXPECT_EQ(labels.size(), embedded_array("demo:series-test").rows());
  const auto marked = std::count(labels.begin(), labels.end(), 1);
  EXPECT_GT(marked, 0);
  EXPECT_LT(marked, static_cast<std::ptrdiff_t>(labels.size()) / 2);
}

}  // namespace embedded_data_test
}  // namespace sbog::job
