// SPDX-License-Identifier: Apache-2.0
#include "sbog/scenario/edited_window.h"

#include <gtest/gtest.h>

#include "sbog/base/errors.h"
#include "support.h"

namespace sbog::series {
namespace edited_window_test {

using namespace testing_support;

constexpr std::size_t kWidth = 60;

// Three channels; limits that bite on channel 2.
struct Bench {
  Matrix<double> source{3, kWidth + 2 * kMargin};
  std::vector<ChannelProfile> profiles{3, free_profile()};

  Bench() {
    for (std::size_t c = 0; c < 3; ++c) {
      const std::vector<double> row = smooth_row(kWidth, 20 + c);
      std::copy(row.begin(), row.end(), source.row(c).begin());
    }
    profiles[2].low = -0.5;
    profiles[2].high = 0.5;
  }
};

Edit on_channel(EditKind kind, std::size_t channel) {
  Edit edit = typical_edit(kind, kWidth);
  edit.channel = channel;
  edit.partner = kind == EditKind::kCoupling ? (channel + 1) % 3 : 0;
  return edit;
}

TEST(EditedWindow, only_the_named_channel_changes) {
  const Bench bench;
  EditedWindow window(bench.source, bench.profiles);
  const Matrix<float> before = crop_window(bench.source);
  for (const EditKind kind : kEditKinds) {
    window.apply(std::vector<Edit>{on_channel(kind, 1)});
    EXPECT_EQ(window.edited_channels(), std::vector<std::size_t>{1});
    for (const std::size_t c : {0, 2}) {
      EXPECT_TRUE(std::equal(before.row(c).begin(), before.row(c).end(),
                             window.window().row(c).begin()))
          << to_string(kind);
    }
    EXPECT_FALSE(std::equal(before.row(1).begin(), before.row(1).end(),
                            window.window().row(1).begin()))
        << to_string(kind);
  }
  window.apply({});
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_TRUE(std::equal(before.row(c).begin(), before.row(c).end(),
                           window.window().row(c).begin()));
  }
}

TEST(EditedWindow, nothing_leaves_its_limits_and_recorded_values_stay) {
  const Bench bench;
  EditedWindow window(bench.source, bench.profiles);
  std::size_t outside = 0;
  for (const EditKind kind : kEditKinds) {
    window.apply(std::vector<Edit>{on_channel(kind, 2)});
    const auto row = window.row(2);
    for (std::size_t i = 0; i < row.size(); ++i) {
      const double recorded = bench.source(2, i);
      EXPECT_GE(row[i], std::min(-0.5, recorded));
      EXPECT_LE(row[i], std::max(0.5, recorded));
      if (std::abs(recorded) > 0.5) ++outside;
    }
  }
  EXPECT_GT(outside, 0u);
}

TEST(EditedWindow, the_clipped_share_counts_samples_of_the_window) {
  Bench bench;
  for (double& value : bench.source.row(2)) value = 0.0;
  EditedWindow window(bench.source, bench.profiles);
  Edit edit = on_channel(EditKind::kTrend, 2);
  edit.start = 0.0;
  edit.end = 30.0;
  edit.amount = 1.0;  // above 0.5 from sample 16 on
  window.apply(std::vector<Edit>{edit});
  EXPECT_NEAR(window.clipped_share(0), 44.0 / 60.0, 1e-12);
}

TEST(EditedWindow, gradients_of_a_chain_match_central_differences) {
  const Bench bench;
  EditedWindow window(bench.source, bench.profiles);
  // The coupling of 0 reads channel 1 after its own edit; channel 1 twice.
  std::vector<Edit> edits = {
      on_channel(EditKind::kDelay, 1), on_channel(EditKind::kScale, 1),
      on_channel(EditKind::kCoupling, 0), on_channel(EditKind::kLevel, 2)};
  edits[3].amount = 0.3;
  Matrix<float> d_window(3, kWidth);
  nn::Draws draws(5, nn::Purpose::kPairs, 14);
  for (float& value : d_window.elements()) {
    value = static_cast<float>(draws.normal());
  }
  Matrix<double> d_rows(3, kWidth + 2 * kMargin);
  for (double& value : d_rows.elements()) value = draws.normal();
  const auto value = [&](const std::vector<Edit>& list) {
    window.apply(list);
    double sum = 0.0;
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t i = 0; i < kWidth + 2 * kMargin; ++i) {
        const bool is_inside = i >= kMargin && i < kMargin + kWidth;
        sum += window.row(c)[i] *
               (d_rows(c, i) +
                (is_inside ? double{d_window(c, i - kMargin)} : 0.0));
      }
    }
    return sum;
  };
  value(edits);
  const std::vector<EditGradient> gradients = window.backward(d_window, d_rows);
  ASSERT_EQ(gradients.size(), edits.size());
  const double step = 1e-6;
  for (std::size_t k = 0; k < edits.size(); ++k) {
    const auto slope = [&](const auto& change) {
      std::vector<Edit> up = edits;
      std::vector<Edit> down = edits;
      change(up[k], step);
      change(down[k], -step);
      return (value(up) - value(down)) / (2.0 * step);
    };
    if (edits[k].kind != EditKind::kLevel) {
      EXPECT_NEAR(gradients[k].amount,
                  slope([](Edit& e, double by) { e.amount += by; }), 1e-5)
          << k;
    }
    EXPECT_NEAR(gradients[k].start,
                slope([](Edit& e, double by) { e.start += by; }), 1e-5)
        << k;
    EXPECT_NEAR(gradients[k].end,
                slope([](Edit& e, double by) { e.end += by; }), 1e-5)
        << k;
  }
}

TEST(EditedWindow, margins_are_recorded_and_copied_beyond_the_ends) {
  Matrix<double> series = noisy_waves(150, 2, 3);
  const WindowSource windows(series, std::vector<std::size_t>{0, 45, 90},
                             kWidth, channel_statistics(series));
  const Matrix<double> first = pad_window(windows, 0);
  const Matrix<double> middle = pad_window(windows, 1);
  const Matrix<double> last = pad_window(windows, 2);
  for (std::size_t c = 0; c < 2; ++c) {
    const auto standard = [&](std::size_t row) {
      return (series(row, c) - windows.statistics().means[c]) /
             windows.statistics().deviations[c];
    };
    EXPECT_EQ(first(c, 0), standard(0));
    EXPECT_EQ(first(c, kMargin), standard(0));
    EXPECT_EQ(first(c, kMargin + kWidth), standard(kWidth));
    EXPECT_EQ(middle(c, 0), standard(5));
    EXPECT_EQ(middle(c, kMargin + 7), standard(52));
    EXPECT_EQ(middle(c, 2 * kMargin + kWidth - 1), standard(144));
    EXPECT_EQ(last(c, 2 * kMargin + kWidth - 1), standard(149));
  }
}

TEST(EditedWindow, a_margin_that_is_no_number_is_named) {
  Matrix<double> series = noisy_waves(150, 2, 3);
  const ChannelStatistics statistics = channel_statistics(series);
  series(20, 1) = std::nan("");
  const WindowSource windows(series, std::vector<std::size_t>{45}, kWidth,
                             statistics);
  try {
    pad_window(windows, 0);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("row 20"), std::string::npos);
  }
}

TEST(EditedWindow, a_channel_that_is_not_there_is_refused) {
  const Bench bench;
  EditedWindow window(bench.source, bench.profiles);
  EXPECT_THROW(window.apply(std::vector<Edit>{on_channel(EditKind::kLevel, 3)}),
               InvalidArgument);
}

}  // namespace edited_window_test
}  // namespace sbog::series
