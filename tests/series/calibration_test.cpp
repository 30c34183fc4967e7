// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/calibration.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sbog/energy/threshold.h"
#include "series/support.h"

namespace sbog {
namespace calibration_test {

SignalEnergies some_energies(std::size_t rows, std::size_t channels) {
  SignalEnergies energies;
  energies.joint = testing_support::normal_rows(rows, kSignalCount, 60);
  for (std::size_t s = 0; s < kSignalCount; ++s) {
    energies.lines[s] = testing_support::to_float(
        testing_support::normal_rows(rows, channels, 61 + s));
  }
  return energies;
}

std::vector<double> column(MatrixView<const float> m, std::size_t c) {
  std::vector<double> values;
  for (std::size_t t = 0; t < m.rows(); ++t) values.push_back(m(t, c));
  return values;
}

std::vector<double> column(MatrixView<const double> m, std::size_t c) {
  std::vector<double> values;
  for (std::size_t t = 0; t < m.rows(); ++t) values.push_back(m(t, c));
  return values;
}

TEST(Calibration, channel_units_are_quantiles_with_a_floor) {
  SignalEnergies energies = some_energies(501, 3);
  for (std::size_t t = 0; t < 501; ++t) energies.lines[1](t, 2) *= 0.01F;
  const ChannelUnits units = fit_channel_units(energies);
  for (std::size_t s = 0; s < kSignalCount; ++s) {
    for (std::size_t c = 0; c < 3; ++c) {
      const auto values = column(energies.lines[s].view(), c);
      const double median = quantile(values, 0.5);
      EXPECT_DOUBLE_EQ(units.medians(s, c), median);
      EXPECT_NEAR(units.units(s, c),
                  std::max(quantile(values, 0.99) - median, 0.2), 1e-14);
    }
  }
  EXPECT_EQ(units.units(1, 2), 0.2);
}

TEST(Calibration, six_views_are_joint_energies_and_sums) {
  const SignalEnergies energies = some_energies(20, 3);
  const ChannelUnits units = fit_channel_units(energies);
  for (const DetectorKind kind :
       {DetectorKind::kViews, DetectorKind::kViewsBatch}) {
    const Matrix<double> values = view_values(kind, energies, units);
    ASSERT_EQ(values.cols(), 6u);
    for (std::size_t s = 0; s < kSignalCount; ++s) {
      EXPECT_EQ(values(7, s), energies.joint(7, s));
      const auto row = energies.lines[s].row(7);
      EXPECT_NEAR(values(7, 3 + s),
                  static_cast<double>(row[0]) + row[1] + row[2], 1e-12);
    }
  }
}

TEST(Calibration, three_views_are_roots_of_sums_of_squares) {
  const SignalEnergies energies = some_energies(20, 3);
  const ChannelUnits units = fit_channel_units(energies);
  const Matrix<double> values =
      view_values(DetectorKind::kChannel, energies, units);
  ASSERT_EQ(values.cols(), 3u);
  double sum = 0.0;
  for (std::size_t c = 0; c < 3; ++c) {
    const double above = energies.lines[2](5, c) - units.medians(2, c);
    if (above > 0.0) sum += std::pow(above / units.units(2, c), 2.0);
  }
  EXPECT_NEAR(values(5, 2), std::sqrt(sum), 1e-12);
}

TEST(Calibration, view_units_are_median_and_999_quantile) {
  const Matrix<double> held_out = testing_support::normal_rows(3001, 2, 70);
  const ViewUnits units = fit_view_units(held_out);
  for (std::size_t v = 0; v < 2; ++v) {
    const auto values = column(held_out.view(), v);
    EXPECT_DOUBLE_EQ(units.centres[v], quantile(values, 0.5));
    EXPECT_NEAR(units.units[v], quantile(values, 0.999) - quantile(values, 0.5),
                1e-14);
  }
  EXPECT_EQ(fit_view_units(Matrix<double>(9, 1)).units[0], 1e-6);
}

TEST(Calibration, a_drifted_view_gets_a_larger_centre_and_unit) {
  const Matrix<double> held_out = testing_support::normal_rows(1000, 1, 71);
  Matrix<double> scored = testing_support::normal_rows(1000, 1, 72);
  for (double& x : scored.elements()) x = 10.0 + 5.0 * x;
  const ViewUnits units = fit_batch_units(held_out, scored);
  const auto values = column(scored.view(), 0);
  EXPECT_DOUBLE_EQ(units.centres[0], quantile(values, 0.5));
  EXPECT_NEAR(units.units[0], quantile(values, 0.9) - quantile(values, 0.5),
              1e-12);
  // Without drift, the training series decides.
  const ViewUnits same = fit_batch_units(held_out, held_out);
  const auto own = column(held_out.view(), 0);
  EXPECT_NEAR(same.units[0], quantile(own, 0.99) - quantile(own, 0.5), 1e-12);
}

TEST(Calibration, parts_add_up_to_the_mean_of_the_views) {
  Matrix<double> values(2, 2);
  values(0, 0) = 5.0;   // (5 - 1) / 2 = 2
  values(0, 1) = -3.0;  // below its centre
  values(1, 1) = 4.0;   // 4 / 8
  const Matrix<double> parts =
      view_parts(values, ViewUnits{{1.0, 0.0}, {2.0, 8.0}});
  EXPECT_EQ(parts(0, 0), 1.0);
  EXPECT_EQ(parts(0, 1), 0.0);
  EXPECT_EQ(row_sums(parts), (std::vector<double>{1.0, 0.25}));
}

TEST(Calibration, views_have_names) {
  EXPECT_EQ(view_count(DetectorKind::kViews), 6u);
  EXPECT_EQ(view_count(DetectorKind::kChannel), 3u);
  EXPECT_EQ(view_name(DetectorKind::kViews, 1), "joint residual");
  EXPECT_EQ(view_name(DetectorKind::kViews, 5), "per-channel variability");
  EXPECT_EQ(view_name(DetectorKind::kChannel, 0), "per-channel level");
  EXPECT_FALSE(is_joint_view(DetectorKind::kChannel, 0));
}

}  // namespace calibration_test
}  // namespace sbog
