// SPDX-License-Identifier: Apache-2.0
// The bootstrap: its figures from its parts, more data changes less, threads
// nothing.
#include "sbog/certify/coupled_bootstrap.h"

#include <gtest/gtest.h>

#include <numeric>

#include "certify/support.h"
#include "sample/support.h"
#include "sbog/certify/reference_replica.h"
#include "sbog/certify/replay.h"
#include "sbog/energy/threshold.h"

namespace sbog {
namespace coupled_bootstrap_test {

using testing_support::bits_of;
using testing_support::CancelAtOnce;
using testing_support::small_options;
using testing_support::sphere_bank;
using testing_support::Watch;

BootstrapOptions few(std::size_t replicates, std::size_t rounds) {
  BootstrapOptions options;
  options.replicates = replicates;
  options.rounds = rounds;
  options.seed = 5;
  return options;
}

TEST(CoupledBootstrap, figures_are_those_of_its_replays) {
  const Matrix<double> bank = sphere_bank<double>(100, 4, 3);
  const ClassProblem<double> problem{bank.view(), {}, {}, 0};
  const SamplerOptions options = small_options();
  const BootstrapResult result =
      coupled_bootstrap(problem, options, few(6, 40));
  ASSERT_EQ(result.status, SolveStatus::kDone);
  EXPECT_STREQ(to_string(result.evidence), "bootstrap diagnostic");
  const auto base = prepare_class(problem, options);
  const Replay original = replay_rounds(*base, 40);
  EXPECT_EQ(result.acceptance, original.acceptance());
  std::vector<double> ratios;
  double overlap = 0.0;
  for (std::uint32_t b = 0; b < 6; ++b) {
    const auto weights = draw_weights(100, 5, b);
    const auto replica = replicate_class(*base, weights);
    const Replay again = replay_rounds(*replica, 40);
    double changed = 0.0;
    for (std::size_t i = 0; i < 40; ++i) {
      const RoundOutcome& x = original.rounds[i];
      const RoundOutcome& y = again.rounds[i];
      const bool is_same = x.is_accepted == y.is_accepted &&
                           (!x.is_accepted || (x.anchor_row == y.anchor_row &&
                                               x.proposal == y.proposal));
      changed += is_same ? 0.0 : 1.0;
    }
    EXPECT_EQ(result.changes[b], changed / 40.0);
    ratios.push_back(std::min(1.0, changed / 40.0 / original.acceptance()));
    double common = 0.0;
    for (const std::size_t a : base->anchors.anchors) {
      common += static_cast<double>(std::count(
          replica->anchors.anchors.begin(), replica->anchors.anchors.end(), a));
    }
    EXPECT_EQ(result.overlaps[b], common / 8.0);
    overlap += common / 8.0 / 6.0;
  }
  EXPECT_NEAR(result.mean_overlap, overlap, 1e-14);
  EXPECT_NEAR(result.mean_change,
              std::accumulate(ratios.begin(), ratios.end(), 0.0) / 6.0, 1e-14);
  EXPECT_EQ(result.high_change, quantile(ratios, 0.95));
  EXPECT_GT(result.mean_change, 0.0);
}

TEST(CoupledBootstrap, more_data_change_less) {
  double last = 2.0;
  for (const std::size_t n : {60u, 600u, 6000u}) {
    const Matrix<float> bank = sphere_bank<float>(n, 3, 3);
    SamplerOptions options = small_options();
    options.energy.epsilon = 0.2;
    options.anchor_rule = AnchorRule::kTop;
    options.rule = Rule::kNoTop;  // anchors fixed: only decisions can change
    const BootstrapResult result = coupled_bootstrap<float>(
        {bank.view(), {}, {}, 0}, apply_rule(options), few(5, 100));
    EXPECT_LT(result.mean_change, 0.75 * last) << n;
    EXPECT_EQ(result.mean_overlap, 1.0);
    last = result.mean_change;
  }
}

TEST(CoupledBootstrap, a_local_reference_is_replaced_by_the_whole) {
  const Matrix<double> bank = sphere_bank<double>(60, 12, 3);
  SamplerOptions options = small_options();
  const auto whole =
      coupled_bootstrap<double>({bank.view(), {}, {}, 0}, options, few(3, 20));
  options.local = 4;
  options.proposal_mode = ProposalMode::kSubspace;
  const auto local =
      coupled_bootstrap<double>({bank.view(), {}, {}, 0}, options, few(3, 20));
  EXPECT_EQ(bits_of(local.changes), bits_of(whole.changes));
}

TEST(CoupledBootstrap, threads_change_no_bit) {
  const Matrix<float> bank = sphere_bank<float>(150, 8, 3);
  SamplerOptions options = small_options();
  options.trim = 0.08;
  const auto run = [&](const Context& context) {
    const auto result = coupled_bootstrap<float>({bank.view(), {}, {}, 0},
                                                 options, few(4, 30), context);
    std::vector<double> all = result.changes;
    all.insert(all.end(), result.overlaps.begin(), result.overlaps.end());
    all.push_back(result.mean_change);
    all.push_back(result.high_change);
    return bits_of(all);
  };
  const auto expected = run({});
  for (const std::size_t threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    EXPECT_EQ(run({&pool, nullptr}), expected);
  }
}

TEST(CoupledBootstrap, without_outputs_it_is_infeasible) {
  const Matrix<double> bank = sphere_bank<double>(60, 4, 3);
  SamplerOptions options = small_options();
  options.margin = 5.0;
  const auto result =
      coupled_bootstrap<double>({bank.view(), {}, {}, 0}, options, few(3, 20));
  EXPECT_EQ(result.status, SolveStatus::kInfeasible);
  EXPECT_EQ(result.acceptance, 0.0);
  EXPECT_EQ(result.mean_change, 0.0);
}

TEST(CoupledBootstrap, progress_is_told_and_a_cancel_heard) {
  const Matrix<double> bank = sphere_bank<double>(60, 4, 3);
  Watch watch;
  const auto result = coupled_bootstrap<double>(
      {bank.view(), {}, {}, 0}, small_options(), few(3, 20), {nullptr, &watch});
  EXPECT_EQ(result.status, SolveStatus::kDone);
  EXPECT_TRUE(watch.is_in_range);
  EXPECT_EQ(watch.last_done, watch.last_total);
  CancelAtOnce cancel;
  EXPECT_EQ(coupled_bootstrap<double>({bank.view(), {}, {}, 0}, small_options(),
                                      few(3, 20), {nullptr, &cancel})
                .status,
            SolveStatus::kCancelled);
}

TEST(CoupledBootstrap, bad_options_are_refused) {
  const Matrix<double> bank = sphere_bank<double>(60, 4, 3);
  const ClassProblem<double> problem{bank.view(), {}, {}, 0};
  EXPECT_THROW(
      static_cast<void>(coupled_bootstrap(problem, small_options(), few(0, 9))),
      InvalidArgument);
  EXPECT_THROW(
      static_cast<void>(coupled_bootstrap(problem, small_options(), few(9, 0))),
      InvalidArgument);
}

}  // namespace coupled_bootstrap_test
}  // namespace sbog
