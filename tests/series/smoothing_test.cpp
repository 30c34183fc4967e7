// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/smoothing.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "series/support.h"

namespace sbog {
namespace smoothing_test {

std::vector<double> numbers(std::size_t n) {
  const Matrix<double> drawn = testing_support::normal_rows(n, 1, n);
  return {drawn.elements().begin(), drawn.elements().end()};
}

double slow_box(const std::vector<double>& values, long t, long from, long to) {
  const long last = static_cast<long>(values.size()) - 1;
  double sum = 0.0;
  for (long i = t + from; i <= t + to; ++i) {
    sum += values[static_cast<std::size_t>(std::clamp(i, 0L, last))];
  }
  return sum / static_cast<double>(to - from + 1);
}

TEST(Smoothing, boxes_are_means_with_repeated_ends) {
  for (const std::size_t n : {1u, 5u, 60u, 500u}) {
    const std::vector<double> values = numbers(n);
    for (const long width : {1L, 10L, 30L, 101L}) {
      const auto centred = smooth_box(values, static_cast<std::size_t>(width),
                                      WindowSide::kCentred);
      const auto trailing = smooth_box(values, static_cast<std::size_t>(width),
                                       WindowSide::kTrailing);
      for (std::size_t t = 0; t < n; ++t) {
        const long at = static_cast<long>(t);
        const long before = width / 2;
        EXPECT_NEAR(centred[t],
                    slow_box(values, at, -before, width - before - 1), 1e-13);
        EXPECT_NEAR(trailing[t], slow_box(values, at, 1 - width, 0), 1e-13);
      }
    }
  }
}

TEST(Smoothing, is_the_mean_of_four_widths) {
  const std::vector<double> values = numbers(400);
  for (const WindowSide side : {WindowSide::kCentred, WindowSide::kTrailing}) {
    const std::vector<double> smoothed = smooth(values, side);
    std::vector<double> mean(values.size());
    for (const std::size_t width : {10u, 30u, 100u, 200u}) {
      const std::vector<double> box = smooth_box(values, width, side);
      for (std::size_t t = 0; t < box.size(); ++t) mean[t] += box[t] / 4.0;
    }
    for (std::size_t t = 0; t < values.size(); ++t) {
      EXPECT_NEAR(smoothed[t], mean[t], 1e-13);
    }
  }
}

TEST(Smoothing, a_huge_value_leaves_no_trace_outside_its_windows) {
  std::vector<double> values(1000, 0.0);
  values[300] = 1e15;
  const std::vector<double> smoothed = smooth(values, WindowSide::kCentred);
  EXPECT_EQ(smoothed[199], 0.0);
  EXPECT_GT(smoothed[201], 0.0);
  EXPECT_GT(smoothed[400], 0.0);
  EXPECT_EQ(smoothed[401], 0.0);
}

TEST(Smoothing, a_stream_gives_the_bits_of_the_trailing_batch) {
  const std::vector<double> values = numbers(700);
  const std::vector<double> batch = smooth(values, WindowSide::kTrailing);
  SmoothingStream stream;
  for (std::size_t t = 0; t < values.size(); ++t) {
    ASSERT_EQ(stream.push(values[t]), batch[t]) << t;
  }
}

TEST(Smoothing, weights_of_rows_give_the_smoothed_value) {
  for (const std::size_t n : {3u, 150u, 600u}) {
    const std::vector<double> values = numbers(n);
    for (const WindowSide side :
         {WindowSide::kCentred, WindowSide::kTrailing}) {
      const std::vector<double> smoothed = smooth(values, side);
      for (const std::size_t t : {std::size_t{0}, n / 2, n - 1}) {
        double sum = 0.0;
        double total = 0.0;
        for (const RowWeight& entry : smoothing_weights(t, n, side)) {
          sum += entry.weight * values[entry.row];
          total += entry.weight;
        }
        EXPECT_NEAR(sum, smoothed[t], 1e-12);
        EXPECT_NEAR(total, 1.0, 1e-12);
      }
    }
  }
}

}  // namespace smoothing_test
}  // namespace sbog
