// SPDX-License-Identifier: Apache-2.0
// Probes against the round they stand for, and their independence of threads.
#include "sbog/sample/probe.h"

#include <gtest/gtest.h>

#include <vector>

#include "sample/support.h"
#include "sbog/base/thread_pool.h"
#include "sbog/sample/round.h"

namespace sbog {
namespace probe_test {

using testing_support::small_options;
using testing_support::sphere_bank;
using testing_support::unit;

TEST(Probe, counts_and_margins_are_those_of_one_round_per_anchor) {
  const Matrix<double> bank = sphere_bank<double>(80, 4, 3);
  const std::vector<double> t = unit({1.0, 0.0, 0.1, 0.0});
  SamplerOptions options = small_options();
  options.semantic_quantile = 0.3;
  const auto prepared = prepare_class<double>({bank.view(), t, {}, 1}, options);
  const std::vector<std::size_t> anchors = {2, 0, 7};
  const Probe probe = probe_anchors<double>(*prepared, anchors, 40, 10);
  ASSERT_EQ(probe.feasible.size(), 3u);
  std::vector<double> margins;
  std::size_t rejected = 0;
  for (std::size_t i = 0; i < anchors.size(); ++i) {
    std::vector<Turn> turns(1);
    turns[0].anchor = anchors[i];
    turns[0].key = {options.seed, 1, kProbeRound,
                    static_cast<std::uint32_t>(anchors[i])};
    Matrix<double> points;
    play_turns(*prepared, 40, turns, points);
    std::size_t feasible = 0;
    for (std::size_t j = 0; j < 40; ++j) {
      const bool is_semantic =
          turns[0].class_cosines[j] >= prepared->plan.semantic_floor;
      const double margin = turns[0].scores[j] - prepared->plan.threshold;
      if (is_semantic) margins.push_back(margin);
      feasible += is_semantic && margin >= 0.0 ? 1 : 0;
      rejected += is_semantic ? 0 : 1;
      if (j < 10) {
        EXPECT_EQ(probe.scores[i * 10 + j], turns[0].scores[j]);
        EXPECT_EQ(probe.class_cosines[i * 10 + j], turns[0].class_cosines[j]);
      }
    }
    EXPECT_EQ(probe.feasible[i], feasible);
  }
  EXPECT_EQ(probe.margins, margins);
  EXPECT_GT(rejected, 0u);
  EXPECT_EQ(probe.scores.size(), 30u);
}

TEST(Probe, threads_change_no_bit) {
  const Matrix<float> bank = sphere_bank<float>(80, 4, 3);
  const auto prepared =
      prepare_class<float>({bank.view(), {}, {}, 0}, small_options());
  const std::vector<std::size_t> anchors = {0, 1, 2, 3, 4, 5, 6, 7};
  const Probe one = probe_anchors<float>(*prepared, anchors, 40, 10);
  ThreadPool pool(5);
  const Probe many =
      probe_anchors<float>(*prepared, anchors, 40, 10, {&pool, nullptr});
  EXPECT_EQ(one.feasible, many.feasible);
  EXPECT_EQ(one.margins, many.margins);
  EXPECT_EQ(one.scores, many.scores);
  EXPECT_TRUE(one.class_cosines.empty());
}

class Stop : public Observer {
 public:
  bool on_progress(std::uint64_t, std::uint64_t) override { return false; }
};

TEST(Probe, can_be_cancelled) {
  const Matrix<double> bank = sphere_bank<double>(80, 4, 3);
  const auto prepared =
      prepare_class<double>({bank.view(), {}, {}, 0}, small_options());
  Stop stop;
  const std::vector<std::size_t> anchors = {0, 1, 2};
  EXPECT_EQ(probe_anchors<double>(*prepared, anchors, 40, 10, {nullptr, &stop})
                .status,
            SolveStatus::kCancelled);
}

}  // namespace probe_test
}  // namespace sbog
