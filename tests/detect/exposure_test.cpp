// SPDX-License-Identifier: Apache-2.0
#include "sbog/detect/exposure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "detect/support.h"
#include "sbog/base/inner_product.h"
#include "sbog/nn/random.h"
#include "sbog/sample/proposals.h"

namespace sbog::detect {
namespace exposure_test {

using testing::HasSubstr;
using testing_support::clustered_bank;
using testing_support::invalid_argument_of;
using testing_support::listed;

// The formula for outlier k of an epoch, in double.
std::vector<double> slow_outlier(const LabelledBank& bank,
                                 const StepShape* shape, std::uint64_t seed,
                                 std::size_t epoch, std::size_t k) {
  nn::Draws draws(seed, nn::Purpose::kExposure,
                  (std::uint64_t{epoch} << 32) + k);
  const std::size_t from = draws.below(bank.rows());
  const double radius = 1.5 + 2.5 * draws.uniform();
  const auto piece = static_cast<std::uint32_t>(k / 64);
  const Matrix<double> steps =
      draw_steps({seed, 65000, static_cast<std::uint32_t>(epoch), piece}, shape,
                 bank.dim(), 64);
  std::vector<double> point(bank.points.row(from).begin(),
                            bank.points.row(from).end());
  for (std::size_t j = 0; j < bank.dim(); ++j) {
    point[j] += radius * steps(k % 64, j) / std::sqrt(double(bank.dim()));
  }
  const double length = norm_of<double>(point);
  for (double& x : point) x /= length;
  return point;
}

void expect_formula(const LabelledBank& bank, bool is_shaped,
                    const StepShape* shape) {
  ExposureOptions options;
  options.is_shaped = is_shaped;
  const Matrix<float> outliers = ExposureLaw(bank, options).draw(100, 4, 2);
  for (std::size_t k = 0; k < 100; ++k) {
    const std::vector<double> expected = slow_outlier(bank, shape, 4, 2, k);
    for (std::size_t j = 0; j < bank.dim(); ++j) {
      EXPECT_FLOAT_EQ(outliers(k, j), static_cast<float>(expected[j]));
    }
  }
}

TEST(Exposure, an_outlier_is_what_the_formula_says) {
  const LabelledBank bank = clustered_bank(60, 6, 3);
  const std::vector<std::uint32_t> classes = class_numbers(bank);
  const StepShape shape(
      WithinClass<float>(bank.points.view(), classes, 3, false), 0);
  expect_formula(bank, true, &shape);
  expect_formula(bank, false, nullptr);
}

// Far from every point the direction of an outlier is that of its noise, so
// second moments of outliers show the shape.
TEST(Exposure, noise_has_the_shape_of_the_classes) {
  LabelledBank bank = clustered_bank(400, 3, 2);
  for (std::size_t i = 0; i < bank.rows(); ++i) {
    bank.points(i, 2) = bank.classes[i] == 0 ? 1.0F : -1.0F;
    bank.points(i, 0) *= 0.3F;
    bank.points(i, 1) *= 0.01F;
  }
  const auto moment = [&](bool is_shaped, std::size_t j) {
    const Matrix<float> outliers =
        ExposureLaw(bank, {500.0, 500.0, is_shaped}).draw(2000, 1, 0);
    double sum = 0.0;
    for (std::size_t k = 0; k < outliers.rows(); ++k) {
      sum += std::pow(double{outliers(k, j)}, 2) / 2000.0;
    }
    return sum;
  };
  EXPECT_GT(moment(true, 0), 0.7);
  EXPECT_LT(moment(true, 1), 0.2);
  EXPECT_NEAR(moment(false, 0), 1.0 / 3.0, 0.05);
  EXPECT_NEAR(moment(false, 1), 1.0 / 3.0, 0.05);
}

TEST(Exposure, classes_without_spread_get_noise_of_no_direction) {
  const LabelledBank bank = clustered_bank(3, 4, 3);
  const Matrix<float> outliers =
      ExposureLaw(bank, {500.0, 500.0, true}).draw(2000, 1, 0);
  for (std::size_t j = 0; j < 4; ++j) {
    double sum = 0.0;
    for (std::size_t k = 0; k < outliers.rows(); ++k) {
      sum += std::pow(double{outliers(k, j)}, 2) / 2000.0;
    }
    EXPECT_NEAR(sum, 0.25, 0.05) << j;
  }
}

TEST(Exposure, draws_follow_seed_epoch_and_number_alone) {
  const LabelledBank bank = clustered_bank(40, 5, 2);
  const ExposureLaw law(bank, {});
  const std::vector<float> some = listed(law.draw(130, 1, 0));
  ThreadPool pool(3);
  EXPECT_EQ(listed(law.draw(130, 1, 0, {&pool, nullptr})), some);
  const std::vector<float> fewer = listed(law.draw(70, 1, 0));
  EXPECT_TRUE(std::equal(fewer.begin(), fewer.end(), some.begin()));
  EXPECT_NE(listed(law.draw(130, 2, 0)), some);
  EXPECT_NE(listed(law.draw(130, 1, 1)), some);
  EXPECT_EQ(law.draw(0, 1, 0).rows(), 0u);
}

TEST(Exposure, radii_out_of_range_are_refused) {
  EXPECT_THAT(invalid_argument_of([] {
                check_exposure({4.0, 1.5, true});
              }),
              HasSubstr("the smaller first"));
  EXPECT_THROW(check_exposure({0.0, 1.0, true}), InvalidArgument);
}

}  // namespace exposure_test
}  // namespace sbog::detect
