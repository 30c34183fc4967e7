// SPDX-License-Identifier: Apache-2.0
#include "sbog/image/detail/resampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sbog/image/detail/planes.h"
#include "support.h"

namespace sbog::detail {
namespace resampler_test {

constexpr std::size_t kExtents[] = {1, 2, 3, 5, 7, 28, 31};

// Every weight of the table as a dense to x from matrix.
Matrix<double> dense(const AxisTable& table, std::size_t from) {
  Matrix<double> weights(table.runs.size(), from);
  for (std::size_t k = 0; k < table.runs.size(); ++k) {
    for (std::size_t i = 0; i < table.runs[k].count; ++i) {
      weights(k, table.runs[k].first + i) +=
          table.weights[table.runs[k].begin + i];
    }
  }
  return weights;
}

TEST(Resampler, weights_of_every_rule_add_up_to_one) {
  for (const std::size_t from : kExtents) {
    for (const std::size_t to : kExtents) {
      for (const AxisRule rule :
           {AxisRule::kArea, AxisRule::kLinear, AxisRule::kNearest}) {
        const Matrix<double> weights = dense(make_axis(from, to, rule), from);
        ASSERT_EQ(weights.rows(), to);
        for (std::size_t k = 0; k < to; ++k) {
          double sum = 0.0;
          for (const double weight : weights.row(k)) sum += weight;
          EXPECT_NEAR(sum, 1.0, 1e-12);
        }
      }
    }
  }
}

TEST(Resampler, area_weights_are_the_overlaps_of_the_pixels) {
  for (const std::size_t from : kExtents) {
    for (const std::size_t to : kExtents) {
      const Matrix<double> weights =
          dense(make_axis(from, to, AxisRule::kArea), from);
      const double width = static_cast<double>(from) / static_cast<double>(to);
      for (std::size_t k = 0; k < to; ++k) {
        for (std::size_t i = 0; i < from; ++i) {
          const double low =
              std::max(width * static_cast<double>(k), static_cast<double>(i));
          const double high = std::min(width * static_cast<double>(k + 1),
                                       static_cast<double>(i + 1));
          EXPECT_NEAR(weights(k, i), std::max(high - low, 0.0) / width, 1e-12);
        }
      }
    }
  }
}

TEST(Resampler, every_rule_leaves_an_equal_grid_as_it_is) {
  for (const AxisRule rule :
       {AxisRule::kArea, AxisRule::kLinear, AxisRule::kNearest}) {
    const Matrix<double> weights = dense(make_axis(7, 7, rule), 7);
    for (std::size_t k = 0; k < 7; ++k) {
      for (std::size_t i = 0; i < 7; ++i) {
        EXPECT_EQ(weights(k, i), i == k ? 1.0 : 0.0);
      }
    }
  }
}

TEST(Resampler, linear_reading_reproduces_a_ramp_between_the_outer_centres) {
  // Value 10 i at the centre of pixel i.
  const std::size_t from = 6;
  const std::size_t to = 17;
  const Matrix<double> weights =
      dense(make_axis(from, to, AxisRule::kLinear), from);
  for (std::size_t k = 0; k < to; ++k) {
    double value = 0.0;
    for (std::size_t i = 0; i < from; ++i) {
      value += weights(k, i) * 10.0 * static_cast<double>(i);
    }
    const double place = (static_cast<double>(k) + 0.5) * 6.0 / 17.0 - 0.5;
    EXPECT_NEAR(value, 10.0 * std::clamp(place, 0.0, 5.0), 1e-9);
  }
}

TEST(Resampler, both_axes_together_are_the_double_sum_of_both_tables) {
  const ImageSet set = testing_support::counting_images(1, {3, 5, 9});
  Resampler resampler(set.shape, 3, 13, AxisRule::kArea, AxisRule::kLinear);
  EXPECT_EQ(resampler.output_shape(), (ImageShape{3, 3, 13}));
  std::vector<std::uint8_t> out(3 * 3 * 13);
  resampler.apply(set.pixels.row(0), out);
  const auto rows = dense(make_axis(5, 3, AxisRule::kArea), 5);
  const auto columns = dense(make_axis(9, 13, AxisRule::kLinear), 9);
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t y = 0; y < 3; ++y) {
      for (std::size_t x = 0; x < 13; ++x) {
        double sum = 0.0;
        for (std::size_t i = 0; i < 5; ++i) {
          for (std::size_t j = 0; j < 9; ++j) {
            sum +=
                rows(y, i) * columns(x, j) * set.pixels(0, (c * 5 + i) * 9 + j);
          }
        }
        EXPECT_NEAR(out[(c * 3 + y) * 13 + x], sum, 0.5 + 1e-9);
      }
    }
  }
}

TEST(Resampler, levels_are_rounded_to_nearest_and_clamped) {
  EXPECT_EQ(to_byte(-3.0), 0);
  EXPECT_EQ(to_byte(0.49), 0);
  EXPECT_EQ(to_byte(0.5), 1);
  EXPECT_EQ(to_byte(254.5), 255);
  EXPECT_EQ(to_byte(300.0), 255);
}

}  // namespace resampler_test
}  // namespace sbog::detail
