// SPDX-License-Identifier: Apache-2.0
#include "sbog/detect/labelled_bank.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "detect/support.h"

namespace sbog::detect {
namespace labelled_bank_test {

using testing::HasSubstr;
using testing_support::clustered_bank;
using testing_support::invalid_argument_of;

Matrix<float> two_rows() {
  Matrix<float> points(2, 2);
  points(0, 0) = 3.0F;
  points(0, 1) = 4.0F;
  points(1, 1) = -2.0F;
  return points;
}

TEST(LabelledBank, rows_are_divided_by_their_length) {
  const Matrix<float> unit = unit_rows(two_rows().view(), "rows");
  EXPECT_FLOAT_EQ(unit(0, 0), 0.6F);
  EXPECT_FLOAT_EQ(unit(0, 1), 0.8F);
  EXPECT_EQ(unit(1, 1), -1.0F);
}

TEST(LabelledBank, a_value_that_is_not_finite_is_refused_by_its_place) {
  Matrix<float> points = two_rows();
  points(1, 0) = std::numeric_limits<float>::quiet_NaN();
  const std::string said =
      invalid_argument_of([&] { unit_rows(points.view(), "rows.npy"); });
  EXPECT_THAT(said, HasSubstr("rows.npy"));
  EXPECT_THAT(said, HasSubstr("row 1, column 0"));
}

TEST(LabelledBank, a_row_of_zeros_is_refused) {
  Matrix<float> points = two_rows();
  points(1, 1) = 0.0F;
  EXPECT_THAT(invalid_argument_of([&] { unit_rows(points.view(), "rows"); }),
              HasSubstr("row 1"));
}

TEST(LabelledBank, classes_are_numbered_by_increasing_label) {
  const std::vector<std::int64_t> labels = {7, -3};
  const LabelledBank bank = make_bank(two_rows().view(), labels, "rows");
  EXPECT_EQ(bank.class_labels, (std::vector<std::int64_t>{-3, 7}));
  EXPECT_EQ(bank.classes, (std::vector<std::size_t>{1, 0}));
}

TEST(LabelledBank, without_labels_there_is_one_class) {
  const LabelledBank bank = make_bank(two_rows().view(), {}, "rows");
  EXPECT_EQ(bank.class_count(), 1u);
  EXPECT_EQ(bank.classes, (std::vector<std::size_t>{0, 0}));
}

TEST(LabelledBank, labels_must_be_one_per_row) {
  const std::vector<std::int64_t> labels = {1, 2, 3};
  EXPECT_THAT(invalid_argument_of(
                  [&] { make_bank(two_rows().view(), labels, "rows"); }),
              HasSubstr("one per row is expected (2), got 3"));
  EXPECT_THAT(invalid_argument_of([&] { make_bank({}, {}, "rows"); }),
              HasSubstr("at least one point"));
}

TEST(LabelledBank, the_means_are_those_of_the_rows) {
  Matrix<float> points(3, 2);
  points(0, 0) = points(1, 1) = points(2, 0) = 1.0F;
  const std::vector<std::int64_t> labels = {0, 0, 1};
  const Matrix<double> means =
      class_means(make_bank(points.view(), labels, "rows"));
  EXPECT_EQ(means(0, 0), 0.5);
  EXPECT_EQ(means(0, 1), 0.5);
  EXPECT_EQ(means(1, 0), 1.0);
}

TEST(LabelledBank, a_fifth_of_each_class_is_held_out) {
  const LabelledBank bank = clustered_bank(34, 4, 3);  // 12, 11, 11
  const HeldOutSplit split = split_bank(bank, 0.2, 5);
  std::vector<std::size_t> held(3, 0);
  for (const std::size_t row : split.held_out) ++held[bank.classes[row]];
  EXPECT_EQ(held, (std::vector<std::size_t>{2, 2, 2}));
  std::set<std::size_t> all(split.kept.begin(), split.kept.end());
  all.insert(split.held_out.begin(), split.held_out.end());
  EXPECT_EQ(all.size(), 34u);
  EXPECT_EQ(split.kept.size(), 28u);
}

TEST(LabelledBank, the_split_follows_the_seed) {
  const LabelledBank bank = clustered_bank(60, 4, 3);
  EXPECT_EQ(split_bank(bank, 0.3, 5).kept, split_bank(bank, 0.3, 5).kept);
  EXPECT_NE(split_bank(bank, 0.3, 5).kept, split_bank(bank, 0.3, 6).kept);
}

TEST(LabelledBank, a_class_of_one_row_keeps_it) {
  const LabelledBank bank = clustered_bank(3, 4, 3);
  EXPECT_TRUE(split_bank(bank, 0.9, 1).held_out.empty());
  EXPECT_THAT(invalid_argument_of([&] { split_bank(bank, 1.0, 1); }),
              HasSubstr("below 1 is expected"));
}

TEST(LabelledBank, a_part_without_rows_of_a_class_is_refused) {
  const LabelledBank bank = clustered_bank(6, 4, 3);
  const std::vector<std::size_t> rows = {0, 1, 3};
  EXPECT_THAT(invalid_argument_of([&] { part_of_bank(bank, rows); }),
              HasSubstr("class 30 has no row left"));
  const std::vector<std::size_t> enough = {1, 2, 3};
  EXPECT_EQ(part_of_bank(bank, enough).classes,
            (std::vector<std::size_t>{1, 2, 0}));
}

}  // namespace labelled_bank_test
}  // namespace sbog::detect
