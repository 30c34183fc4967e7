// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/channel_scaling.h"

#include <gtest/gtest.h>

#include "sbog/base/errors.h"

namespace sbog {
namespace channel_scaling_test {

// Channel 0: 0, 1, 4, 10; channel 1: constant; channel 2: range 2.
Matrix<double> train() {
  Matrix<double> values(4, 3);
  const double column[] = {4.0, 0.0, 10.0, 1.0};
  for (std::size_t t = 0; t < 4; ++t) {
    values(t, 0) = column[t];
    values(t, 1) = 5.0;
    values(t, 2) = t == 3 ? 2.0 : 0.0;
  }
  return values;
}

TEST(ChannelScaling, takes_median_and_range) {
  const ChannelScaling scaling = fit_scaling(train());
  EXPECT_EQ(scaling.medians, (std::vector<double>{2.5, 5.0, 0.0}));
  EXPECT_EQ(scaling.units[0], 10.0);
  EXPECT_EQ(scaling.units[2], 2.0);
}

TEST(ChannelScaling, a_constant_channel_takes_the_median_range_of_the_others) {
  EXPECT_EQ(fit_scaling(train()).units[1], 6.0);
}

TEST(ChannelScaling, the_unit_is_one_when_nothing_varies) {
  const Matrix<double> values(3, 2);
  EXPECT_EQ(fit_scaling(values).units, (std::vector<double>{1.0, 1.0}));
}

TEST(ChannelScaling, clips_at_three_units) {
  const ChannelScaling scaling = fit_scaling(train());
  Matrix<double> test(2, 3);
  test(0, 0) = 1000.0;
  test(1, 0) = -1000.0;
  test(0, 1) = 5.0;
  test(1, 2) = 1.0;
  const Matrix<float> scaled = scaling.apply(test);
  EXPECT_EQ(scaled(0, 0), 3.0F);
  EXPECT_EQ(scaled(1, 0), -3.0F);
  EXPECT_EQ(scaled(0, 1), 0.0F);
  EXPECT_EQ(scaled(1, 2), 0.5F);
}

TEST(ChannelScaling, training_values_are_never_clipped) {
  const Matrix<double> values = train();
  const Matrix<float> scaled = fit_scaling(values).apply(values);
  for (const float x : scaled.elements()) EXPECT_LE(std::abs(x), 1.0F);
}

TEST(ChannelScaling, refuses_another_number_of_channels_and_nothing) {
  const ChannelScaling scaling = fit_scaling(train());
  EXPECT_THROW(scaling.apply(Matrix<double>(1, 2)), InvalidArgument);
  EXPECT_THROW(fit_scaling(Matrix<double>(0, 2)), InvalidArgument);
}

}  // namespace channel_scaling_test
}  // namespace sbog
