// SPDX-License-Identifier: Apache-2.0
// The sampler over classes: rivals, reports, edge cases and mistakes.
#include "sbog/sample/sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sample/support.h"

namespace sbog {
namespace sampler_test {

using testing_support::Classes;
using testing_support::expect_same_outputs;
using testing_support::invalid_argument_of;
using testing_support::plain_cosine;
using testing_support::plain_energy;
using testing_support::small_options;
using testing_support::sphere_bank;

template <typename T>
struct Sampled {
  std::vector<Output<T>> outputs;
  ClassReport report;
};

template <typename T>
Sampled<T> sample_of(const ClassRun<T>& run, std::size_t count) {
  Sampled<T> sampled;
  SampledRange<T> range = run.sample(0, count);
  EXPECT_EQ(range.status, SolveStatus::kDone);
  sampled.outputs = std::move(range.outputs);
  EXPECT_EQ(sampled.outputs.size(), count);
  std::size_t produced = 0;
  for (const auto& output : sampled.outputs) {
    produced += output.is_accepted ? 1 : 0;
  }
  sampled.report = run.report(count, {produced}, {}, range.tallies);
  return sampled;
}

TEST(Sampler, classes_come_in_increasing_order_with_rows_of_the_bank) {
  const Classes<float> data;
  const Sampler<float> sampler(data.problem(), small_options());
  EXPECT_EQ(sampler.labels(), (std::vector<std::int64_t>{-5, 7, 10}));
  for (std::size_t c = 0; c < 3; ++c) {
    const ClassRun<float> run = sampler.prepare(c);
    EXPECT_EQ(run.label(), sampler.labels()[c]);
    EXPECT_EQ(run.plan().point_count, 50u);
    const auto sampled = sample_of(run, 20);
    EXPECT_GT(sampled.report.produced, 5u);
    for (const auto& output : sampled.outputs) {
      if (!output.is_accepted) continue;
      EXPECT_EQ(data.labels[output.anchor_row], run.label());
      EXPECT_NEAR(output.anchor_cosine,
                  plain_cosine(output.point, data.bank.row(output.anchor_row)),
                  1e-6);
      EXPECT_NEAR(output.class_cosine,
                  plain_cosine(output.point, data.means.row(c)), 1e-6);
    }
    for (const std::size_t row : sampled.report.anchor_rows) {
      EXPECT_EQ(data.labels[row], run.label());
    }
  }
}

TEST(Sampler, scores_of_a_class_are_its_leave_one_out_energies) {
  const Classes<double> data;
  SamplerOptions options = small_options();
  options.trim = 0.0;
  options.local = 0;
  const Sampler<double> sampler(data.problem(), options);
  const ClassRun<double> run = sampler.prepare(1);
  ASSERT_EQ(run.rows().size(), 50u);
  ASSERT_EQ(run.scores().size(), 50u);
  for (std::size_t i = 0; i < 50; ++i) {
    ASSERT_EQ(data.labels[run.rows()[i]], 7);
    double sum = 0.0;
    for (const std::size_t other : run.rows()) {
      if (other == run.rows()[i]) continue;
      const double cosine =
          plain_cosine(data.bank.row(run.rows()[i]), data.bank.row(other));
      sum += std::exp(-(1.0 - cosine) / options.energy.epsilon) / 49.0;
    }
    EXPECT_NEAR(run.scores()[i], -options.energy.epsilon * std::log(sum), 1e-9);
  }
}

TEST(Sampler, a_class_is_the_same_with_and_without_the_others) {
  const Classes<double> data;
  const Sampler<double> all(data.problem(), small_options());
  Matrix<double> own(50, 5);
  std::size_t next = 0;
  for (std::size_t i = 0; i < 150; ++i) {
    if (data.labels[i] != -5) continue;
    std::copy_n(data.bank.row(i).data(), 5, own.row(next++).data());
  }
  Matrix<double> mean(1, 5);
  std::copy_n(data.means.row(0).data(), 5, mean.row(0).data());
  const Sampler<double> alone({own.view(), {}, mean.view(), {}},
                              small_options());
  auto a = sample_of(all.prepare(0), 20).outputs;
  const auto b = sample_of(alone.prepare(0), 20).outputs;
  for (auto& output : a) {
    if (output.is_accepted) output.anchor_row /= 3;  // rows 1, 4, 7, ...
  }
  expect_same_outputs(a, b);
}

TEST(Sampler, class_means_are_renormalised_means_of_unit_rows) {
  Matrix<double> bank(3, 2);
  bank(0, 0) = 5.0;
  bank(1, 1) = 0.1;
  bank(2, 1) = -3.0;
  const std::vector<std::int64_t> labels = {4, 4, 2};
  const Matrix<double> means =
      class_means<double>(std::as_const(bank).view(), labels);
  EXPECT_NEAR(means(0, 1), -1.0, 1e-15);
  EXPECT_NEAR(means(1, 0), std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(means(1, 1), std::sqrt(0.5), 1e-15);
}

TEST(Sampler, random_accepts_its_one_proposal_from_any_row) {
  const Classes<float> data;
  SamplerOptions options = small_options();
  options.rule = Rule::kRandom;
  options.margin = 10.0;
  options.semantic_floor = 1.0;
  options.seed_floor = 1.0;
  const Sampler<float> sampler(data.problem(), options);
  const auto sampled = sample_of(sampler.prepare(0), 300);
  EXPECT_EQ(sampled.report.produced, 300u);
  EXPECT_EQ(sampled.report.status, SolveStatus::kDone);
  std::set<std::size_t> rows;
  for (const auto& output : sampled.outputs) {
    EXPECT_EQ(output.rounds, 1u);
    EXPECT_EQ(output.proposal, 0u);
    EXPECT_LT(output.margin, 0.0);
    rows.insert(output.anchor_row);
  }
  EXPECT_GT(rows.size(), 40u);
}

TEST(Sampler, no_top_starts_from_every_row) {
  const Classes<float> data;
  SamplerOptions options = small_options();
  options.rule = Rule::kNoTop;
  const Sampler<float> sampler(data.problem(), options);
  const ClassRun<float> run = sampler.prepare(1);
  EXPECT_EQ(run.anchor_count(), 50u);
  const auto report = sample_of(run, 200).report;
  std::size_t drawn = 0;
  for (const AnchorTally& tally : report.tallies) {
    drawn += tally.draws > 0 ? 1 : 0;
  }
  EXPECT_EQ(drawn, 50u);
}

TEST(Sampler, no_threshold_accepts_below_the_threshold) {
  const Classes<float> data;
  SamplerOptions options = small_options();
  options.rule = Rule::kNoThreshold;
  options.margin = 10.0;
  const Sampler<float> sampler(data.problem(), options);
  const auto sampled = sample_of(sampler.prepare(0), 20);
  EXPECT_EQ(sampled.report.produced, 20u);
  for (const auto& output : sampled.outputs) EXPECT_LT(output.margin, 0.0);
}

TEST(Sampler, vos_gives_far_points_whatever_the_threshold) {
  const Classes<double> data;
  SamplerOptions options = small_options();
  options.rule = Rule::kVos;
  options.vos_draws = 500;
  options.margin = 10.0;  // which no rule with an energy test would meet
  const Sampler<double> sampler(data.problem(), options);
  std::vector<std::uint32_t> classes;
  for (const auto label : data.labels) {
    classes.push_back(label == -5 ? 0u : label == 7 ? 1u : 2u);
  }
  const TiedGaussian gaussian(data.bank.view(), classes, 3, true);
  const auto sampled = sample_of(sampler.prepare(1), 30);
  EXPECT_EQ(sampled.report.produced, 30u);
  EXPECT_EQ(sampled.report.status, SolveStatus::kDone);
  for (std::uint32_t k = 0; k < 30; ++k) {
    const auto& output = sampled.outputs[k];
    EXPECT_EQ(output.origin, OutputOrigin::kRival);
    const auto expected =
        testing_support::unit(gaussian.draw(options.seed, 1, k, 500));
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_NEAR(output.point[i], expected[i], 1e-12);
    }
    std::vector<std::size_t> own;
    for (std::size_t i = 0; i < 150; ++i) {
      if (data.labels[i] == 7) own.push_back(i);
    }
    EXPECT_NEAR(
        output.energy,
        plain_energy<double>(data.bank.view(), own, output.point, 0.05, 50.0),
        1e-11);
  }
}

TEST(Sampler, bood_outputs_lie_past_the_boundary) {
  const Classes<double> data;
  SamplerOptions options = small_options();
  options.rule = Rule::kBood;
  options.sigma = 0.01;
  options.bood_share = 0.2;
  options.margin = 10.0;
  const Sampler<double> sampler(data.problem(), options);
  for (std::size_t c = 0; c < 3; ++c) {
    const auto sampled = sample_of(sampler.prepare(c), 30);
    EXPECT_EQ(sampled.report.produced, 30u);
    for (const auto& output : sampled.outputs) {
      EXPECT_EQ(data.labels[output.anchor_row], sampler.labels()[c]);
      double others = -1.0;
      for (std::size_t other = 0; other < 3; ++other) {
        if (other != c) {
          others = std::max(others,
                            plain_cosine(output.point, data.means.row(other)));
        }
      }
      EXPECT_LT(plain_cosine(output.point, data.means.row(c)), others);
    }
  }
}

TEST(Sampler, bood_without_a_boundary_in_reach_says_so) {
  const Classes<double> data;
  SamplerOptions options = small_options();
  options.rule = Rule::kBood;
  options.bood_max_steps = 1;
  options.bood_step = 1e-6;
  options.bood_share = 1.0;
  // Points on their class mean are as far from a boundary as can be.
  Matrix<double> bank(3, 5);
  for (std::size_t c = 0; c < 3; ++c) {
    std::copy_n(data.means.row(c).data(), 5, bank.row(c).data());
  }
  const std::vector<std::int64_t> labels = {0, 1, 2};
  options.sigma = 1e-6;
  const Sampler<double> sampler({bank.view(), labels, data.means.view(), {}},
                                options);
  const auto report = sample_of(sampler.prepare(0), 5).report;
  EXPECT_EQ(report.status, SolveStatus::kInfeasible);
  EXPECT_EQ(report.binding, Constraint::kBoundary);
}

TEST(Sampler, an_unreachable_threshold_ends_without_a_proposal) {
  const Classes<float> data;
  SamplerOptions options = small_options();
  options.margin = 5.0;
  const Sampler<float> sampler(data.problem(), options);
  const auto sampled = sample_of(sampler.prepare(0), 100000);
  EXPECT_EQ(sampled.report.status, SolveStatus::kInfeasible);
  EXPECT_EQ(sampled.report.binding, Constraint::kEnergy);
  for (const AnchorTally& tally : sampled.report.tallies) {
    EXPECT_EQ(tally.draws, 0u);
  }
  EXPECT_EQ(sampled.outputs[77].k, 77u);
  EXPECT_FALSE(sampled.outputs[77].is_accepted);
}

TEST(Sampler, an_unreachable_floor_ends_without_a_proposal) {
  const Classes<float> data;
  SamplerOptions options = small_options();
  options.sigma = 0.005;
  options.semantic_floor = 1.0;
  const Sampler<float> sampler(data.problem(), options);
  const auto sampled = sample_of(sampler.prepare(0), 100000);
  EXPECT_EQ(sampled.report.status, SolveStatus::kInfeasible);
  EXPECT_EQ(sampled.report.binding, Constraint::kSemantic);
  EXPECT_EQ(sampled.report.tallies[0].draws, 0u);
}

TEST(Sampler, the_binding_test_is_named_after_sampling) {
  const Classes<float> data;
  SamplerOptions options = small_options();
  options.seed_floor = 0.99999;
  const Sampler<float> sampler(data.problem(), options);
  const auto report = sample_of(sampler.prepare(0), 20).report;
  EXPECT_EQ(report.status, SolveStatus::kInfeasible);
  EXPECT_EQ(report.binding, Constraint::kSeed);
  EXPECT_EQ(report.fill_anchors, 0.0);
}

TEST(Sampler, a_partial_result_is_kept) {
  const Classes<float> data;
  SamplerOptions options = small_options();
  options.proposal_count = 2;
  options.max_rounds = 1;
  const Sampler<float> sampler(data.problem(), options);
  const auto report = sample_of(sampler.prepare(0), 60).report;
  EXPECT_EQ(report.status, SolveStatus::kPartial);
  EXPECT_GT(report.produced, 0u);
  EXPECT_LT(report.produced, 60u);
  EXPECT_NE(report.binding, Constraint::kNone);
  EXPECT_GT(report.fill_anchors, 0.0);
  EXPECT_LE(report.fill_anchors, 1.0);
}

TEST(Sampler, count_0_is_done) {
  const Classes<float> data;
  for (const double margin : {0.0, 5.0}) {
    SamplerOptions options = small_options();
    options.count = 0;
    options.margin = margin;
    const Sampler<float> sampler(data.problem(), options);
    const auto report = sample_of(sampler.prepare(0), 0).report;
    EXPECT_EQ(report.status, SolveStatus::kDone);
    EXPECT_EQ(report.binding, Constraint::kNone);
  }
}

// Every profile and the rules with rounds, on banks that have next to nothing.
template <typename T>
void expect_an_end(const Matrix<T>& bank, const std::string& what) {
  for (const auto profile : profile_names()) {
    for (const Rule rule : {Rule::kSbog, Rule::kRandom, Rule::kNoTop,
                            Rule::kNoThreshold, Rule::kKdeMatched}) {
      for (const AnchorRule anchors :
           {AnchorRule::kTop, AnchorRule::kFarthestPoint, AnchorRule::kRegions,
            AnchorRule::kDpp}) {
        SCOPED_TRACE(what + " " + std::string(profile) + " " + to_string(rule) +
                     " " + to_string(anchors));
        SamplerOptions options = profile_options(profile);
        options.rule = rule;
        options.anchor_rule = anchors;
        options.count = 2;
        options.max_rounds = 2;
        const Sampler<T> sampler({bank.view(), {}, {}, {}}, options);
        const auto sampled = sample_of(sampler.prepare(0), 2);
        const auto& report = sampled.report;
        EXPECT_EQ(report.status == SolveStatus::kDone, report.produced == 2);
        EXPECT_EQ(report.binding == Constraint::kNone, report.produced == 2);
        for (const auto& output : sampled.outputs) {
          if (!output.is_accepted) continue;
          EXPECT_EQ(output.point.size(), bank.cols());
          for (const T x : output.point) EXPECT_TRUE(std::isfinite(x));
        }
      }
    }
  }
}

TEST(Sampler, tiny_and_degenerate_banks_end_with_a_status) {
  expect_an_end(sphere_bank<float>(3, 4, 1), "three points");
  expect_an_end(sphere_bank<double>(2, 4, 1), "two points");
  expect_an_end(sphere_bank<float>(1, 4, 1), "one point");
  Matrix<float> copies(40, 3);
  for (std::size_t i = 0; i < 40; ++i) copies(i, 1) = 1.0f;
  expect_an_end(copies, "copies");
  Matrix<double> line(30, 1);
  for (std::size_t i = 0; i < 30; ++i) line(i, 0) = i % 2 == 0 ? 1.0 : -2.0;
  expect_an_end(line, "one dimension");
}

TEST(Sampler, too_few_points_for_knn_are_a_mistake_of_the_caller) {
  const Matrix<float> bank = sphere_bank<float>(3, 4, 1);
  SamplerOptions options = small_options();
  options.rule = Rule::kKnn;
  const Sampler<float> sampler({bank.view(), {}, {}, {}}, options);
  EXPECT_NE(invalid_argument_of([&] { sampler.prepare(0); }).find("knn: 5"),
            std::string::npos);
}

TEST(Sampler, mistakes_of_the_caller_are_named) {
  const Classes<float> data;
  const auto message = [&](const SampleProblem<float>& problem,
                           const SamplerOptions& options) {
    return invalid_argument_of([&] { Sampler<float>(problem, options); });
  };
  const SamplerOptions options = small_options();
  SampleProblem<float> problem = data.problem();
  problem.labels = problem.labels.subspan(1);
  EXPECT_EQ(message(problem, options),
            "labels: one per row is expected (150), got 149");
  problem = data.problem();
  problem.class_anchors = problem.class_anchors.subrows(0, 2);
  EXPECT_EQ(message(problem, options),
            "class anchors: 3 rows of 5 are expected, got 2 of 5");
  const std::vector<double> losses(150, std::nan(""));
  problem = data.problem();
  problem.losses = losses;
  EXPECT_EQ(message(problem, options), "losses: finite values are expected");
  problem.losses = problem.losses.subspan(1);
  EXPECT_EQ(message(problem, options), "losses: one per row is expected");
  problem = data.problem();
  Matrix<double> zero(3, 5);
  problem.class_anchors = zero;
  EXPECT_EQ(message(problem, options),
            "class anchors: row 0 is not a finite vector other than 0");
  problem = data.problem();
  problem.class_anchors = {};
  SamplerOptions bood = options;
  bood.rule = Rule::kBood;
  EXPECT_EQ(message(problem, bood),
            "bood: at least two class anchors are needed");
  Matrix<float> broken = data.bank.clone();
  broken(3, 2) = std::nanf("");
  problem = data.problem();
  problem.bank = broken;
  EXPECT_EQ(message(problem, options).rfind("bank", 0), 0u);
}

}  // namespace sampler_test
}  // namespace sbog
