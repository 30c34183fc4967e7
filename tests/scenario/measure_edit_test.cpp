// SPDX-License-Identifier: Apache-2.0
#include "sbog/scenario/measure_edit.h"

#include <gtest/gtest.h>

#include "sbog/scenario/edit_row.h"
#include "support.h"

namespace sbog::series {
namespace measure_edit_test {

using namespace testing_support;

constexpr std::size_t kWidth = 120;

// Raw units differ from standard ones: x = 50 + 4 z, the partner -3 + 0.5 z.
struct Bench {
  ChannelProfile profile = free_profile();
  ChannelProfile partner_profile = free_profile();
  std::vector<double> row = smooth_row(kWidth, 50);
  std::vector<double> partner = smooth_row(kWidth, 51);

  Bench() {
    profile.mean = 50.0;
    profile.deviation = 4.0;
    profile.range = 20.0;
    partner_profile.mean = -3.0;
    partner_profile.deviation = 0.5;
  }
  EditEffect measure(const Edit& edit) const {
    RowInput input;
    input.row = row;
    input.partner = partner;
    input.ramp = 1.0;
    if (profile.is_floored) {
      input.floor = profile.to_standard(profile.low);
    }
    std::vector<double> out(row.size());
    apply_edit(edit, input, out);
    std::vector<double> padded;
    std::vector<double> recorded;
    std::vector<double> edited;
    std::vector<double> other;
    for (std::size_t i = 0; i < row.size(); ++i) {
      padded.push_back(profile.to_raw(row[i]));
      if (i < kMargin || i >= kMargin + kWidth) continue;
      recorded.push_back(profile.to_raw(row[i]));
      edited.push_back(profile.to_raw(out[i]));
      other.push_back(partner_profile.to_raw(partner[i]));
    }
    return measure_effect(edit, {recorded, edited, padded, other}, profile,
                          partner_profile);
  }
};

Edit gated(EditKind kind, double amount) {
  Edit edit = typical_edit(kind, kWidth);
  edit.start = 30.0;
  edit.end = 80.0;
  edit.amount = amount;
  return edit;
}

TEST(MeasureEdit, levels_are_measured_in_raw_units_within_their_gate) {
  const EditEffect effect = Bench().measure(gated(EditKind::kLevel, -1.5));
  // A median does not mind the two ramps.
  EXPECT_NEAR(effect.size, -6.0, 0.01);
  EXPECT_NEAR(static_cast<double>(effect.first), 27.0, 2.0);
  EXPECT_NEAR(static_cast<double>(effect.last), 83.0, 2.0);
}

TEST(MeasureEdit, spans_begin_and_end_at_two_per_cent_of_the_range) {
  const std::vector<double> recorded(8, 5.0);
  const std::vector<double> edited = {5.0, 5.19, 5.21, 5.0,
                                      4.0, 4.81, 5.19, 5.0};
  const ChangedSpan span = changed_span(recorded, edited, 10.0);
  EXPECT_EQ(span.first, 2u);
  EXPECT_EQ(span.last, 4u);
}

TEST(MeasureEdit, faint_changes_have_a_span_and_none_has_sample_zero) {
  const std::vector<double> recorded(6, 0.0);
  const std::vector<double> edited = {0.0, 0.02, 0.03, -0.1, 0.04, 0.0};
  const ChangedSpan faint = changed_span(recorded, edited, 100.0);
  EXPECT_EQ(faint.first, 2u);  // from a quarter of the largest on
  EXPECT_EQ(faint.last, 4u);
  const ChangedSpan none = changed_span(recorded, recorded, 100.0);
  EXPECT_EQ(none.first, 0u);
  EXPECT_EQ(none.last, 0u);
}

TEST(MeasureEdit, trends_end_where_they_have_risen) {
  const EditEffect effect = Bench().measure(gated(EditKind::kTrend, 2.0));
  EXPECT_NEAR(effect.size, 8.0, 1e-9);
  EXPECT_NEAR(static_cast<double>(effect.first), 33.0, 2.0);
  EXPECT_NEAR(static_cast<double>(effect.settled), 78.0, 2.0);
  EXPECT_EQ(effect.last, kWidth - 1);
}

TEST(MeasureEdit, factors_come_back) {
  Bench bench;
  // About 6 of 60 samples of a span belong to its ramps and count with what
  // they reach, which takes up to a tenth of each effect away.
  EXPECT_NEAR(bench.measure(gated(EditKind::kScale, std::log(1.8))).factor, 1.8,
              0.15);
  EXPECT_NEAR(bench.measure(gated(EditKind::kNoise, std::log(2.5))).factor, 2.5,
              0.3);
  EXPECT_NEAR(bench.measure(gated(EditKind::kDelay, 9.0)).factor, 9.0, 0.5);
  EXPECT_NEAR(bench.measure(gated(EditKind::kDelay, -13.0)).factor, -13.0, 0.5);
  EXPECT_NEAR(bench.measure(gated(EditKind::kFrequency, std::log(1.3))).factor,
              1.3, 0.04);
  Edit coupling = gated(EditKind::kCoupling, 0.7);
  coupling.partner_sign = -1.0;
  EXPECT_NEAR(bench.measure(coupling).factor, 0.7, 0.05);
  bench.profile.is_floored = true;
  bench.profile.low = 30.0;
  EXPECT_NEAR(bench.measure(gated(EditKind::kScale, std::log(1.5))).factor, 1.5,
              0.08);
}

TEST(MeasureEdit, oscillations_and_held_values_come_back) {
  const Bench bench;
  // A peak on a ramp weighs most.
  EXPECT_NEAR(bench.measure(gated(EditKind::kOscillation, 0.9)).size, 3.6, 0.5);
  const Edit stuck = gated(EditKind::kStuck, 1.0);
  EXPECT_NEAR(bench.measure(stuck).size,
              bench.profile.to_raw(bench.row[30 + kMargin]), 0.5);
}

TEST(MeasureEdit, what_the_limits_cut_off_is_not_claimed) {
  const Bench bench;
  std::vector<double> recorded(kWidth, 1.0);
  std::vector<double> edited(kWidth, 1.0);
  for (std::size_t t = 40; t < 60; ++t) edited[t] = 1.5;  // asked for: 3
  const std::vector<double> padded(kWidth + 2 * kMargin, 1.0);
  const EditEffect effect = measure_effect(
      gated(EditKind::kLevel, 3.0), {recorded, edited, padded, {}},
      bench.profile, bench.partner_profile);
  EXPECT_NEAR(effect.size, 0.5, 1e-12);
  EXPECT_EQ(effect.first, 40u);
  EXPECT_EQ(effect.last, 59u);
}

}  // namespace measure_edit_test
}  // namespace sbog::series
