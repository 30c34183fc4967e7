// SPDX-License-Identifier: Apache-2.0
// Random edits of given severities: bands, threads, limits, short recordings.
#include "sbog/scenario/graded_scenarios.h"

#include <gtest/gtest.h>

#include <set>

#include "latent_support.h"
#include "sbog/base/errors.h"
#include "sbog/base/thread_pool.h"

namespace sbog::series {
namespace graded_scenarios_test {

using namespace testing_support;

struct LongPlant {
  Series series = synthetic_plant(9000, 7);
  WindowSource windows{series.values, WindowOptions{120, 4, false}};

  static const LongPlant& get() {
    static const LongPlant plant;
    return plant;
  }
};

ScenarioOptions options_for(std::size_t count) {
  ScenarioOptions options;
  options.sampler.count = count;
  options.sampler.seed = 3;
  options.law = TargetLaw::kEditFirst;
  options.severities = {1, 2, 3};
  options.row_seconds = 60.0;
  return options;
}

ScenarioRun run_on(const GradedGenerator& generator,
                   const Context& context = {}) {
  std::vector<std::vector<Scenario>> parts(generator.group_count());
  parallel_for(context, parts.size(), [&](std::size_t g, std::size_t) {
    parts[g] = generator.run_group(g);
  });
  std::vector<Scenario> all;
  for (auto& part : parts) {
    for (Scenario& s : part) all.push_back(std::move(s));
  }
  return generator.summarise(std::move(all));
}

TEST(GradedScenarios, cases_lie_in_their_bands_by_their_windows_alone) {
  const LongPlant& plant = LongPlant::get();
  ThreadPool pool(2);
  const GradedGenerator generator(plant.windows, plant.series.channels,
                                  options_for(150));
  const ScenarioRun run = run_on(generator, {&pool, nullptr});
  EXPECT_GE(run.diagnostics.kept, 135u);
  std::set<EditKind> kinds;
  std::size_t in_band = 0;
  for (const Scenario& s : run.scenarios) {
    EXPECT_EQ(s.asked, s.index % 3 + 1);
    if (s.status != ScenarioStatus::kGraded) continue;
    ASSERT_EQ(s.edits.size(), 1u);
    kinds.insert(s.edits[0].edit.kind);
    // Rated anew, as a reader of the files would.
    const auto rated = rate_edit(generator.recorded(), s.anchor_window,
                                 s.edits[0].edit, s.window);
    ASSERT_TRUE(rated.has_value());
    in_band += severity_of(rated->rarity.p) == s.asked;
    for (std::size_t c = 0; c < 12; ++c) {
      const ChannelProfile& profile = generator.profiles()[c];
      for (std::size_t t = 0; t < 120; ++t) {
        EXPECT_GE(s.window(t, c), std::min(profile.low, s.source(t, c)));
        EXPECT_LE(s.window(t, c), std::max(profile.high, s.source(t, c)));
      }
    }
  }
  EXPECT_EQ(in_band, run.diagnostics.kept);
  EXPECT_GE(kinds.size(), 5u);
  std::size_t kept = 0;
  for (const auto& [severity, count] : run.diagnostics.severities) {
    EXPECT_EQ(count.asked, 50u);
    kept += count.kept;
  }
  EXPECT_EQ(kept, run.diagnostics.kept);
}

TEST(GradedScenarios, are_the_same_for_any_number_of_threads) {
  const LongPlant& plant = LongPlant::get();
  ThreadPool pool(3);
  const GradedGenerator one(plant.windows, plant.series.channels,
                            options_for(12));
  const GradedGenerator three(plant.windows, plant.series.channels,
                              options_for(12));
  const ScenarioRun alone = run_on(one);
  const ScenarioRun together = run_on(three, {&pool, nullptr});
  for (std::size_t k = 0; k < 12; ++k) {
    const Scenario& a = alone.scenarios[k];
    const Scenario& b = together.scenarios[k];
    EXPECT_EQ(a.sentence, b.sentence);
    EXPECT_EQ(a.tries, b.tries);
    EXPECT_TRUE(std::equal(a.window.elements().begin(),
                           a.window.elements().end(),
                           b.window.elements().begin()));
  }
}

TEST(GradedScenarios, sentences_say_how_often) {
  const LongPlant& plant = LongPlant::get();
  const GradedGenerator generator(plant.windows, plant.series.channels,
                                  options_for(6));
  for (const Scenario& s : run_on(generator).scenarios) {
    if (s.status != ScenarioStatus::kGraded) continue;
    if (!s.grade->period) continue;
    EXPECT_NE(s.sentence.find(s.grade->period->is_beyond
                                  ? " occurs less than once in "
                                  : " occurs about once in "),
              std::string::npos)
        << s.sentence;
    EXPECT_EQ(s.sentence.find("Energy"), std::string::npos);
  }
}

TEST(GradedScenarios, an_encoder_says_what_it_makes_of_them) {
  const SmallPlant& plant = SmallPlant::get();
  ScenarioOptions options = options_for(6);
  options.severities = {1, 2};
  const GradedGenerator generator(plant.windows, plant.series.channels, options,
                                  &plant.encoder);
  const ScenarioRun told = run_on(generator);
  EXPECT_GE(told.diagnostics.kept, 4u);
  for (const Scenario& s : told.scenarios) {
    if (s.status != ScenarioStatus::kGraded) continue;
    EXPECT_EQ(s.point.size(), 4u);
    EXPECT_NE(s.sentence.find("Energy "), std::string::npos);
  }
  options.decoder.keeps_outside_only = true;
  const GradedGenerator outside(plant.windows, plant.series.channels, options,
                                &plant.encoder);
  const ScenarioRun kept = run_on(outside);
  for (const Scenario& s : kept.scenarios) {
    if (s.status != ScenarioStatus::kGraded) continue;
    EXPECT_GE(s.energy, kept.diagnostics.threshold);
  }
}

TEST(GradedScenarios, one_channel_and_few_rows_give_what_they_can) {
  const Matrix<double> values = noisy_waves(400, 1, 9);
  const WindowSource windows(values, WindowOptions{64, 1, false});
  const std::vector<std::string> names = {"only"};
  const GradedGenerator generator(windows, names, options_for(9));
  const ScenarioRun run = run_on(generator);
  // Shares of some hundred spans say nothing of 1 in 10,000.
  EXPECT_GE(run.diagnostics.severities.at(1).kept, 2u);
  for (const Scenario& s : run.scenarios) {
    if (s.status == ScenarioStatus::kGraded) {
      EXPECT_EQ(s.grade->severity, s.asked);
    }
  }
}

TEST(GradedScenarios, wrong_options_are_named) {
  const LongPlant& plant = LongPlant::get();
  const auto refuse = [&](const auto& change) {
    ScenarioOptions options = options_for(3);
    change(options);
    EXPECT_THROW(GradedGenerator(plant.windows, plant.series.channels, options),
                 InvalidArgument);
  };
  refuse([](ScenarioOptions& o) { o.severities = {}; });
  refuse([](ScenarioOptions& o) { o.severities = {0}; });
  refuse([](ScenarioOptions& o) { o.severities = {7}; });
  refuse([](ScenarioOptions& o) { o.sampler.count = 0; });
  refuse([](ScenarioOptions& o) { o.decoder.allowance.channels = {99}; });
}

}  // namespace graded_scenarios_test
}  // namespace sbog::series
