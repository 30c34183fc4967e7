// SPDX-License-Identifier: Apache-2.0
#include "sbog/scenario/edit.h"

#include <gtest/gtest.h>

#include "sbog/base/errors.h"
#include "support.h"

namespace sbog::series {
namespace edit_test {

using namespace testing_support;

TEST(Edit, names_are_read_back) {
  for (const EditKind kind : kEditKinds) {
    EXPECT_EQ(parse_edit_kind(to_string(kind)), kind);
  }
  EXPECT_THROW(parse_edit_kind("warp"), InvalidArgument);
}

TEST(Edit, every_kind_has_a_least_and_a_largest_strength) {
  for (const EditKind kind : kEditKinds) {
    const StrengthRange range = strength_range(kind, free_profile());
    EXPECT_GT(range.unit, 0.0);
    EXPECT_GT(range.least, 0.0) << to_string(kind);
    EXPECT_GT(range.most, range.least) << to_string(kind);
  }
  ChannelProfile quiet = free_profile();
  quiet.unit = 0.1;
  EXPECT_DOUBLE_EQ(strength_range(EditKind::kLevel, quiet).least, 0.025);
  EXPECT_DOUBLE_EQ(strength_range(EditKind::kOscillation, quiet).most, 0.2);
  EXPECT_DOUBLE_EQ(strength_range(EditKind::kDelay, quiet).least, 2.0);
}

TEST(Edit, classes_of_channels_admit_what_looks_right_there) {
  ChannelProfile profile = free_profile();
  for (const EditKind kind : kEditKinds) {
    profile.kind = ChannelClass::kContinuous;
    profile.is_floored = false;
    EXPECT_TRUE(suits(kind, profile));
    profile.is_floored = true;
    EXPECT_EQ(suits(kind, profile), kind != EditKind::kOscillation);
    profile.kind = ChannelClass::kConstant;
    EXPECT_FALSE(suits(kind, profile, true));
    profile.kind = ChannelClass::kDiscrete;
    EXPECT_FALSE(suits(kind, profile));
    EXPECT_EQ(suits(kind, profile, true), kind == EditKind::kDelay);
    profile.kind = ChannelClass::kEvent;
    EXPECT_EQ(suits(kind, profile), kind == EditKind::kDelay);
  }
}

TEST(Edit, large_steps_of_slow_channels_have_long_ramps) {
  ChannelProfile profile = free_profile();
  Edit edit = typical_edit(EditKind::kLevel, 100);
  edit.amount = -2.0;
  profile.slew = 0.1;
  EXPECT_DOUBLE_EQ(ramp_of(edit, profile), 6.0);
  profile.slew = 0.01;
  EXPECT_DOUBLE_EQ(ramp_of(edit, profile), 16.0);
  profile.slew = 10.0;
  EXPECT_DOUBLE_EQ(ramp_of(edit, profile), 2.0);
  edit.kind = EditKind::kDelay;
  EXPECT_DOUBLE_EQ(ramp_of(edit, profile), 4.0);
  edit.kind = EditKind::kStuck;
  EXPECT_DOUBLE_EQ(ramp_of(edit, profile), 0.5);
}

TEST(Edit, projection_keeps_sign_ranges_and_order) {
  for (const EditKind kind : kEditKinds) {
    for (const double sign : {1.0, -1.0}) {
      for (const double size : {-1e6, -0.1, 0.0, 0.1, 1e6}) {
        Edit edit = typical_edit(kind, 100);
        edit.amount = size;
        edit.start = size;
        edit.end = -size;
        edit.period = size;
        project_edit(free_profile(), 100, sign, edit);
        const StrengthRange range = strength_range(kind, free_profile());
        EXPECT_GE(sign * edit.amount, range.least);
        EXPECT_LE(sign * edit.amount, range.most);
        EXPECT_GE(edit.start, -5.0);
        EXPECT_LE(edit.start, 94.0);
        EXPECT_GE(edit.end, edit.start + 6.0);
        EXPECT_LE(edit.end, 105.0);
        EXPECT_GE(edit.period, 5.0);
        EXPECT_LE(edit.period, 100.0);
      }
    }
  }
}

}  // namespace edit_test
}  // namespace sbog::series
