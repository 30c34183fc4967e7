// SPDX-License-Identifier: Apache-2.0
#include "sbog/scenario/sentence.h"

#include <gtest/gtest.h>

namespace sbog::series {
namespace sentence_test {

const std::vector<std::string> kNames = {"flow", "tank"};

RealisedEdit realised(EditKind kind, double size, double factor,
                      std::size_t first, std::size_t last) {
  RealisedEdit edit;
  edit.edit.kind = kind;
  edit.edit.period = 12.0;
  edit.edit.partner = 1;
  edit.effect = {first, last, size, factor, first};
  edit.deviation = 2.0;
  return edit;
}

std::string words(const RealisedEdit& edit,
                  const std::vector<std::string>* times = nullptr) {
  return describe_edit(edit, {&kNames, times, 1000, 200});
}

TEST(Sentence, every_kind_has_its_words) {
  EXPECT_EQ(words(realised(EditKind::kLevel, 1.24, 1, 40, 120)),
            "flow runs 1.24 units (0.62 sd) above its recorded level from "
            "around row 1040 to row 1120");
  EXPECT_EQ(words(realised(EditKind::kLevel, -1.24, 1, 2, 198)),
            "flow runs 1.24 units (0.62 sd) below its recorded level "
            "throughout");
  EXPECT_EQ(words(realised(EditKind::kLevel, -3.0, 1, 40, 48)),
            "flow jumps briefly down by 3 units (1.5 sd) around row 1044");
  RealisedEdit trend = realised(EditKind::kTrend, 1.0, 1, 40, 199);
  trend.effect.settled = 120;
  EXPECT_EQ(words(trend),
            "flow drifts up by 1 unit (0.5 sd) from around row 1040 to row "
            "1120 and stays there");
  trend.effect.last = 180;
  EXPECT_EQ(words(trend),
            "flow drifts up by 1 unit (0.5 sd) from around row 1040 to row "
            "1120 and stays there until row 1180");
  trend = realised(EditKind::kTrend, -1.0, 1, 40, 199);
  trend.effect.settled = 197;
  EXPECT_EQ(words(trend),
            "flow drifts down by 1 unit (0.5 sd) from around row 1040 to row "
            "1197");
  EXPECT_EQ(words(realised(EditKind::kScale, 0, 1.8, 40, 199)),
            "flow swings 1.8 times as widely from around row 1040 on");
  EXPECT_EQ(words(realised(EditKind::kNoise, 0, 2.0, 40, 120)),
            "flow is 2 times as noisy from around row 1040 to row 1120");
  EXPECT_EQ(words(realised(EditKind::kDelay, 0, 7.0, 0, 199)),
            "flow lags by 7 samples throughout");
  EXPECT_EQ(words(realised(EditKind::kDelay, 0, -1.0, 0, 199)),
            "flow leads by 1 sample throughout");
  EXPECT_EQ(words(realised(EditKind::kFrequency, 0, 1.21, 0, 199)),
            "flow runs 1.21 times as fast throughout");
  EXPECT_EQ(words(realised(EditKind::kCoupling, 0, 0.464, 0, 199)),
            "flow follows tank to 46 % throughout");
  EXPECT_EQ(words(realised(EditKind::kOscillation, 0.5, 1, 0, 199)),
            "flow oscillates with a period of 12 samples and an amplitude of "
            "0.5 units (0.25 sd) throughout");
  EXPECT_EQ(words(realised(EditKind::kStuck, 1480.4, 1, 0, 199)),
            "flow is stuck at 1480 throughout");
}

TEST(Sentence, floored_channels_grow_and_mirrored_partners_are_named) {
  RealisedEdit edit = realised(EditKind::kScale, 0, 1.8, 0, 199);
  edit.is_floored = true;
  EXPECT_EQ(words(edit), "flow is 1.8 times its recorded height throughout");
  edit = realised(EditKind::kCoupling, 0, 0.9, 0, 199);
  edit.edit.partner_sign = -1.0;
  EXPECT_EQ(words(edit), "flow follows tank (mirrored) to 90 % throughout");
}

TEST(Sentence, channels_without_names_are_called_channels) {
  const std::vector<std::string> numbers = {"0", "1"};
  EXPECT_EQ(describe_edit(realised(EditKind::kCoupling, 0, 0.5, 0, 199),
                          {&numbers, nullptr, 0, 200}),
            "channel 0 follows channel 1 to 50 % throughout");
}

TEST(Sentence, times_of_the_series_are_used_where_there_are_any) {
  std::vector<std::string> times(1200);
  times[1040] = "10:40";
  times[1120] = "12:00";
  EXPECT_EQ(words(realised(EditKind::kNoise, 0, 2.0, 40, 120), &times),
            "flow is 2 times as noisy from around 10:40 to 12:00");
}

TEST(Sentence, what_moves_the_point_most_comes_first) {
  RealisedEdit small = realised(EditKind::kDelay, 0, 7.0, 0, 199);
  small.share = 0.2;
  RealisedEdit large = realised(EditKind::kNoise, 0, 2.0, 0, 199);
  large.edit.channel = 1;
  large.share = 0.8;
  EXPECT_EQ(describe_edits({small, large}, {&kNames, nullptr, 0, 200}),
            "tank is 2 times as noisy throughout, and at the same time flow "
            "lags by 7 samples throughout");
}

TEST(Sentence, energies_say_on_which_side_they_are) {
  EXPECT_EQ(describe_energy(0.103, 0.133, 0.13),
            "Energy 0.103 -> 0.133, threshold 0.130: just outside.");
  EXPECT_EQ(describe_energy(0.103, 0.233, 0.13),
            "Energy 0.103 -> 0.233, threshold 0.130: outside.");
  EXPECT_EQ(describe_energy(0.103, 0.11, 0.13),
            "Energy 0.103 -> 0.110, threshold 0.130: inside.");
}

TEST(Sentence, rarities_are_told_in_times_or_rows) {
  RealisedEdit edit = realised(EditKind::kLevel, 1.24, 1, 40, 120);
  edit.edit.start = 40.0;
  edit.edit.end = 90.0;
  edit.rarity = EditRarity{40, 50, 1.0, {0.003, false, true, {}}};
  edit.rarity->rarity.period = {59040.0, 24480.0, 230400.0, false};
  WindowGrade grade;
  SentenceWords words{&kNames, nullptr, 1000, 200, 60.0};
  EXPECT_EQ(describe_rarity({edit}, grade, words),
            " Such a shift over 50 minutes occurs about once in 41 days of "
            "this recording (95 %: 17 to 160).");
  words.row_seconds = 0.0;
  EXPECT_EQ(describe_rarity({edit}, grade, words),
            " Such a shift over 50 rows occurs about once in 59,000 rows of "
            "this recording (95 %: 24,000 to 230,000).");
  edit.rarity->rarity.period->is_beyond = true;
  EXPECT_EQ(describe_rarity({edit}, grade, words),
            " Such a shift over 50 rows occurs less than once in 59,000 rows, "
            "five times this recording.");
  edit.rarity->rarity.period.reset();
  EXPECT_EQ(describe_rarity({edit}, grade, words), "");
}

}  // namespace sentence_test
}  // namespace sbog::series
