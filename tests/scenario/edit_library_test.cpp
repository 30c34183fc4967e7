// SPDX-License-Identifier: Apache-2.0
#include "sbog/scenario/edit_library.h"

#include <gtest/gtest.h>

#include <set>

#include "sbog/base/errors.h"
#include "support.h"

namespace sbog::series {
namespace edit_library_test {

using namespace testing_support;

// x0, x1 = -x0 plus noise, x2 unrelated, x3 constant, x4 half of x0.
Matrix<double> related_channels() {
  Matrix<double> series = noisy_waves(600, 5, 4);
  nn::Draws draws(9, nn::Purpose::kPairs, 17);
  for (std::size_t t = 0; t < series.rows(); ++t) {
    series(t, 1) = -series(t, 0) + 0.02 * draws.normal();
    series(t, 2) = draws.normal();
    series(t, 3) = 1.0;
    series(t, 4) = 0.5 * series(t, 0) + 0.3 * draws.normal();
  }
  return series;
}

TEST(EditLibrary, partners_are_the_most_and_the_least_correlated) {
  const Matrix<double> series = related_channels();
  const WindowSource windows(series, {100, 20, false});
  const auto profiles = profile_channels(windows);
  const auto partners = coupling_partners(windows, profiles);
  ASSERT_EQ(partners[0].size(), 3u);
  EXPECT_EQ(partners[0][0].channel, 1u);
  EXPECT_EQ(partners[0][0].sign, -1.0);
  EXPECT_EQ(partners[0][1].channel, 4u);
  EXPECT_EQ(partners[0][1].sign, 1.0);
  EXPECT_EQ(partners[0][2].channel, 2u);
  EXPECT_TRUE(partners[3].empty());
}

TEST(EditLibrary, has_gates_strengths_and_signs_of_every_kind) {
  const std::vector<ChannelProfile> profiles(2, free_profile());
  const std::vector<Edit> library =
      make_library(profiles, 200, {}, {{{1, 1.0}}, {{0, -1.0}}});
  // Per channel 6 two-sided kinds x 4 gates x 3 strengths x 2 signs, coupling
  // 4 x 3, oscillation 4 x 3 x 2 periods, stuck 4.
  EXPECT_EQ(library.size(), 2u * (6 * 24 + 12 + 24 + 4));
  std::set<EditKind> kinds;
  for (const Edit& edit : library) {
    kinds.insert(edit.kind);
    Edit moved = edit;
    project_edit(profiles[edit.channel], 200, std::copysign(1.0, edit.amount),
                 moved);
    EXPECT_EQ(moved.amount, edit.amount);
    EXPECT_EQ(moved.start, edit.start);
    EXPECT_EQ(moved.end, edit.end);
  }
  EXPECT_EQ(kinds.size(), kEditKinds.size());
}

TEST(EditLibrary, allow_lists_and_classes_are_respected) {
  std::vector<ChannelProfile> profiles(4, free_profile());
  profiles[1].kind = ChannelClass::kDiscrete;
  profiles[2].kind = ChannelClass::kConstant;
  profiles[3].kind = ChannelClass::kEvent;
  const std::vector<std::vector<Partner>> partners(4);
  for (const Edit& edit : make_library(profiles, 200, {}, partners)) {
    EXPECT_TRUE(edit.channel == 0 ||
                (edit.channel == 3 && edit.kind == EditKind::kDelay));
  }
  const auto library = make_library(
      profiles, 200, {{EditKind::kTrend, EditKind::kDelay}, {0, 1}, true},
      partners);
  std::set<std::size_t> channels;
  for (const Edit& edit : library) {
    channels.insert(edit.channel);
    EXPECT_TRUE(edit.kind == EditKind::kTrend || edit.kind == EditKind::kDelay);
  }
  EXPECT_EQ(channels, (std::set<std::size_t>{0, 1}));
}

TEST(EditLibrary, nothing_to_edit_is_named) {
  std::vector<ChannelProfile> profiles(2, free_profile());
  const std::vector<std::vector<Partner>> partners(2);
  EXPECT_THROW(make_library(profiles, 200, {{}, {2}, false}, partners),
               InvalidArgument);
  profiles[0].kind = profiles[1].kind = ChannelClass::kConstant;
  EXPECT_THROW(make_library(profiles, 200, {}, partners), InvalidArgument);
}

}  // namespace edit_library_test
}  // namespace sbog::series
