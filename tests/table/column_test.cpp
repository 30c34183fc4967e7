// SPDX-License-Identifier: Apache-2.0
#include "sbog/table/column.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sbog/base/errors.h"

namespace sbog::table {
namespace column_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Fields = std::vector<std::string>;

std::vector<double> code(const Column& column, const std::string& field) {
  std::vector<double> out(column.width());
  column.encode(column.parse(field), out);
  return out;
}

// Mean squared difference of two rows, by the plainest loop.
double mean_difference(const Column& column, const Fields& fields) {
  double sum = 0.0;
  for (const std::string& a : fields) {
    for (const std::string& b : fields) {
      const auto x = code(column, a);
      const auto y = code(column, b);
      for (std::size_t k = 0; k < x.size(); ++k) {
        sum += (x[k] - y[k]) * (x[k] - y[k]);
      }
    }
  }
  return sum / static_cast<double>(fields.size() * fields.size());
}

TEST(Column, its_kind_is_seen_in_its_fields) {
  EXPECT_TRUE(learn_column("x", Fields{"1", "2.5", ""}).is_number);
  EXPECT_FALSE(learn_column("x", Fields{"1", "two"}).is_number);
  EXPECT_FALSE(learn_column("x", Fields{"1", "2"}, true).is_number);
  EXPECT_FALSE(learn_column("x", Fields{"", "NA"}).is_number);
}

TEST(Column, two_rows_differ_by_two_whatever_it_holds) {
  for (const Fields& fields :
       {Fields{"1", "2", "3", "9"}, Fields{"a", "b", "a", "c", "c", "c"},
        Fields{"a", "b"}}) {
    EXPECT_NEAR(mean_difference(learn_column("x", fields), fields), 2.0, 1e-12);
  }
  // What is missing adds to it what a category of two texts has.
  const Fields half = {"1", "2", "", "NaN"};
  const Column column = learn_column("x", half);
  EXPECT_NEAR(column.missing_height, 2.0, 1e-12);
}

TEST(Column, what_hardly_ever_differs_has_a_limited_height) {
  Fields fields(1000, "a");
  fields[7] = "b";
  EXPECT_EQ(learn_column("x", fields).height, 3.0);
  fields.assign(1000, "1");
  fields[7] = "";
  EXPECT_EQ(learn_column("x", fields).missing_height, 3.0);
}

TEST(Column, every_field_comes_back_as_it_was) {
  for (const Fields& fields :
       {Fields{"-3", "40", "0", "17"}, Fields{"0.10", "2.35", "1234.50"},
        Fields{"red", "green, dark", "", "blue"}, Fields{"7", "", "12"},
        Fields{"1e-7", "2.5", "300000000000"}}) {
    const Column column = learn_column("x", fields);
    for (const std::string& field : fields) {
      const std::string again =
          column.write(column.decode(code(column, field)));
      if (column.decimals == 2) {
        EXPECT_EQ(again, field);
      } else if (column.decimals < 0 && column.is_number) {
        EXPECT_EQ(std::stod(again), std::stod(field));
      } else {
        EXPECT_EQ(again, field);
      }
    }
  }
}

TEST(Column, numbers_are_written_on_their_grid_and_within_their_limits) {
  const Column whole = learn_column("age", Fields{"10", "20", "60"});
  EXPECT_EQ(whole.decimals, 0);
  const auto written = [&](double number) {
    return whole.write(
        whole.decode(std::vector{(number - whole.centre) / whole.scale}));
  };
  EXPECT_EQ(written(33.4), "33");
  EXPECT_EQ(written(-1e9), "10");
  EXPECT_EQ(written(1e9), "60");
  const Column signs = learn_column("x", Fields{"-1", "1"});
  EXPECT_EQ(signs.write(signs.decode(std::vector{-0.2})), "0");
}

TEST(Column, the_highest_coordinate_names_the_category) {
  const Column column = learn_column("job", Fields{"cook", "smith", ""});
  EXPECT_THAT(column.texts, ElementsAre("", "cook", "smith"));
  EXPECT_EQ(column.write(column.decode(std::vector{0.1, 0.3, 0.2})), "cook");
  EXPECT_TRUE(column.decode(std::vector{0.9, 0.3, 0.2}).is_missing);
}

TEST(Column, a_missing_number_is_a_state_of_its_own) {
  const Column column = learn_column("x", Fields{"1", "3", "NA", ""});
  EXPECT_EQ(column.width(), 2u);
  EXPECT_THAT(code(column, "NA"), ElementsAre(0.0, column.missing_height));
  EXPECT_EQ(column.write(column.decode(code(column, ""))), "");
  EXPECT_EQ(column.write(column.decode(std::vector{1.0, 0.9})), "3");
}

TEST(Column, a_column_that_never_differs_takes_no_coordinates) {
  const Column text = learn_column("x", Fields{"a", "a"});
  EXPECT_EQ(text.width(), 0u);
  EXPECT_EQ(text.write(text.decode({})), "a");
  const Column number = learn_column("x", Fields{"5", "5"});
  EXPECT_EQ(number.write(number.decode(std::vector{17.0})), "5");
}

TEST(Column, what_it_cannot_hold_is_refused) {
  const Column number = learn_column("age", Fields{"1", "2"});
  EXPECT_THAT([&] { number.parse("old"); },
              ThrowsMessage<InvalidArgument>(
                  "column 'age': a number is expected, got 'old'"));
  EXPECT_THAT(
      [&] { number.parse(""); },
      ThrowsMessage<InvalidArgument>("column 'age': no number is missing"));
  const Column text = learn_column("job", Fields{"cook"});
  EXPECT_THAT([&] { text.parse("pilot"); },
              ThrowsMessage<InvalidArgument>(
                  "column 'job': the text 'pilot' does not occur"));
  Fields names;
  for (std::size_t i = 0; i <= kMostTexts; ++i) {
    names.push_back("n" + std::to_string(i));
  }
  EXPECT_THAT([&] { learn_column("name", names); },
              ThrowsMessage<InvalidArgument>(HasSubstr("more than 1,000")));
}

}  // namespace column_test
}  // namespace sbog::table
