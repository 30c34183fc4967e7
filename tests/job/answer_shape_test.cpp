// SPDX-License-Identifier: Apache-2.0
// Answers of models from elsewhere: one row per case, or one sentence.
#include "sbog/job/answer_shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "sbog/base/errors.h"

namespace sbog::job {
namespace answer_shape_test {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Array numbers(std::vector<std::size_t> shape, double last = 0.0) {
  std::size_t count = 1;
  for (const std::size_t extent : shape) count *= extent;
  const std::shared_ptr<double[]> values(new double[count + 1]);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<double>(i);
  if (last != 0.0 || std::isnan(last)) values[count - 1] = last;
  return {"a", ElementType::kFloat64, std::move(shape),
          std::shared_ptr<const std::byte>(
              values, reinterpret_cast<const std::byte*>(values.get()))};
}

TEST(AnswerShape, cases_are_counted_and_windows_have_rows) {
  EXPECT_EQ(asked_cases(numbers({5, 3})).width, 1u);
  EXPECT_EQ(asked_cases(numbers({5, 3, 2})).width, 3u);
  EXPECT_EQ(asked_cases(numbers({5, 3, 2, 2})).width, 1u);  // images
  EXPECT_EQ(asked_cases(numbers({5, 3, 2})).count, 5u);
}

TEST(AnswerShape, a_list_of_a_number_per_row_becomes_a_row_per_window) {
  const Matrix<double> rows = shaped_answers("m", numbers({12}), {4, 3});
  ASSERT_EQ(rows.rows(), 4u);
  ASSERT_EQ(rows.cols(), 3u);
  EXPECT_EQ(rows(3, 1), 10.0);
  EXPECT_EQ(shaped_answers("m", numbers({4}), {4, 3}).cols(), 1u);
  EXPECT_EQ(shaped_answers("m", numbers({4, 7}), {4, 1}).cols(), 7u);
}

void expect_refused(const Array& answers, const AskedCases& cases,
                    const char* words) {
  try {
    shaped_answers("model", answers, cases);
    ADD_FAILURE() << words;
  } catch (const IoError& error) {
    EXPECT_THAT(error.what(), StartsWith("model"));
    EXPECT_THAT(error.what(), HasSubstr(words));
  }
}

TEST(AnswerShape, what_does_not_fit_is_named) {
  expect_refused(numbers({3, 2}), {4, 1}, "shape 3 x 2; one row for each of 4");
  expect_refused(numbers({11}), {4, 3}, "one number for each of their rows");
  expect_refused(numbers({4, 2, 2}), {4, 1}, "shape 4 x 2 x 2");
  expect_refused(numbers({4, 0}), {4, 1}, "shape 4 x 0");
  expect_refused(numbers({}), {4, 1}, "one number");
  expect_refused(numbers({4, 2}, std::nan("")), {4, 1, 256},
                 "case 259 with NaN");
}

}  // namespace answer_shape_test
}  // namespace sbog::job
