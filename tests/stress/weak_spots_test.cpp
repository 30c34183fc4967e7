// SPDX-License-Identifier: Apache-2.0
// Weak spots: models that are wrong by construction are found, a model that is
// as good as asked for has none.
#include "sbog/stress/weak_spots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "sbog/base/errors.h"
#include "sbog/base/philox.h"

namespace sbog::stress {
namespace weak_spots_test {

constexpr std::size_t kKinds = 5;
constexpr std::size_t kChannels = 6;

struct MadeCase {
  int severity;
  std::vector<std::size_t> kinds;
  std::vector<std::size_t> channels;
  double uniform;
};

// Windows with one edit of a random kind in a random channel, a share of them
// with a second one.
std::vector<MadeCase> made_cases(std::size_t count, std::uint64_t seed,
                                 double doubles) {
  std::vector<MadeCase> made;
  for (std::size_t i = 0; i < count; ++i) {
    const PhiloxStream stream(seed, 1, 0, i);
    MadeCase c;
    c.severity = 1 + static_cast<int>(3.0 * stream.uniform(0));
    const std::size_t edits = stream.uniform(1) < doubles ? 2 : 1;
    for (std::uint32_t e = 0; e < edits; ++e) {
      c.kinds.push_back(
          static_cast<std::size_t>(kKinds * stream.uniform(2 + e)));
      c.channels.push_back(
          static_cast<std::size_t>(kChannels * stream.uniform(4 + e)));
    }
    c.uniform = stream.uniform(6);
    made.push_back(c);
  }
  return made;
}

Cases sorted(const std::vector<MadeCase>& made) {
  Cases cases;
  cases.count = made.size();
  GroupingBuilder kinds("kind");
  GroupingBuilder channels("channel");
  GroupingBuilder both("kind x channel");
  GroupingBuilder edits("edits");
  for (std::size_t i = 0; i < made.size(); ++i) {
    const MadeCase& c = made[i];
    cases.severities.emplace_back(c.severity);
    for (std::size_t e = 0; e < c.kinds.size(); ++e) {
      const std::string kind = "kind-" + std::to_string(c.kinds[e]);
      const std::string channel = "channel-" + std::to_string(c.channels[e]);
      kinds.add(i, kind);
      channels.add(i, channel);
      both.add(i, kind + " x " + channel);
    }
    edits.add(i, std::to_string(c.kinds.size()));
  }
  cases.groupings = {std::move(kinds).finish(), std::move(channels).finish(),
                     std::move(both).finish(), std::move(edits).finish()};
  return cases;
}

struct Found {
  Cases cases;
  Outcomes outcomes;
  std::vector<GroupMeasures> groups;
  WeakSpots weak;

  const GroupMeasures& first() const {
    return groups.at(weak.spots.at(0).group);
  }
};

Found test_model(std::size_t count, std::uint64_t seed,
                 const std::function<bool(const MadeCase&)>& fails,
                 double doubles = 0.0) {
  const auto made = made_cases(count, seed, doubles);
  Found found;
  found.cases = sorted(made);
  for (const MadeCase& c : made) {
    CaseOutcome outcome;
    outcome.is_failure = fails(c);
    outcome.clearness = c.uniform;
    found.outcomes.cases.push_back(outcome);
  }
  found.groups = measure_groups(found.cases, found.outcomes);
  found.weak = find_weak_spots(found.cases, found.outcomes, found.groups, 0.1);
  return found;
}

TEST(WeakSpots, a_detector_that_ignores_channel_3_is_found_first) {
  const Found found =
      test_model(600, 5, [](const MadeCase& c) { return c.channels[0] == 3; });
  EXPECT_EQ(found.first().grouping, "channel");
  EXPECT_EQ(found.first().level, "channel-3");
  // Every other spot is a part of it.
  for (std::size_t i = 1; i < found.weak.spots.size(); ++i) {
    EXPECT_TRUE(found.weak.spots[i].within.has_value());
  }
}

TEST(WeakSpots, a_detector_that_loses_one_kind_of_edit_is_found_first) {
  const Found found = test_model(600, 6, [](const MadeCase& c) {
    for (const std::size_t kind : c.kinds) {
      if (kind != 2) return c.uniform < 0.02;
    }
    return true;
  });
  EXPECT_EQ(found.first().grouping, "kind");
  EXPECT_EQ(found.first().level, "kind-2");
  EXPECT_FALSE(found.weak.spots[0].within.has_value());
}

TEST(WeakSpots, a_second_edit_that_is_seen_does_not_hide_the_channel) {
  // An edit in another channel of the same window gives it away, so that the
  // clearest group is a part of the channel.
  const Found found = test_model(
      600, 5,
      [](const MadeCase& c) {
        for (const std::size_t channel : c.channels) {
          if (channel != 3) return false;
        }
        return true;
      },
      0.3);
  EXPECT_THAT(found.first().level, ::testing::EndsWith("channel-3"));
  const bool is_whole_found =
      std::any_of(found.weak.spots.begin(), found.weak.spots.end(),
                  [&](const WeakSpot& spot) {
                    return found.groups[spot.group].level == "channel-3";
                  });
  EXPECT_TRUE(is_whole_found);
}

TEST(WeakSpots, the_clearest_cases_are_severe_failures) {
  const Found found =
      test_model(600, 7, [](const MadeCase& c) { return c.channels[0] == 3; });
  const WeakSpot& spot = found.weak.spots.at(0);
  ASSERT_EQ(spot.clearest.size(), kShownCases);
  double last = 2.0;
  for (const std::size_t i : spot.clearest) {
    EXPECT_TRUE(found.outcomes.cases[i].is_failure);
    EXPECT_EQ(found.cases.severities[i], 3);
    EXPECT_LE(found.outcomes.cases[i].clearness, last);
    last = found.outcomes.cases[i].clearness;
  }
}

TEST(WeakSpots, a_perfect_model_has_none) {
  std::size_t clean = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Found found =
        test_model(400, 100 + seed, [](const MadeCase&) { return false; });
    clean += found.weak.spots.empty() ? 1 : 0;
  }
  EXPECT_EQ(clean, 20u);
}

TEST(WeakSpots, a_model_that_fails_as_often_as_tolerated_has_none) {
  // The hardest perfect model: by chance alone, at the tolerated share, in
  // each of some 150 groups.
  std::size_t clean = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Found found = test_model(
        400, 200 + seed, [](const MadeCase& c) { return c.uniform < 0.1; });
    EXPECT_GT(found.weak.ranked_groups, 50u);
    clean += found.weak.spots.empty() ? 1 : 0;
  }
  EXPECT_GE(clean, 19u);
}

TEST(WeakSpots, small_groups_are_not_ranked) {
  Cases cases;
  cases.count = 19;
  cases.groupings = {
      {"class",
       {"small", "large"},
       {{0, 1, 2, 3, 4, 5, 6, 7, 8}, {9, 10, 11, 12, 13, 14, 15, 16, 17, 18}}}};
  Outcomes outcomes;
  outcomes.cases.resize(19);
  for (CaseOutcome& c : outcomes.cases) c.is_failure = true;
  const auto groups = measure_groups(cases, outcomes);
  const WeakSpots weak = find_weak_spots(cases, outcomes, groups, 0.1);
  EXPECT_EQ(weak.ranked_groups, 1u);
  EXPECT_EQ(weak.small_groups, 1u);
  ASSERT_EQ(weak.spots.size(), 1u);
  EXPECT_EQ(groups[weak.spots[0].group].level, "large");
  EXPECT_THROW((void)find_weak_spots(cases, outcomes, groups, 1.0),
               InvalidArgument);
}

}  // namespace weak_spots_test
}  // namespace sbog::stress
