// SPDX-License-Identifier: Apache-2.0
#include "sbog/detect/exposure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "detect/support.h"
#include "sbog/base/inner_product.h"
#include "sbog/detect/gaussians.h"
#include "sbog/nn/random.h"

namespace sbog::detect {
namespace exposure_test {

using testing::HasSubstr;
using testing_support::clustered_bank;
using testing_support::invalid_argument_of;
using testing_support::listed;

// The formula for one outlier, in double.
std::vector<double> slow_outlier(const LabelledBank& bank,
                                 const Matrix<double>& root, std::uint64_t seed,
                                 std::size_t epoch, std::size_t k) {
  nn::Draws draws(seed, nn::Purpose::kExposure,
                  (std::uint64_t{epoch} << 32) + k);
  const std::size_t from = draws.below(bank.rows());
  const double radius = 1.5 + 2.5 * draws.uniform();
  std::vector<double> point(bank.points.row(from).begin(),
                            bank.points.row(from).end());
  for (std::size_t p = 0; p < bank.dim(); ++p) {
    const double g = draws.normal();
    for (std::size_t j = 0; j < bank.dim(); ++j) {
      point[j] += radius * g * root(p, j);
    }
  }
  const double length = norm_of<double>(point);
  for (double& x : point) x /= length;
  return point;
}

TEST(Exposure, an_outlier_is_what_the_formula_says) {
  const LabelledBank bank = clustered_bank(60, 6, 3);
  const ExposureLaw law(bank, {});
  Matrix<double> covariance =
      shrunk_covariance(within_class_covariance(bank, class_means(bank)), 0.05);
  double trace = 0.0;
  for (std::size_t j = 0; j < 6; ++j) trace += covariance(j, j);
  for (double& x : covariance.elements()) x /= trace;
  const Matrix<double> root = covariance_root(covariance);
  const Matrix<float> outliers = law.draw(100, 4, 2);
  for (std::size_t k = 0; k < 100; ++k) {
    const std::vector<double> expected = slow_outlier(bank, root, 4, 2, k);
    for (std::size_t j = 0; j < 6; ++j) {
      // Sums of six float products of size at most 10, then a division.
      EXPECT_NEAR(outliers(k, j), expected[j], 1e-5) << k << ", " << j;
    }
  }
}

TEST(Exposure, the_root_has_a_trace_of_one) {
  const LabelledBank bank = clustered_bank(60, 6, 3);
  double trace = 0.0;
  const ExposureLaw law(bank, {});
  for (std::size_t i = 0; i < 6; ++i) {
    trace += inner_product<float, float>(law.root().row(i), law.root().row(i));
  }
  EXPECT_NEAR(trace, 1.0, 1e-6);
}

TEST(Exposure, classes_without_spread_get_noise_of_no_direction) {
  const LabelledBank bank = clustered_bank(3, 4, 3);
  const ExposureLaw law(bank, {});
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      EXPECT_EQ(law.root()(i, j), i == j ? 0.5F : 0.0F);
    }
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
                check_exposure({4.0, 1.5, 0.05});
              }),
              HasSubstr("the smaller first"));
  EXPECT_THROW(check_exposure({0.0, 1.0, 0.05}), InvalidArgument);
  const LabelledBank bank = clustered_bank(40, 5, 2);
  EXPECT_THROW(ExposureLaw(bank, {1.0, 2.0, 2.0}), InvalidArgument);
}

}  // namespace exposure_test
}  // namespace sbog::detect
