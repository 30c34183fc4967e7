// SPDX-License-Identifier: Apache-2.0
#include "sbog/scenario/edit_row.h"

#include <gtest/gtest.h>

#include "sbog/base/errors.h"
#include "support.h"

namespace sbog::series {
namespace edit_row_test {

using namespace testing_support;

constexpr std::size_t kWidth = 90;
constexpr double kRamp = 3.0;

struct Rows {
  std::vector<double> row = smooth_row(kWidth, 1);
  std::vector<double> partner = smooth_row(kWidth, 2);

  RowInput input() const {
    RowInput result;
    result.row = row;
    result.partner = partner;
    result.ramp = kRamp;
    return result;
  }
  std::vector<double> edited(const Edit& edit, bool has_floor = false) const {
    RowInput in = input();
    if (has_floor) in.floor = -3.0;
    std::vector<double> out(row.size());
    apply_edit(edit, in, out);
    return out;
  }
};

TEST(EditRow, every_kind_without_strength_is_the_identity) {
  const Rows rows;
  for (const EditKind kind : kEditKinds) {
    Edit edit = typical_edit(kind, kWidth);
    edit.amount = 0.0;
    EXPECT_EQ(rows.edited(edit), rows.row) << to_string(kind);
  }
}

TEST(EditRow, every_kind_stays_within_five_ramps_of_its_gate) {
  const Rows rows;
  for (const EditKind kind : kEditKinds) {
    const Edit edit = typical_edit(kind, kWidth);
    const std::vector<double> out = rows.edited(edit);
    double inside = 0.0;
    double outside = 0.0;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const double t = static_cast<double>(i) - 40.0;
      const double change = std::abs(out[i] - rows.row[i]);
      const bool is_after = kind != EditKind::kTrend && t > edit.end + 15.0;
      if (t < edit.start - 15.0 || is_after) {
        outside = std::max(outside, change);
      } else {
        inside = std::max(inside, change);
      }
    }
    EXPECT_GT(inside, 0.05) << to_string(kind);
    // The gate is below exp(-5) there.
    EXPECT_LT(outside, 0.03 * inside) << to_string(kind);
  }
}

TEST(EditRow, a_whole_delay_under_an_open_gate_is_the_shifted_recording) {
  const Rows rows;
  for (const double lag : {7.0, -12.0, 30.0}) {
    Edit edit;
    edit.kind = EditKind::kDelay;
    edit.amount = lag;
    edit.start = -5e3;  // open
    edit.end = 5e3;
    const std::vector<double> out = rows.edited(edit);
    for (std::size_t i = kMargin; i < kMargin + kWidth; ++i) {
      const double from = static_cast<double>(i) - lag;
      EXPECT_NEAR(out[i], rows.row[static_cast<std::size_t>(from)], 1e-12);
    }
  }
}

TEST(EditRow, formulas_hold_under_an_open_gate) {
  const Rows rows;
  Edit edit;
  edit.start = -5e3;
  edit.end = 5e3;
  edit.amount = std::log(2.0);
  const std::size_t at = 77;
  const double t = 37.0;
  edit.kind = EditKind::kScale;
  EXPECT_NEAR(rows.edited(edit, true)[at], 2.0 * rows.row[at] + 3.0, 1e-9);
  double mean = 0.0;
  for (const double value : rows.row) {
    mean += value / static_cast<double>(rows.row.size());
  }
  EXPECT_NEAR(rows.edited(edit)[at], 2.0 * rows.row[at] - mean, 1e-9);
  edit.kind = EditKind::kNoise;
  double around = 0.0;
  for (std::size_t i = at - 5; i <= at + 5; ++i) around += rows.row[i] / 11.0;
  EXPECT_NEAR(rows.edited(edit)[at], 2.0 * rows.row[at] - around, 1e-9);
  edit.kind = EditKind::kCoupling;
  edit.amount = 0.25;
  edit.partner_sign = -1.0;
  EXPECT_NEAR(rows.edited(edit)[at],
              0.75 * rows.row[at] - 0.25 * rows.partner[at], 1e-9);
  edit.kind = EditKind::kOscillation;
  edit.period = 20.0;
  edit.phase = 0.3;
  EXPECT_NEAR(
      rows.edited(edit)[at],
      rows.row[at] + 0.25 * std::sin(2.0 * std::numbers::pi * t / 20.0 + 0.3),
      1e-9);
  // Twice as fast around the middle of the gate, which is time 10.
  edit.kind = EditKind::kFrequency;
  edit.amount = std::log(2.0);
  edit.start = -5e3 + 10.0;
  edit.end = 5e3 + 10.0;
  EXPECT_NEAR(rows.edited(edit)[40 + 13], rows.row[40 + 16], 1e-9);
}

TEST(EditRow, a_trend_rises_and_stays) {
  const Rows rows;
  Edit edit = typical_edit(EditKind::kTrend, kWidth);
  edit.start = 20.0;
  edit.end = 60.0;
  edit.amount = -1.5;
  const std::vector<double> out = rows.edited(edit);
  const auto change = [&](std::size_t t) {
    return out[t + kMargin] - rows.row[t + kMargin];
  };
  EXPECT_EQ(change(20), 0.0);
  EXPECT_NEAR(change(40), -0.75, 1e-12);
  EXPECT_NEAR(change(60), -1.5, 1e-12);
  EXPECT_NEAR(change(89), -1.5, 1e-12);
}

TEST(EditRow, a_stuck_channel_holds_the_value_of_its_start) {
  const Rows rows;
  Edit edit = typical_edit(EditKind::kStuck, kWidth);
  edit.amount = 1.0;
  edit.start = 20.0;
  edit.end = 85.0;
  const std::vector<double> out = rows.edited(edit);
  for (std::size_t t = 40; t < 60; ++t) {
    EXPECT_NEAR(out[t + kMargin], rows.row[20 + kMargin], 0.02);
  }
}

TEST(EditRow, nearest_samples_are_recorded_ones) {
  const Rows rows;
  RowInput input = rows.input();
  input.takes_nearest = true;
  Edit edit = typical_edit(EditKind::kDelay, kWidth);
  std::vector<double> out(rows.row.size());
  apply_edit(edit, input, out);
  EXPECT_NE(out, rows.row);
  for (const double value : out) {
    EXPECT_NE(std::find(rows.row.begin(), rows.row.end(), value),
              rows.row.end());
  }
}

// <d, edited row> as a function of everything an edit reads.
double weighted(const Rows& rows, const Edit& edit, bool has_floor,
                const std::vector<double>& d) {
  const std::vector<double> out = rows.edited(edit, has_floor);
  return inner_product<double, double>(out, d);
}

void expect_gradients(const Edit& edit, bool has_floor) {
  const Rows rows;
  const std::vector<double> d = smooth_row(kWidth, 3);
  RowInput input = rows.input();
  if (has_floor) input.floor = -3.0;
  std::vector<double> d_row(rows.row.size(), 0.0);
  std::vector<double> d_partner(rows.row.size(), 0.0);
  const EditGradient gradient = backward_edit(edit, input, d, d_row, d_partner);
  const double step = 1e-6;
  const auto slope = [&](const auto& change) {
    Edit up = edit;
    Edit down = edit;
    change(up, step);
    change(down, -step);
    return (weighted(rows, up, has_floor, d) -
            weighted(rows, down, has_floor, d)) /
           (2.0 * step);
  };
  const char* const name = to_string(edit.kind);
  EXPECT_NEAR(gradient.amount,
              slope([](Edit& e, double by) { e.amount += by; }), 1e-6)
      << name;
  EXPECT_NEAR(gradient.start, slope([](Edit& e, double by) { e.start += by; }),
              1e-6)
      << name;
  EXPECT_NEAR(gradient.end, slope([](Edit& e, double by) { e.end += by; }),
              1e-6)
      << name;
  EXPECT_NEAR(gradient.period,
              slope([](Edit& e, double by) { e.period += by; }), 1e-6)
      << name;
  EXPECT_NEAR(gradient.phase, slope([](Edit& e, double by) { e.phase += by; }),
              1e-6)
      << name;
  for (std::size_t i = 0; i < rows.row.size(); i += 7) {
    const auto row_slope = [&](bool is_partner) {
      Rows up;
      Rows down;
      (is_partner ? up.partner : up.row)[i] += step;
      (is_partner ? down.partner : down.row)[i] -= step;
      return (weighted(up, edit, has_floor, d) -
              weighted(down, edit, has_floor, d)) /
             (2.0 * step);
    };
    EXPECT_NEAR(d_row[i], row_slope(false), 1e-6) << name << " " << i;
    if (edit.kind == EditKind::kCoupling) {
      EXPECT_NEAR(d_partner[i], row_slope(true), 1e-6) << i;
    }
  }
}

TEST(EditRow, gradients_match_central_differences) {
  for (const EditKind kind : kEditKinds) {
    Edit edit = typical_edit(kind, kWidth);
    expect_gradients(edit, false);
    if (!is_one_sided(kind)) {
      edit.amount = -edit.amount;
      expect_gradients(edit, false);
    }
  }
  expect_gradients(typical_edit(EditKind::kScale, kWidth), true);
  // A trend that is too short to follow its end.
  Edit edit = typical_edit(EditKind::kTrend, kWidth);
  edit.start = 30.3;
  edit.end = 33.1;
  expect_gradients(edit, false);
}

TEST(EditRow, a_row_without_margins_is_refused) {
  std::vector<double> row(2 * kMargin);
  RowInput input;
  input.row = row;
  std::vector<double> out(row.size());
  EXPECT_THROW(apply_edit(typical_edit(EditKind::kLevel, 10), input, out),
               InvalidArgument);
  const Rows rows;
  input = rows.input();
  input.partner = {};
  out.resize(rows.row.size());
  EXPECT_THROW(
      apply_edit(typical_edit(EditKind::kCoupling, kWidth), input, out),
      InvalidArgument);
}

}  // namespace edit_row_test
}  // namespace sbog::series
