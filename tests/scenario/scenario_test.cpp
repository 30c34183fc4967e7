// SPDX-License-Identifier: Apache-2.0
#include "sbog/scenario/scenario.h"

#include <gtest/gtest.h>

#include <set>

#include "latent_support.h"
#include "sbog/base/errors.h"
#include "sbog/base/thread_pool.h"

namespace sbog::series {
namespace scenario_test {

using namespace testing_support;

// Fewer steps than by default, so that the tests are quick everywhere.
ScenarioOptions quick_options(std::size_t count) {
  ScenarioOptions options;
  options.sampler.count = count;
  options.sampler.seed = 11;
  options.law = TargetLaw::kIsotropic;
  options.decoder.pursuit.refine.steps = 15;
  options.decoder.pursuit.starts = 3;
  options.times = SmallPlant::get().series.times;
  return options;
}

ScenarioRun run(const ScenarioOptions& options, const Context& context = {},
                const Encoder* second = nullptr) {
  const SmallPlant& plant = SmallPlant::get();
  return generate_scenarios(plant.encoder, plant.windows, plant.series.channels,
                            options, context, second);
}

void expect_same(const Scenario& a, const Scenario& b) {
  EXPECT_EQ(a.index, b.index);
  EXPECT_EQ(a.sentence, b.sentence);
  EXPECT_EQ(a.target, b.target);
  EXPECT_EQ(a.point, b.point);
  EXPECT_EQ(a.alternatives, b.alternatives);
  EXPECT_TRUE(std::equal(a.window.elements().begin(), a.window.elements().end(),
                         b.window.elements().begin(),
                         b.window.elements().end()));
}

TEST(Scenario, outputs_of_the_plant_are_kept_outside_in_range_and_simple) {
  const SmallPlant& plant = SmallPlant::get();
  ThreadPool pool(2);
  ScenarioOptions options = quick_options(16);
  options.decoder.pursuit = {};
  options.law = TargetLaw::kAuto;
  const ScenarioRun result = run(options, {&pool, nullptr});
  const ScenarioDiagnostics& d = result.diagnostics;
  ASSERT_EQ(result.scenarios.size(), 16u);
  EXPECT_GE(d.kept, 14u)  // 85 %
      << ::testing::PrintToString(d.misses);
  EXPECT_LE(d.mean_edits, 2.0);
  EXPECT_LE(d.mean_reached, 0.3);
  const auto profiles = profile_channels(plant.windows);
  for (const Scenario& s : result.scenarios) {
    // Those that are kept; others are outside of the data but off their target.
    if (s.status != ScenarioStatus::kReached &&
        s.status != ScenarioStatus::kNear) {
      continue;
    }
    EXPECT_GE(s.energy, d.threshold);
    EXPECT_GE(s.energy_target, d.threshold);
    EXPECT_LT(s.energy_source, d.threshold);
    EXPECT_LE(s.reached, 0.5);
    std::set<std::size_t> edited;
    for (const RealisedEdit& edit : s.edits) edited.insert(edit.edit.channel);
    EXPECT_EQ(edited.size(), s.edits.size());
    for (std::size_t t = 0; t < 120; ++t) {
      for (std::size_t c = 0; c < 12; ++c) {
        EXPECT_GE(s.window(t, c), std::min(profiles[c].low, s.source(t, c)));
        EXPECT_LE(s.window(t, c), std::max(profiles[c].high, s.source(t, c)));
        if (edited.contains(c)) continue;
        EXPECT_EQ(s.window(t, c), s.source(t, c));
      }
    }
    EXPECT_EQ(s.sentence.find("several edits"), std::string::npos);
    EXPECT_LE(s.alternatives.size(), 3u);
  }
}

TEST(Scenario, is_the_same_for_any_number_of_threads) {
  ThreadPool one(1);
  ThreadPool three(3);
  const ScenarioOptions options = quick_options(5);
  const ScenarioRun alone = run(options, {&one, nullptr});
  const ScenarioRun together = run(options, {&three, nullptr});
  ASSERT_EQ(alone.scenarios.size(), together.scenarios.size());
  for (std::size_t k = 0; k < alone.scenarios.size(); ++k) {
    expect_same(alone.scenarios[k], together.scenarios[k]);
  }
}

TEST(Scenario, allow_lists_are_respected) {
  ScenarioOptions options = quick_options(4);
  options.decoder.allowance.kinds = {EditKind::kLevel, EditKind::kTrend};
  options.decoder.allowance.channels = {2, 10};
  for (const Scenario& s : run(options).scenarios) {
    for (const RealisedEdit& edit : s.edits) {
      EXPECT_TRUE(edit.edit.kind == EditKind::kLevel ||
                  edit.edit.kind == EditKind::kTrend);
      EXPECT_TRUE(edit.edit.channel == 2 || edit.edit.channel == 10);
    }
  }
}

TEST(Scenario, discrete_channels_are_never_edited) {
  for (const Scenario& s : run(quick_options(6)).scenarios) {
    for (std::size_t t = 0; t < 120; ++t) {
      EXPECT_EQ(s.window(t, 11), s.source(t, 11));  // the mode
    }
  }
}

TEST(Scenario, the_other_laws_give_outliers_too) {
  for (const TargetLaw law : {TargetLaw::kTangent, TargetLaw::kEditFirst}) {
    ScenarioOptions options = quick_options(6);
    options.law = law;
    const ScenarioRun result = run(options);
    EXPECT_EQ(result.diagnostics.law, law);
    EXPECT_GE(result.diagnostics.kept, 4u) << to_string(law);
    for (const Scenario& s : result.scenarios) {
      if (s.status == ScenarioStatus::kFailed) continue;
      EXPECT_GE(s.energy, result.diagnostics.threshold);
      if (law == TargetLaw::kEditFirst) {
        EXPECT_EQ(s.edits.size(), 1u);
        EXPECT_EQ(s.reached, 0.0);
        EXPECT_EQ(s.target, s.point);
      }
    }
  }
}

TEST(Scenario, a_second_encoder_gives_ranks) {
  const SmallPlant& plant = SmallPlant::get();
  const Encoder second = SmallPlant::trained(plant.windows, 99, 1);
  for (const Scenario& s : run(quick_options(3), {}, &second).scenarios) {
    if (s.edits.empty()) continue;
    ASSERT_TRUE(s.second.has_value());
    EXPECT_GE(s.second->source_rank, 0.0);
    EXPECT_LE(s.second->rank, 1.0);
  }
  for (const Scenario& s : run(quick_options(3)).scenarios) {
    EXPECT_FALSE(s.second.has_value());
  }
}

TEST(Scenario, counts_add_up) {
  const ScenarioRun result = run(quick_options(8));
  const ScenarioDiagnostics& d = result.diagnostics;
  std::size_t statuses = 0;
  for (const auto& [name, count] : d.statuses) statuses += count;
  EXPECT_EQ(statuses, 8u);
  std::size_t edits = 0;
  for (const auto& [name, count] : d.kinds) edits += count;
  EXPECT_NEAR(static_cast<double>(edits),
              d.mean_edits * static_cast<double>(d.kept), 1e-9);
  EXPECT_EQ(result.status,
            d.kept == 8 ? SolveStatus::kDone : SolveStatus::kPartial);
  EXPECT_NEAR(d.share_outside, 0.05, 0.01);
  EXPECT_GE(d.wanted_rank, 1.0);
  EXPECT_LE(d.wanted_rank, 4.0);
}

TEST(Scenario, can_be_cancelled) {
  class Stop : public Observer {
    bool on_progress(std::uint64_t, std::uint64_t) override { return false; }
  } stop;
  const ScenarioRun result = run(quick_options(4), {nullptr, &stop});
  EXPECT_EQ(result.status, SolveStatus::kCancelled);
  EXPECT_TRUE(result.scenarios.empty());
}

TEST(Scenario, wrong_options_are_named) {
  const SmallPlant& plant = SmallPlant::get();
  const auto refuse = [&](const auto& change) {
    ScenarioOptions options = quick_options(2);
    change(options);
    EXPECT_THROW(run(options), InvalidArgument);
  };
  refuse([](ScenarioOptions& o) { o.sampler.count = 0; });
  refuse([](ScenarioOptions& o) { o.sampler.anchor_count = 0; });
  refuse([](ScenarioOptions& o) { o.sampler.sigma = 0.0; });
  refuse([](ScenarioOptions& o) { o.sampler.max_rounds = 4095; });
  refuse([](ScenarioOptions& o) { o.decoder.redraws = 16; });
  refuse([](ScenarioOptions& o) { o.decoder.pursuit.slots = 0; });
  refuse([](ScenarioOptions& o) { o.times.pop_back(); });
  refuse([](ScenarioOptions& o) { o.decoder.allowance.channels = {11}; });
  EXPECT_THROW(generate_scenarios(plant.encoder, plant.windows, {"one"},
                                  quick_options(2)),
               InvalidArgument);
}

TEST(Scenario, the_participation_ratio_counts_directions) {
  EXPECT_EQ(participation_ratio({}), 0.0);
  EXPECT_NEAR(participation_ratio({{1, 0, 0}, {-2, 0, 0}}), 1.0, 1e-12);
  EXPECT_NEAR(participation_ratio({{1, 0, 0}, {0, 1, 0}, {0, 0, -1}}), 3.0,
              1e-12);
}

RealisedEdit some_edit(EditKind kind, std::size_t channel, double amount,
                       std::size_t first, std::size_t last) {
  RealisedEdit edit;
  edit.edit.kind = kind;
  edit.edit.channel = channel;
  edit.edit.amount = amount;
  edit.effect.first = first;
  edit.effect.last = last;
  return edit;
}

TEST(Scenario, alike_means_kinds_channels_signs_and_overlapping_times) {
  const auto a = some_edit(EditKind::kLevel, 1, 1.0, 10, 30);
  const auto b = some_edit(EditKind::kTrend, 2, 1.0, 10, 30);
  EXPECT_TRUE(are_alike({a, b}, {b, a}));
  EXPECT_TRUE(are_alike({a}, {some_edit(EditKind::kLevel, 1, 2.0, 25, 60)}));
  EXPECT_FALSE(are_alike({a}, {some_edit(EditKind::kLevel, 1, 1.0, 31, 60)}));
  EXPECT_FALSE(are_alike({a}, {some_edit(EditKind::kLevel, 1, -1.0, 25, 60)}));
  EXPECT_FALSE(are_alike({a}, {some_edit(EditKind::kLevel, 2, 1.0, 25, 60)}));
  EXPECT_FALSE(are_alike({a}, {some_edit(EditKind::kNoise, 1, 1.0, 25, 60)}));
  EXPECT_FALSE(are_alike({a}, {a, b}));
}

}  // namespace scenario_test
}  // namespace sbog::series
