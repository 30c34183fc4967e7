// SPDX-License-Identifier: Apache-2.0
// Whitening and lift of the oracle's encoder.
#include "sbog/oracle/window_encoder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "oracle/encoder_support.h"
#include "sbog/base/errors.h"

namespace sbog {
namespace window_encoder_test {

TEST(WindowEncoder, whitened_statistics_are_centred_and_white_in_classes) {
  constexpr std::size_t kPerClass = 60;
  const auto bank = oracle::labelled_windows(kPerClass, 3);
  const WindowEncoder encoder(bank.windows, bank.labels);
  std::vector<Statistics> y;
  for (std::size_t i = 0; i < bank.labels.size(); ++i) {
    y.push_back(encoder.whiten(window_statistics(bank.windows.row(i))));
  }
  const auto n = static_cast<double>(y.size());
  for (std::size_t a = 0; a < kStatistics; ++a) {
    double mean = 0.0;
    for (const Statistics& s : y) mean += s[a] / n;
    EXPECT_NEAR(mean, 0.0, 1e-11);
    for (std::size_t b = 0; b <= a; ++b) {
      double scatter = 0.0;
      for (std::size_t c = 0; c < kOracleClasses; ++c) {
        double mean_a = 0.0;
        double mean_b = 0.0;
        for (std::size_t i = c * kPerClass; i < (c + 1) * kPerClass; ++i) {
          mean_a += y[i][a] / kPerClass;
          mean_b += y[i][b] / kPerClass;
        }
        for (std::size_t i = c * kPerClass; i < (c + 1) * kPerClass; ++i) {
          scatter += (y[i][a] - mean_a) * (y[i][b] - mean_b);
        }
      }
      EXPECT_NEAR(scatter / (n - 3.0), a == b ? 1.0 : 0.0, 1e-10);
    }
  }
}

TEST(WindowEncoder, latents_are_unit_and_give_their_statistics_back) {
  const auto bank = oracle::labelled_windows(40, 5);
  const WindowEncoder encoder(bank.windows, bank.labels);
  for (std::size_t i = 0; i < bank.labels.size(); ++i) {
    const Statistics s = window_statistics(bank.windows.row(i));
    OraclePoint z = encoder.encode(bank.windows.row(i));
    double squares = 0.0;
    for (const double x : z) squares += x * x;
    EXPECT_NEAR(squares, 1.0, 1e-14);
    EXPECT_GT(z[kStatistics], 0.0);
    for (double& x : z) x *= 3.0;  // the length does not matter
    const auto back = encoder.statistics_at(z);
    ASSERT_TRUE(back.has_value());
    for (std::size_t k = 0; k < kStatistics; ++k) {
      EXPECT_NEAR((*back)[k], s[k], 1e-11 * (1.0 + std::abs(s[k])));
    }
  }
}

TEST(WindowEncoder, the_lift_of_the_centre_is_the_pole) {
  const OraclePoint pole = lift_to_sphere({});
  EXPECT_EQ(pole[kStatistics], 1.0);
  Statistics y{};
  y[2] = WindowEncoder::kLift;
  EXPECT_DOUBLE_EQ(lift_to_sphere(y)[2], std::sqrt(0.5));
}

TEST(WindowEncoder, restore_undoes_whiten_and_changes_are_differences) {
  const auto bank = oracle::labelled_windows(30, 7);
  const WindowEncoder encoder(bank.windows, bank.labels);
  const Statistics a = window_statistics(bank.windows.row(0));
  const Statistics b = window_statistics(bank.windows.row(50));
  const Statistics back = encoder.restore(encoder.whiten(a));
  Statistics apart;
  for (std::size_t k = 0; k < kStatistics; ++k) {
    EXPECT_NEAR(back[k], a[k], 1e-12);
    apart[k] = a[k] - b[k];
  }
  const Statistics change = encoder.whiten_change(apart);
  for (std::size_t k = 0; k < kStatistics; ++k) {
    EXPECT_NEAR(change[k], encoder.whiten(a)[k] - encoder.whiten(b)[k], 1e-10);
  }
}

TEST(WindowEncoder, the_lower_half_stands_for_no_statistics) {
  const auto bank = oracle::labelled_windows(30, 7);
  const WindowEncoder encoder(bank.windows, bank.labels);
  OraclePoint z = encoder.encode(bank.windows.row(0));
  z[kStatistics] = 0.0;
  EXPECT_FALSE(encoder.statistics_at(z).has_value());
  z[kStatistics] = -0.5;
  EXPECT_FALSE(encoder.statistics_at(z).has_value());
  EXPECT_THROW(encoder.statistics_at(std::vector<double>(4)), InvalidArgument);
}

TEST(WindowEncoder, refuses_too_few_windows_and_missing_labels) {
  const auto bank = oracle::labelled_windows(3, 7);
  EXPECT_THROW(WindowEncoder(bank.windows, bank.labels), InvalidArgument);
  EXPECT_THROW(WindowEncoder(bank.windows, {}), InvalidArgument);
}

}  // namespace window_encoder_test
}  // namespace sbog
