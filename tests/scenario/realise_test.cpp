// SPDX-License-Identifier: Apache-2.0
#include "sbog/scenario/realise.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "latent_support.h"

namespace sbog::series {
namespace realise_test {

using namespace testing_support;

struct Bench {
  const SmallPlant& plant = SmallPlant::get();
  std::vector<ChannelProfile> profiles = profile_channels(plant.windows);
  LatentBank bank{plant.encoder.embed(plant.windows), bank_options()};
  EncoderEmbedder embedder{plant.encoder};

  RealisedWindow realise(std::size_t i, const std::vector<Edit>& edits) {
    const Matrix<double> padded = pad_window(plant.windows, i);
    EditedWindow edited(padded, profiles);
    const std::vector<double> source = embedder.embed(crop_window(padded));
    std::vector<double> target = source;
    target[0] += 0.1;
    return realise_edits(plant.windows, i, profiles, edits, source, target,
                         bank, embedder, edited);
  }
};

Edit plant_edit(EditKind kind, std::size_t channel,
                const ChannelProfile& profile) {
  Edit edit = typical_edit(kind, 120);
  edit.channel = channel;
  edit.partner = kind == EditKind::kCoupling ? (channel + 1) % 11 : 0;
  edit.amount = strength_range(kind, profile).unit;
  return edit;
}

TEST(Realise, stored_windows_lie_on_the_grid_within_the_limits) {
  Bench bench;
  for (const EditKind kind : kEditKinds) {
    for (const std::size_t c : {2, 3, 9, 10}) {
      const ChannelProfile& profile = bench.profiles[c];
      ASSERT_GT(profile.grid, 0.0);
      const RealisedWindow realised =
          bench.realise(17, {plant_edit(kind, c, profile)});
      const Matrix<double> source = raw_window(bench.plant.windows, 17);
      for (std::size_t t = 0; t < 120; ++t) {
        const double value = realised.window(t, c);
        EXPECT_GE(value, std::min(profile.low, source(t, c)));
        EXPECT_LE(value, std::max(profile.high, source(t, c)));
        const double steps = (value - profile.grid_origin) / profile.grid;
        EXPECT_NEAR(steps, std::round(steps), 1e-3);
        for (std::size_t d = 0; d < 12; ++d) {
          if (d == c) continue;
          EXPECT_EQ(realised.window(t, d), source(t, d));
        }
      }
    }
  }
}

TEST(Realise, reading_the_stored_window_again_gives_the_same_numbers) {
  Bench bench;
  const RealisedWindow realised =
      bench.realise(30, {plant_edit(EditKind::kLevel, 2, bench.profiles[2]),
                         plant_edit(EditKind::kDelay, 0, bench.profiles[0])});
  EncoderEmbedder fresh(bench.plant.encoder);
  const std::vector<double> point =
      embed_raw(bench.plant.windows, realised.window, fresh);
  for (std::size_t k = 0; k < point.size(); ++k) {
    EXPECT_NEAR(point[k], realised.point[k], 1e-5);
  }
  EXPECT_NEAR(bench.bank.energy(point), realised.energy, 1e-5);
}

TEST(Realise, samples_far_from_the_gate_keep_their_recorded_value) {
  Bench bench;
  Edit edit = plant_edit(EditKind::kStuck, 2, bench.profiles[2]);
  edit.start = 40.0;
  edit.end = 60.0;
  const RealisedWindow realised = bench.realise(5, {edit});
  const Matrix<double> source = raw_window(bench.plant.windows, 5);
  for (std::size_t t = 0; t < 5; ++t) {
    EXPECT_EQ(realised.window(t, 2), source(t, 2));
  }
  bool has_changed = false;
  for (std::size_t t = 40; t < 60; ++t) {
    has_changed = has_changed || realised.window(t, 2) != source(t, 2);
  }
  EXPECT_TRUE(has_changed);
}

RealisedWindow good_window() {
  RealisedWindow window;
  window.reached = 0.2;
  window.energy = 0.5;
  window.visibility = 1.0;
  window.slew_ratio = 0.5;
  return window;
}

TEST(Realise, verdicts_follow_the_bounds) {
  const auto verdict = [](const auto& change) {
    RealisedWindow window = good_window();
    change(window);
    return judge_window(window, 0.4);
  };
  using W = RealisedWindow;
  EXPECT_EQ(verdict([](W&) {}).status, ScenarioStatus::kReached);
  EXPECT_EQ(verdict([](W& w) { w.energy = 0.4; }).status,
            ScenarioStatus::kReached);
  EXPECT_EQ(verdict([](W& w) { w.reached = 0.31; }).status,
            ScenarioStatus::kNear);
  EXPECT_EQ(verdict([](W& w) { w.reached = 0.51; }).status,
            ScenarioStatus::kOutsideOnly);
  EXPECT_EQ(verdict([](W& w) { w.reached = 0.51; }).reason,
            MissReason::kDistance);
  EXPECT_EQ(verdict([](W& w) { w.energy = 0.399; }).reason,
            MissReason::kEnergy);
  EXPECT_EQ(verdict([](W& w) { w.clipped_share = 0.11; }).reason,
            MissReason::kClipped);
  EXPECT_EQ(verdict([](W& w) { w.visibility = 0.19; }).reason,
            MissReason::kHidden);
  EXPECT_EQ(verdict([](W& w) { w.slew_ratio = 1.06; }).reason,
            MissReason::kTooFast);
  EXPECT_EQ(verdict([](W& w) { w.is_finite = false; }).reason,
            MissReason::kNotFinite);
}

TEST(Realise, statuses_and_reasons_have_names_of_their_own) {
  std::set<std::string> names;
  for (const MissReason reason : all_miss_reasons()) {
    names.insert(to_string(reason));
  }
  EXPECT_EQ(names.size(), all_miss_reasons().size());
  EXPECT_STREQ(to_string(MissReason::kDuplicate), "duplicate");
  EXPECT_STREQ(to_string(ScenarioStatus::kOutsideOnly), "outside-only");
}

Matrix<float> recorded_rows(const WindowSource& windows, std::size_t i) {
  Matrix<float> rows(windows.channels(), windows.width());
  windows.fill(i, rows.view());
  return rows;
}

RealisedWindow draw(Bench& bench, std::size_t i, const Matrix<float>& rows) {
  const std::vector<double> source =
      bench.embedder.embed(recorded_rows(bench.plant.windows, i));
  std::vector<double> target = source;
  target[0] += 0.1;
  return realise_drawn(bench.plant.windows, i, bench.profiles, rows, source,
                       target, bench.bank, bench.embedder);
}

TEST(Realise, a_drawn_copy_is_the_recorded_window_and_hidden) {
  Bench bench;
  const RealisedWindow realised =
      draw(bench, 5, recorded_rows(bench.plant.windows, 5));
  const Matrix<double> source = raw_window(bench.plant.windows, 5);
  for (std::size_t k = 0; k < source.size(); ++k) {
    EXPECT_EQ(realised.window.data()[k], source.data()[k]);
  }
  EXPECT_EQ(realised.clipped_share, 0.0);
  EXPECT_NEAR(realised.reached, 1.0, 1e-5);
  EXPECT_EQ(judge_window(realised, -1.0).reason, MissReason::kHidden);
}

TEST(Realise, drawn_windows_are_stored_on_the_grid_within_the_limits) {
  Bench bench;
  Matrix<float> rows = recorded_rows(bench.plant.windows, 17);
  for (std::size_t t = 0; t < 120; ++t) {
    for (std::size_t c = 0; c < rows.rows(); ++c) {
      rows(c, t) += c == 3 ? 1e6F : 0.7F;
    }
  }
  const RealisedWindow realised = draw(bench, 17, rows);
  const Matrix<double> source = raw_window(bench.plant.windows, 17);
  for (std::size_t c = 0; c < rows.rows(); ++c) {
    const ChannelProfile& profile = bench.profiles[c];
    for (std::size_t t = 0; t < 120; ++t) {
      const double value = realised.window(t, c);
      if (profile.kind == ChannelClass::kConstant) {
        EXPECT_EQ(value, source(t, c));
      }
      EXPECT_GE(value, std::min(profile.low, source(t, c)));
      EXPECT_LE(value, std::max(profile.high, source(t, c)));
      if (profile.grid > 0.0) {
        const double steps = (value - profile.grid_origin) / profile.grid;
        EXPECT_NEAR(steps, std::round(steps), 1e-3);
      }
    }
  }
  // All of channel 3, and no more than the rest of the window.
  EXPECT_GE(realised.clipped_share, 1.0 / 12.0 - 1e-12);
  EXPECT_GT(realised.visibility, 0.2);
  EncoderEmbedder fresh(bench.plant.encoder);
  const std::vector<double> point =
      embed_raw(bench.plant.windows, realised.window, fresh);
  for (std::size_t k = 0; k < point.size(); ++k) {
    EXPECT_NEAR(point[k], realised.point[k], 1e-5);
  }
}

}  // namespace realise_test
}  // namespace sbog::series
