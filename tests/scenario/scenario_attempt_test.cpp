// SPDX-License-Identifier: Apache-2.0
// Single tries: planted targets, sentences against what was stored, anchors
// with several outputs.
#include <gtest/gtest.h>

#include <set>

#include "latent_support.h"
#include "sbog/scenario/scenario.h"

namespace sbog::series {
namespace scenario_attempt_test {

using namespace testing_support;

ScenarioOptions options_for(std::size_t count) {
  ScenarioOptions options;
  options.sampler.count = count;
  options.sampler.seed = 21;
  options.law = TargetLaw::kIsotropic;
  options.decoder.pursuit.refine.steps = 15;
  options.decoder.pursuit.starts = 3;
  return options;
}

TEST(ScenarioAttempt, planted_targets_of_a_real_encoder_are_reached) {
  const SmallPlant& plant = SmallPlant::get();
  const auto profiles = profile_channels(plant.windows);
  const auto library = make_library(profiles, 120, {},
                                    coupling_partners(plant.windows, profiles));
  const LatentBank bank(plant.encoder.embed(plant.windows), bank_options());
  EncoderEmbedder embedder(plant.encoder);
  EnergyProbe energy(bank.atoms());
  std::size_t cases = 0;
  std::size_t reached = 0;
  const std::vector<Edit> planted =
      random_edits(library, profiles, 120, 300, {5, 0, 0});
  for (std::size_t j = 0; j < planted.size() && cases < 10; ++j) {
    const Matrix<double> padded = pad_window(plant.windows, 37 * j % 700);
    EditedWindow edited(padded, profiles);
    edited.apply({&planted[j], 1});
    const std::size_t c = planted[j].channel;
    // The search does not look at what nobody would see or believe.
    if (visibility(edited.source_row(c), edited.row(c), profiles[c].unit) <
            0.5 ||
        edited.clipped_share(0) > 0.0 ||
        largest_step(edited.row(c)) > profiles[c].step_limit()) {
      continue;
    }
    const std::vector<double> point = embedder.embed(edited.window());
    edited.apply({});
    const Screen screen = screen_edits(edited, profiles, library, embedder);
    const EditTarget target{screen.point, point, -1.0};
    if (squared_distance<double, double>(target.source, target.point) < 1e-4) {
      continue;
    }
    EditObjective objective(padded, profiles, target, embedder, energy);
    const PursuitResult found =
        pursue_target(objective, library, screen, -1.0, {});
    ++cases;
    if (found.best.score.residual <= 0.09) ++reached;
  }
  EXPECT_EQ(cases, 10u);
  EXPECT_GE(reached, 9u);
}

// The number that follows `before` in a text.
double number_after(const std::string& text, const std::string& before) {
  const std::size_t at = text.find(before);
  EXPECT_NE(at, std::string::npos) << text;
  return std::stod(text.substr(at + before.size()));
}

TEST(ScenarioAttempt, numbers_of_sentences_are_those_of_the_stored_window) {
  const SmallPlant& plant = SmallPlant::get();
  ScenarioOptions options = options_for(6);
  options.decoder.allowance.kinds = {EditKind::kLevel};
  options.decoder.pursuit.slots = 1;
  const ScenarioRun run = generate_scenarios(plant.encoder, plant.windows,
                                             plant.series.channels, options);
  std::size_t checked = 0;
  for (const Scenario& s : run.scenarios) {
    if (s.edits.size() != 1) continue;
    const std::size_t c = s.edits[0].edit.channel;
    // Median change from the first sample beyond 2 % of the range to the last,
    // by hand.
    const auto all = plant.windows.raw_series(c);
    const double bar = 0.02 * (*std::max_element(all.begin(), all.end()) -
                               *std::min_element(all.begin(), all.end()));
    std::size_t first = 120;
    std::size_t last = 0;
    for (std::size_t t = 0; t < 120; ++t) {
      if (std::abs(s.window(t, c) - s.source(t, c)) <= bar) continue;
      first = std::min(first, t);
      last = t;
    }
    ASSERT_LE(first, last);
    std::vector<double> changes;
    for (std::size_t t = first; t <= last; ++t) {
      changes.push_back(s.window(t, c) - s.source(t, c));
    }
    std::sort(changes.begin(), changes.end());
    const double middle = changes[changes.size() / 2];
    EXPECT_EQ(s.sentence.find(plant.series.channels[c]), 0u);
    const bool is_brief = last - first < 10;
    const double said = number_after(s.sentence, is_brief ? " by " : " runs ");
    EXPECT_NEAR(said, std::abs(middle), 0.006 * std::abs(middle)) << s.sentence;
    EXPECT_NEAR(number_after(s.sentence, "units ("),
                std::abs(middle) / plant.windows.statistics().deviations[c],
                0.006 * said / plant.windows.statistics().deviations[c]);
    const bool is_up = s.sentence.find("above") != std::string::npos ||
                       s.sentence.find("briefly up") != std::string::npos;
    EXPECT_EQ(middle > 0.0, is_up) << s.sentence;
    EXPECT_NEAR(number_after(s.sentence, "-> "), s.energy, 6e-4);
    EXPECT_NEAR(number_after(s.sentence, "threshold "),
                run.diagnostics.threshold, 6e-4);
    ++checked;
  }
  EXPECT_GE(checked, 3u);
}

TEST(ScenarioAttempt, outputs_of_one_anchor_are_not_alike) {
  const SmallPlant& plant = SmallPlant::get();
  ScenarioOptions options = options_for(8);
  options.sampler.anchor_count = 1;  // four anchors with two outputs each
  const ScenarioRun run = generate_scenarios(plant.encoder, plant.windows,
                                             plant.series.channels, options);
  EXPECT_EQ(run.diagnostics.anchors, 4u);
  for (const Scenario& a : run.scenarios) {
    EXPECT_LE(a.tries, 4u);
    EXPECT_EQ(a.misses.size(), a.status == ScenarioStatus::kFailed ||
                                       a.status == ScenarioStatus::kOutsideOnly
                                   ? a.misses.size()
                                   : a.tries - 1);
    for (const Scenario& b : run.scenarios) {
      if (a.index >= b.index || a.anchor_window != b.anchor_window) continue;
      if (a.edits.empty() || b.edits.empty()) continue;
      if (a.status == ScenarioStatus::kFailed ||
          b.status == ScenarioStatus::kFailed) {
        continue;
      }
      EXPECT_FALSE(are_alike(a.edits, b.edits));
    }
  }
}

TEST(ScenarioAttempt, an_anchor_alone_gives_what_the_run_gives) {
  const SmallPlant& plant = SmallPlant::get();
  const ScenarioOptions options = options_for(4);
  const ScenarioGenerator generator(plant.encoder, plant.windows,
                                    plant.series.channels, options, nullptr);
  const ScenarioRun run = generate_scenarios(plant.encoder, plant.windows,
                                             plant.series.channels, options);
  const std::vector<Scenario> alone = generator.run_anchor(2);
  ASSERT_FALSE(alone.empty());
  EXPECT_EQ(alone[0].index, 2u);
  EXPECT_EQ(alone[0].sentence, run.scenarios[2].sentence);
  EXPECT_EQ(alone[0].point, run.scenarios[2].point);
}

TEST(ScenarioAttempt, a_network_may_draw_the_windows) {
  const SmallPlant& plant = SmallPlant::get();
  ScenarioOptions options = options_for(4);
  options.decoder.keeps_outside_only = true;
  // Raises one channel by a deviation in the second half.
  options.decoder.network = [&](std::size_t window, std::span<const double>) {
    Matrix<float> rows(plant.windows.channels(), plant.windows.width());
    plant.windows.fill(window, rows.view());
    for (std::size_t t = 60; t < rows.cols(); ++t) rows(1, t) += 1.0F;
    return rows;
  };
  const ScenarioRun run = generate_scenarios(plant.encoder, plant.windows,
                                             plant.series.channels, options);
  ASSERT_EQ(run.scenarios.size(), 4u);
  for (const Scenario& s : run.scenarios) {
    EXPECT_TRUE(s.edits.empty());
    ASSERT_FALSE(s.changes.empty()) << s.sentence;
    const DrawnChange& change = s.changes[0];
    EXPECT_EQ(change.channel, 1u);
    EXPECT_GE(change.sample, 60u);
    EXPECT_EQ(change.size,
              s.window(change.sample, 1) - s.source(change.sample, 1));
    EXPECT_LE(std::abs(change.size), 1.001 * change.deviation);
    EXPECT_TRUE(s.sentence.starts_with(
        "A drawn window: " + plant.series.channels[1] + " is up to "))
        << s.sentence;
    for (std::size_t t = 0; t < 60; ++t) {
      EXPECT_EQ(s.window(t, 1), s.source(t, 1));
    }
  }
}

}  // namespace scenario_attempt_test
}  // namespace sbog::series
