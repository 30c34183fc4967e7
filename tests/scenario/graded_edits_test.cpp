// SPDX-License-Identifier: Apache-2.0
// Strengths for severities, measured again on the stored window.
#include "sbog/scenario/graded_edits.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sbog/series/synthetic_plant.h"
#include "support.h"

namespace sbog::series {
namespace graded_edits_test {

using namespace testing_support;

struct Plant {
  Series series = synthetic_plant(8000, 5);
  WindowSource windows{series.values, WindowOptions{100, 4, false}};
  std::vector<ChannelProfile> profiles = profile_channels(windows);
  RecordedSpans recorded{windows, profiles};

  static const Plant& get() {
    static const Plant plant;
    return plant;
  }
};

constexpr std::size_t kWindow = 700;

Edit level_of(std::size_t channel, double sign) {
  Edit edit;
  edit.channel = channel;
  edit.amount = sign;
  edit.start = 30.0;
  edit.end = 65.0;
  return edit;
}

GradedEdits graded(const std::vector<Edit>& edits, std::size_t severity) {
  const Plant& plant = Plant::get();
  const Matrix<double> padded = pad_window(plant.windows, kWindow);
  EditedWindow work(padded, plant.profiles);
  return grade_edits(plant.recorded, kWindow, edits, severity, work);
}

TEST(GradedEdits, an_edit_is_as_rare_as_asked_and_its_shift_is_in_the_window) {
  const Plant& plant = Plant::get();
  double before = 0.0;
  std::size_t reached = 0;
  for (std::size_t severity = 1; severity <= 3; ++severity) {
    const GradedEdits found = graded({level_of(2, 1.0)}, severity);
    if (found.reason != MissReason::kNone) continue;
    ++reached;
    EXPECT_EQ(found.grade.severity, severity);
    EXPECT_EQ(severity_of(found.grade.p), severity);
    EXPECT_NEAR(std::log10(found.grade.p),
                -(static_cast<double>(severity) + 0.5), 0.1);
    // |mean of the rated span - mean of the one before|, by hand.
    const EditRarity& rated = found.rarities.at(0);
    EXPECT_EQ(rated.length, 35u);
    const std::size_t start = plant.windows.starts()[kWindow];
    const auto value = [&](std::size_t row) {
      const double raw = row >= start ? found.realised.window(row - start, 2)
                                      : plant.series.values(row, 2);
      return plant.profiles[2].to_standard(raw) /
             static_cast<double>(rated.length);
    };
    double shift = 0.0;
    for (std::size_t t = 0; t < rated.length; ++t) {
      shift += value(start + rated.first + t) -
               value(start + rated.first + t - rated.length);
    }
    EXPECT_NEAR(std::abs(shift), rated.statistic, 1e-9);
    EXPECT_GT(rated.statistic, before);
    before = rated.statistic;
  }
  EXPECT_GE(reached, 2u);
}

TEST(GradedEdits, limits_hold_at_every_severity) {
  const Plant& plant = Plant::get();
  std::size_t kept = 0;
  for (std::size_t severity = 1; severity <= 3; ++severity) {
    for (std::size_t c = 0; c + 1 < plant.profiles.size(); ++c) {
      const GradedEdits found = graded({level_of(c, -1.0)}, severity);
      if (found.reason != MissReason::kNone) continue;
      ++kept;
      const ChannelProfile& profile = plant.profiles[c];
      for (std::size_t t = 0; t < 100; ++t) {
        const double recorded = plant.windows.raw(kWindow, c)[t];
        EXPECT_GE(found.realised.window(t, c), std::min(profile.low, recorded));
        EXPECT_LE(found.realised.window(t, c),
                  std::max(profile.high, recorded));
      }
    }
  }
  EXPECT_GE(kept, 8u);
}

TEST(GradedEdits, several_edits_share_the_rarity) {
  const GradedEdits found = graded({level_of(2, 1.0), level_of(5, -1.0)}, 1);
  ASSERT_EQ(found.reason, MissReason::kNone);
  if (found.edits.size() == 2) {
    EXPECT_NEAR(
        found.grade.p,
        2.0 * std::min(found.rarities[0].rarity.p, found.rarities[1].rarity.p),
        1e-12);
  }
  EXPECT_EQ(found.grade.severity, 1u);
}

TEST(GradedEdits, what_cannot_be_reached_is_said) {
  Edit coupling;
  coupling.kind = EditKind::kCoupling;
  coupling.channel = 2;
  coupling.partner = 2;  // nothing to be compared with
  coupling.amount = 1.0;
  coupling.start = 20.0;
  coupling.end = 70.0;
  EXPECT_EQ(graded({coupling}, 2).reason, MissReason::kBand);
  EXPECT_EQ(graded({level_of(2, 1.0)}, 6).reason, MissReason::kShort);
}

TEST(GradedEdits, spans_are_shortened_until_the_recording_can_tell) {
  // 800 rows hold 97 spans of 100 rows and 700 of 12.
  const Matrix<double> values = noisy_waves(800, 1, 21);
  const WindowSource windows(values, WindowOptions{100, 2, false});
  const std::vector<ChannelProfile> profiles = profile_channels(windows);
  const RecordedSpans recorded(windows, profiles);
  Edit edit = level_of(0, 1.0);
  edit.start = 0.0;
  edit.end = 99.0;
  ASSERT_FALSE(recorded.tail(span_key(edit, 100)).target(3, 1));
  const Matrix<double> padded = pad_window(windows, 150);
  EditedWindow work(padded, profiles);
  const GradedEdits found = grade_edits(recorded, 150, {edit}, 3, work);
  EXPECT_NE(found.reason, MissReason::kShort);
  if (found.reason == MissReason::kNone) {
    EXPECT_LT(found.rarities[0].length, 100u);
    EXPECT_EQ(found.grade.severity, 3u);
  }
}

TEST(GradedEdits, strength_is_monotone_and_keeps_the_sign) {
  const ChannelProfile profile = free_profile();
  for (const EditKind kind : kEditKinds) {
    Edit edit = typical_edit(kind, 200);
    if (!is_one_sided(kind)) edit.amount = -edit.amount;
    const Edit weak = with_strength(edit, 0.1, profile, 200);
    const Edit strong = with_strength(edit, 0.9, profile, 200);
    if (kind == EditKind::kStuck) {
      EXPECT_LT(weak.end, strong.end);
      continue;
    }
    EXPECT_LT(std::abs(weak.amount), std::abs(strong.amount));
    EXPECT_EQ(std::signbit(weak.amount), std::signbit(edit.amount));
  }
}

TEST(GradedEdits, rated_spans_lie_within_the_window) {
  for (double start = -5.0; start < 190.0; start += 7.0) {
    for (double length = 6.0; length < 210.0; length *= 1.7) {
      Edit edit = level_of(0, 1.0);
      edit.start = start;
      edit.end = start + length;
      const RatedSpan span = rated_span(edit, 200);
      EXPECT_LE(span.first + span.length, 200u);
      EXPECT_GE(span.length, 6u);
    }
  }
}

TEST(GradedEdits, the_rarest_edit_counts_as_often_as_there_are_edits) {
  std::vector<EditRarity> rarities(3);
  rarities[0].rarity.p = 0.2;
  rarities[1].rarity.p = 0.003;
  rarities[2].rarity.p = 0.05;
  const WindowGrade grade = grade_of(rarities, 2);
  EXPECT_EQ(grade.rarest, 1u);
  EXPECT_NEAR(grade.p, 0.009, 1e-15);
  EXPECT_EQ(grade.severity, 2u);
  EXPECT_EQ(grade.asked, 2u);
}

}  // namespace graded_edits_test
}  // namespace sbog::series
