// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/signals.h"

#include <gtest/gtest.h>

#include <cmath>

#include "series/support.h"

namespace sbog {
namespace signals_test {

using testing_support::normal_rows;
using testing_support::to_float;

// Deviation of channel c over the rows t + from .. t + to, ends repeated.
double slow_deviation(const Matrix<float>& rows, long t, std::size_t c,
                      long from, long to) {
  const long last = static_cast<long>(rows.rows()) - 1;
  double sum = 0.0;
  double square = 0.0;
  for (long i = t + from; i <= t + to; ++i) {
    sum += rows(static_cast<std::size_t>(std::clamp(i, 0L, last)), c);
  }
  const double mean = sum / 50.0;
  for (long i = t + from; i <= t + to; ++i) {
    const double x = rows(static_cast<std::size_t>(std::clamp(i, 0L, last)), c);
    square += (x - mean) * (x - mean);
  }
  return std::sqrt(square / 50.0);
}

TEST(Signals, variability_is_the_deviation_of_fifty_rows) {
  for (const std::size_t n : {7u, 50u, 120u}) {
    const Matrix<float> rows = to_float(normal_rows(n, 2, n));
    const Matrix<float> centred = variability(rows, WindowSide::kCentred);
    const Matrix<float> trailing = variability(rows, WindowSide::kTrailing);
    for (std::size_t t = 0; t < n; ++t) {
      for (std::size_t c = 0; c < 2; ++c) {
        const long at = static_cast<long>(t);
        EXPECT_NEAR(centred(t, c), slow_deviation(rows, at, c, -25, 24), 1e-6);
        EXPECT_NEAR(trailing(t, c), slow_deviation(rows, at, c, -49, 0), 1e-6);
      }
    }
  }
}

TEST(Signals, a_flat_window_has_no_variability_at_all) {
  Matrix<float> rows(80, 1);
  for (float& x : rows.elements()) x = 0.1F;
  const Matrix<float> spread = variability(rows, WindowSide::kCentred);
  for (const float s : spread.elements()) EXPECT_EQ(s, 0.0F);
}

TEST(Signals, the_three_signals_stand_side_by_side) {
  const Matrix<float> rows = to_float(normal_rows(90, 2, 8));
  const auto fits = fit_autoregressions(rows, {});
  const SignalSet signals = make_signals(rows, fits[0], WindowSide::kCentred);
  const Matrix<float> residuals = fits[0].residuals(rows);
  const Matrix<float> spread = variability(rows, WindowSide::kCentred);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(signals[0].data()[i], rows.data()[i]);
    EXPECT_EQ(signals[1].data()[i], residuals.data()[i]);
    EXPECT_EQ(signals[2].data()[i], spread.data()[i]);
  }
}

TEST(Signals, a_stream_gives_the_bits_of_the_trailing_batch) {
  const Matrix<float> rows = to_float(normal_rows(130, 3, 9));
  const auto fits = fit_autoregressions(rows, {});
  const SignalSet signals = make_signals(rows, fits[0], WindowSide::kTrailing);
  SignalStream stream(fits[0]);
  Matrix<float> out(kSignalCount, 3);
  for (std::size_t t = 0; t < rows.rows(); ++t) {
    stream.push(rows.row(t), out);
    for (std::size_t s = 0; s < kSignalCount; ++s) {
      for (std::size_t c = 0; c < 3; ++c) {
        ASSERT_EQ(out(s, c), signals[s](t, c)) << t << " " << s;
      }
    }
  }
}

TEST(Signals, have_names) {
  EXPECT_EQ(to_string(Signal::kLevel), "level");
  EXPECT_EQ(to_string(Signal::kResidual), "residual");
  EXPECT_EQ(to_string(Signal::kVariability), "variability");
}

}  // namespace signals_test
}  // namespace sbog
