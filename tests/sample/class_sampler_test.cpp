// SPDX-License-Identifier: Apache-2.0
// Algorithm 1 against the golden run and against its plainest loop, and its
// determinism.
#include "sbog/sample/class_sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "oracle/golden.h"
#include "sample/support.h"
#include "sbog/base/errors.h"

namespace sbog {
namespace class_sampler_test {

using testing_support::expect_same_outputs;
using testing_support::expect_same_tallies;
using testing_support::Finished;
using testing_support::plain_cosine;
using testing_support::plain_energy;
using testing_support::plain_neighbours;
using testing_support::run_class;
using testing_support::small_options;
using testing_support::sphere_bank;
using testing_support::unit;

// One output by the text of Algorithm 1, for a whole reference.
Output<double> plain_output(const PreparedClass<double>& prepared,
                            std::uint64_t k) {
  const SamplerOptions& options = prepared.options;
  const MatrixView<const double> bank = prepared.problem.points;
  const std::vector<std::size_t> rows = oracle::iota(bank.rows());
  const std::size_t dim = bank.cols();
  Output<double> output;
  for (std::uint32_t r = 0; r < options.max_rounds; ++r) {
    const PhiloxStream stream(options.seed, prepared.problem.cls, r, k);
    const std::size_t a = stream.anchor_index(prepared.anchors.anchors.size());
    const auto z = bank.row(prepared.anchors.anchors[a]);
    std::vector<std::vector<double>> points;
    std::vector<double> energies;
    std::vector<std::size_t> feasible;
    for (std::uint32_t j = 0; j < options.proposal_count; ++j) {
      std::vector<double> v(dim);
      stream.normals(j, std::span<double>(v));
      for (std::size_t i = 0; i < dim; ++i) v[i] = z[i] + options.sigma * v[i];
      v = unit(v);
      const double energy =
          plain_energy<double>(bank, rows, v, options.energy.epsilon,
                               static_cast<double>(rows.size()));
      points.push_back(v);
      energies.push_back(energy);
      const bool passes = energy >= prepared.limits.threshold &&
                          plain_cosine(v, prepared.problem.class_anchor) >=
                              prepared.limits.semantic_floor &&
                          plain_cosine(v, z) >= prepared.limits.seed_floor;
      if (passes) feasible.push_back(j);
    }
    output.rounds = r + 1;
    if (feasible.empty()) continue;
    std::size_t pick = feasible[0];
    if (options.pick == PickRule::kUniform) {
      pick = feasible[static_cast<std::size_t>(
          stream.pick_uniform() * static_cast<double>(feasible.size()))];
    } else {
      for (const std::size_t j : feasible) {
        if (energies[j] > energies[pick]) pick = j;
      }
    }
    output.is_accepted = true;
    output.round = r;
    output.anchor_row = prepared.anchors.anchors[a];
    output.proposal = pick;
    output.feasible = feasible.size();
    output.energy = energies[pick];
    output.point = points[pick];
    return output;
  }
  return output;
}

TEST(ClassSampler, reproduces_the_golden_run) {
  const nlohmann::json run = golden::entry("/algorithm1_end_to_end");
  Matrix<double> bank = golden::to_matrix(run["bank_raw"]);
  for (std::size_t i = 0; i < bank.rows(); ++i) {
    double norm2 = 0.0;
    for (const double x : bank.row(i)) norm2 += x * x;
    for (double& x : bank.row(i)) x /= std::sqrt(norm2);
  }
  SamplerOptions options = profile_options("paper-series");
  options.energy.epsilon = 0.05;
  options.sigma = 0.1;
  options.proposal_count = 4;
  options.anchor_count = 8;
  options.quantile = 0.7;
  options.margin = 0.0;
  options.trim = 0.0;
  options.seed = 42;
  options.count = 5;
  options.max_rounds = 3;
  const ClassProblem<double> problem{bank, {}, {}, 0};
  const auto prepared = prepare_class(problem, options);
  EXPECT_NEAR(prepared->plan.threshold, golden::to_double(run["tau"]), 1e-13);
  const auto anchors = run["anchors"].get<std::vector<std::size_t>>();
  EXPECT_EQ(prepared->anchors.anchors, anchors);
  const auto [status, outputs, tallies] = sample_class(*prepared, 0, 5);
  ASSERT_EQ(status, SolveStatus::kDone);
  for (std::size_t k = 0; k < 5; ++k) {
    const auto& expected = run["outputs"][k];
    const Output<double>& got = outputs[k];
    EXPECT_EQ(got.k, k);
    ASSERT_EQ(got.is_accepted, expected["status"] == "ok") << k;
    if (!got.is_accepted) {
      EXPECT_EQ(got.rounds, expected["rounds"]);
      continue;
    }
    EXPECT_EQ(got.round, expected["round"]) << k;
    EXPECT_EQ(got.anchor_row, expected["anchor"]) << k;
    EXPECT_EQ(got.proposal, expected["j"]) << k;
    EXPECT_EQ(got.feasible, expected["feasible"]) << k;
    EXPECT_NEAR(got.energy, golden::to_double(expected["E"]), 1e-12);
    EXPECT_NEAR(got.margin, golden::to_double(expected["gap"]), 1e-12);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(got.point[i], golden::to_double(expected["v"][i]), 1e-12);
    }
  }
}

TEST(ClassSampler, equals_the_plainest_loop_for_every_ablation) {
  const Matrix<double> bank = sphere_bank<double>(60, 4, 3);
  const std::vector<double> t = unit({1.0, 0.2, 0.0, 0.0});
  std::size_t empty = 0;
  for (const Rule rule : {Rule::kSbog, Rule::kRandom, Rule::kNoTop,
                          Rule::kNoThreshold, Rule::kNoArgmax}) {
    SamplerOptions options = small_options();
    options.rule = rule;
    options.seed_floor = 0.98;
    options.proposal_count = 6;
    options.max_rounds = 2;
    options = apply_rule(options);
    const auto prepared =
        prepare_class<double>({bank.view(), t, {}, 5}, options);
    const Finished<double> run = run_class(*prepared, 60);
    for (std::size_t k = 0; k < 60; ++k) {
      SCOPED_TRACE(std::string(to_string(rule)) + " " + std::to_string(k));
      const Output<double> expected = plain_output(*prepared, k);
      const Output<double>& got = run.outputs[k];
      ASSERT_EQ(got.is_accepted, expected.is_accepted);
      EXPECT_EQ(got.rounds, expected.rounds);
      empty += got.is_accepted ? 0 : 1;
      if (!got.is_accepted) continue;
      EXPECT_EQ(got.round, expected.round);
      EXPECT_EQ(got.anchor_row, expected.anchor_row);
      EXPECT_EQ(got.proposal, expected.proposal);
      EXPECT_EQ(got.feasible, expected.feasible);
      EXPECT_NEAR(got.energy, expected.energy, 1e-12);
      for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_NEAR(got.point[i], expected.point[i], 1e-14);
      }
    }
  }
  EXPECT_GT(empty, 0u);  // so that empty outputs were compared as well
}

TEST(ClassSampler, kde_with_the_matched_bandwidth_is_sbog_to_the_bit) {
  const Matrix<float> bank = sphere_bank<float>(150, 5, 3);
  for (const bool includes_self : {false, true}) {
    SamplerOptions options = small_options();
    options.trim = 0.08;
    options.margin = 0.01;
    options.includes_self = includes_self;
    const auto sbog = prepare_class<float>({bank.view(), {}, {}, 2}, options);
    options.rule = Rule::kKdeMatched;
    const auto kde = prepare_class<float>({bank.view(), {}, {}, 2}, options);
    EXPECT_EQ(sbog->anchors.anchors, kde->anchors.anchors);
    EXPECT_EQ(sbog->plan.threshold, kde->plan.threshold);
    const Finished<float> a = run_class(*sbog, 40);
    const Finished<float> b = run_class(*kde, 40);
    EXPECT_GT(a.accepted(), 20u);
    expect_same_outputs(a.outputs, b.outputs);
    expect_same_tallies(a.tallies, b.tallies);
  }
}

// Every way of drawing and picking.
std::vector<SamplerOptions> all_modes() {
  std::vector<SamplerOptions> modes(8, small_options());
  modes[1].local = 10;
  modes[1].proposal_mode = ProposalMode::kSubspace;
  modes[2].local = 10;
  modes[2].local_convention = LocalConvention::kNormalised;
  modes[2].proposal_mode = ProposalMode::kAmbient;
  modes[3].pick = PickRule::kLangevin;
  modes[4].splitting = true;
  modes[4].margin = 0.03;  // some by rounds, most by splitting
  modes[4].max_rounds = 1;
  modes[5].rule = Rule::kKnn;
  modes[6].anchor_rule = AnchorRule::kRegions;
  modes[6].regions = 3;
  modes[6].pick = PickRule::kUniform;
  modes[7].anchor_quota = true;
  modes[7].pick = PickRule::kLevel;
  return modes;
}

template <typename T>
void expect_same_bits_for_any_split() {
  const Matrix<T> bank = sphere_bank<T>(120, 24, 3);
  const std::vector<double> t = unit([] {
    std::vector<double> x(24, 0.02);
    x[0] = 1.0;
    return x;
  }());
  std::size_t mode = 0;
  for (const SamplerOptions& options : all_modes()) {
    SCOPED_TRACE("mode " + std::to_string(mode++));
    const auto prepared = prepare_class<T>({bank.view(), t, {}, 4}, options);
    const Finished<T> one = run_class(*prepared, 30);
    EXPECT_GT(one.accepted(), 0u);
    for (const std::size_t threads : {2u, 7u}) {
      ThreadPool pool(threads);
      const auto again =
          prepare_class<T>({bank.view(), t, {}, 4}, options, {&pool, nullptr});
      const Finished<T> run = run_class(*again, 30, {&pool, nullptr});
      expect_same_outputs(one.outputs, run.outputs);
      expect_same_tallies(one.tallies, run.tallies);
    }
    for (const std::size_t step : {1u, 7u, 13u}) {
      const Finished<T> run = run_class(*prepared, 30, {}, step);
      expect_same_outputs(one.outputs, run.outputs);
      expect_same_tallies(one.tallies, run.tallies);
    }
  }
}

TEST(ClassSampler, threads_and_splits_change_no_bit) {
  expect_same_bits_for_any_split<float>();
  expect_same_bits_for_any_split<double>();
}

// Recomputed from the bank and the point alone.
template <typename T>
void expect_constraints_hold(SamplerOptions options, double tolerance) {
  const Matrix<T> bank = sphere_bank<T>(150, 24, 6);
  std::vector<double> t(24, 0.02);
  t[0] = 1.0;
  t = unit(t);
  options.seed_floor = 0.9;
  options.quantile = 0.9;
  const auto prepared = prepare_class<T>({bank.view(), t, {}, 1}, options);
  const Finished<T> run = run_class(*prepared, 40);
  EXPECT_GT(run.accepted(), 10u);
  for (const Output<T>& output : run.outputs) {
    if (!output.is_accepted) continue;
    const std::size_t row = output.anchor_row;
    const std::vector<std::size_t> atoms =
        options.local > 0 ? plain_neighbours<T>(bank.view(), row, options.local)
                          : oracle::iota(150);
    const double mass =
        options.local == 0 ? 150.0
        : options.local_convention == LocalConvention::kNormalised
            ? static_cast<double>(options.local)
            : 149.0;
    const double energy =
        plain_energy<T>(bank.view(), atoms, output.point, 0.05, mass);
    EXPECT_NEAR(output.energy, energy, 1e-9);
    EXPECT_GE(energy, prepared->plan.threshold - 1e-12);
    EXPECT_NEAR(output.margin, energy - prepared->plan.threshold, 1e-9);
    EXPECT_NEAR(output.class_cosine, plain_cosine(output.point, t), 1e-12);
    EXPECT_GE(output.class_cosine, prepared->plan.semantic_floor);
    EXPECT_NEAR(output.anchor_cosine, plain_cosine(output.point, bank.row(row)),
                1e-12);
    EXPECT_GE(output.anchor_cosine, 0.9);
    double norm2 = 0.0;
    for (const T x : output.point) norm2 += static_cast<double>(x) * x;
    EXPECT_NEAR(norm2, 1.0, tolerance);
  }
}

TEST(ClassSampler, accepted_outputs_satisfy_every_constraint_from_outside) {
  SamplerOptions options = small_options();
  options.sigma = 0.04;
  expect_constraints_hold<double>(options, 1e-14);
  expect_constraints_hold<float>(options, 1e-6);
  options.local = 12;
  for (const ProposalMode mode :
       {ProposalMode::kAmbient, ProposalMode::kSubspace}) {
    options.proposal_mode = mode;
    for (const LocalConvention convention :
         {LocalConvention::kSubmeasure, LocalConvention::kNormalised}) {
      options.local_convention = convention;
      expect_constraints_hold<double>(options, 1e-14);
      expect_constraints_hold<float>(options, 1e-6);
    }
  }
}

TEST(ClassSampler, a_quota_takes_the_anchors_in_turn) {
  const Matrix<double> bank = sphere_bank<double>(100, 4, 3);
  SamplerOptions options = small_options();
  options.anchor_quota = true;
  const auto prepared =
      prepare_class<double>({bank.view(), {}, {}, 0}, options);
  const Finished<double> run = run_class(*prepared, 24);
  EXPECT_GT(run.accepted(), 8u);
  for (const Output<double>& output : run.outputs) {
    if (output.is_accepted) {
      EXPECT_EQ(output.anchor, output.k % 8);
    }
  }
}

TEST(ClassSampler, level_picks_are_spread_over_the_band) {
  const Matrix<double> bank = sphere_bank<double>(100, 4, 3);
  SamplerOptions options = small_options();
  const auto mean_margin = [&](PickRule pick) {
    options.pick = pick;
    const auto prepared =
        prepare_class<double>({bank.view(), {}, {}, 0}, options);
    double total = 0.0;
    const Finished<double> run = run_class(*prepared, 100);
    for (const auto& output : run.outputs) total += output.margin;
    return total / static_cast<double>(run.accepted());
  };
  EXPECT_LT(mean_margin(PickRule::kLevel), mean_margin(PickRule::kArgmax));
}

TEST(ClassSampler, tallies_count_every_round_and_proposal) {
  const Matrix<double> bank = sphere_bank<double>(100, 4, 3);
  const auto prepared =
      prepare_class<double>({bank.view(), {}, {}, 0}, small_options());
  const Finished<double> run = run_class(*prepared, 50);
  std::uint64_t draws = 0;
  std::uint64_t successes = 0;
  std::uint64_t rounds = 0;
  for (const AnchorTally& tally : run.tallies) {
    draws += tally.draws;
    successes += tally.successes;
    EXPECT_EQ(tally.failures.proposals, 32 * tally.draws);
  }
  for (const auto& output : run.outputs) rounds += output.rounds;
  EXPECT_EQ(draws, rounds);
  EXPECT_EQ(successes, run.accepted());
}

TEST(ClassSampler, a_cancelled_call_gives_nothing) {
  const Matrix<double> bank = sphere_bank<double>(50, 4, 3);
  const auto prepared =
      prepare_class<double>({bank.view(), {}, {}, 0}, small_options());
  testing_support::CancelAtOnce cancel;
  const SampledRange<double> range =
      sample_class(*prepared, 3, 40, {nullptr, &cancel});
  EXPECT_EQ(range.status, SolveStatus::kCancelled);
  EXPECT_TRUE(range.outputs.empty());
  EXPECT_TRUE(range.tallies.empty());
}

TEST(ClassSampler, an_output_of_one_anchor_is_that_of_its_rounds) {
  const Matrix<double> bank = sphere_bank<double>(60, 4, 3);
  SamplerOptions options = small_options();
  options.anchor_count = 1;  // then sample_class has no choice of anchor either
  options.max_rounds = 64;
  const auto prepared =
      prepare_class<double>({bank.view(), {}, {}, 2}, options);
  const SampledRange<double> range = sample_class(*prepared, 0, 10);
  for (std::uint32_t k = 0; k < 10; ++k) {
    const Output<double> first = sample_at_anchor(*prepared, {0, k});
    ASSERT_EQ(first.is_accepted, range.outputs[k].is_accepted);
    EXPECT_EQ(first.point, range.outputs[k].point);
    EXPECT_EQ(first.energy, range.outputs[k].energy);
    EXPECT_EQ(first.round, range.outputs[k].round);
    const Output<double> second = sample_at_anchor(*prepared, {0, k, 1});
    ASSERT_TRUE(second.is_accepted);
    EXPECT_NE(second.point, first.point);
    EXPECT_GE(second.margin, 0.0);
  }
}

TEST(ClassSampler, tangent_outputs_pass_the_threshold_and_their_own_ceiling) {
  const Matrix<double> bank = sphere_bank<double>(60, 4, 3);
  const auto prepared =
      prepare_class<double>({bank.view(), {}, {}, 0}, small_options());
  TangentLaw law;
  law.directions = Matrix<double>(1, 4);
  law.directions(0, 2) = 1.0;
  law.weights = {1.0};
  law.ceiling = 0.02;
  std::size_t found = 0;
  for (std::size_t a = 0; a < prepared->anchors.anchors.size(); ++a) {
    const Output<double> output = sample_at_anchor(*prepared, {a, 5, 0, &law});
    if (!output.is_accepted) continue;
    ++found;
    EXPECT_GE(output.margin, 0.0);
    EXPECT_LE(output.margin, 0.02 + 1e-9);
    const auto anchor = prepared->mapped_anchors.row(a);
    const double scale = output.point[0] / anchor[0];
    EXPECT_NEAR(output.point[1], scale * anchor[1], 1e-12);
    EXPECT_NEAR(output.point[3], scale * anchor[3], 1e-12);
  }
  EXPECT_GE(found, 2u);
}

TEST(ClassSampler, mistakes_in_a_draw_at_an_anchor_are_named) {
  const Matrix<double> bank = sphere_bank<double>(60, 4, 3);
  const auto prepared =
      prepare_class<double>({bank.view(), {}, {}, 0}, small_options());
  EXPECT_THROW((void)sample_at_anchor(*prepared, {0, 0, 16}), InvalidArgument);
  EXPECT_THROW((void)sample_at_anchor(*prepared, {0, 0, 0, nullptr, 4095}),
               InvalidArgument);
}

TEST(ClassSampler, task_losses_change_the_pick_but_not_the_tests) {
  const Matrix<double> bank = sphere_bank<double>(80, 4, 3);
  std::vector<double> losses(80);
  for (std::size_t i = 0; i < 80; ++i) losses[i] = bank(i, 1) > 0 ? 1.0 : 0.0;
  SamplerOptions options = small_options();
  const auto plain = prepare_class<double>({bank.view(), {}, {}, 0}, options);
  options.task_beta = 50.0;
  const auto aware =
      prepare_class<double>({bank.view(), {}, losses, 0}, options);
  const Finished<double> a = run_class(*plain, 30);
  const Finished<double> b = run_class(*aware, 30);
  std::size_t changed = 0;
  for (std::size_t k = 0; k < 30; ++k) {
    ASSERT_EQ(a.outputs[k].is_accepted, b.outputs[k].is_accepted);
    if (!a.outputs[k].is_accepted) continue;
    EXPECT_EQ(a.outputs[k].feasible, b.outputs[k].feasible);
    EXPECT_GE(b.outputs[k].margin, 0.0);
    changed += a.outputs[k].proposal != b.outputs[k].proposal ? 1 : 0;
  }
  EXPECT_GT(changed, 0u);
}

}  // namespace class_sampler_test
}  // namespace sbog
