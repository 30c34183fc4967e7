// SPDX-License-Identifier: Apache-2.0
// The whole job: per class, split, trimmed, local, pruned.
#include "sbog/energy/score_bank.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "energy/support.h"
#include "oracle/energy_oracle.h"
#include "sbog/energy/perplexity.h"
#include "sbog/energy/refined_reference.h"

namespace sbog {
namespace score_bank_test {

using testing::HasSubstr;
using testing_support::invalid_argument_of;

oracle::EnergyProblem<double> some_problem(std::size_t n = 120) {
  return oracle::random_problem<double>(
      GroundCost::kCosine,
      {.n = n, .dim = 4, .queries = 40, .epsilon = 0.05, .seed = 12});
}

ScoreProblem<double> to_score(const oracle::EnergyProblem<double>& problem,
                              bool has_queries) {
  ScoreProblem<double> score;
  score.bank = problem.bank.view();
  score.weights = problem.weights;
  if (has_queries) score.queries = problem.queries.view();
  return score;
}

std::vector<std::int64_t> labels_of(std::size_t count) {
  std::vector<std::int64_t> labels;
  for (std::size_t i = 0; i < count; ++i) {
    labels.push_back(static_cast<std::int64_t>(i * i % 3) * 10 - 5);
  }
  return labels;
}

TEST(ScoreBank, scores_the_bank_without_itself) {
  const auto problem = some_problem();
  const auto result =
      score_bank(to_score(problem, false), {.energy = problem.options()});
  EXPECT_EQ(result.status, SolveStatus::kDone);
  EXPECT_EQ(result.energies, problem.model().evaluate_bank().energies);
  ASSERT_EQ(result.classes.size(), 1u);
  const ClassScore& score = result.classes[0];
  EXPECT_EQ(score.bank_count, 120u);
  EXPECT_EQ(score.reference_count, 120u);
  EXPECT_EQ(score.query_count, 0u);
  EXPECT_EQ(score.threshold.value, quantile(result.energies, 0.95));
  EXPECT_EQ(score.share_above,
            share_above(result.energies, score.threshold.value));
  EXPECT_EQ(result.pairs, 120.0 * 120.0);
  EXPECT_EQ(result.evaluated_share, 1.0);
  const auto literal =
      score_bank(to_score(problem, false),
                 {.energy = problem.options(), .includes_self = true});
  EXPECT_EQ(literal.energies, problem.model().evaluate_bank(true).energies);
}

TEST(ScoreBank, finds_epsilon_from_the_reference) {
  const auto problem = some_problem();
  ScoreOptions options{.energy = problem.options(),
                       .finds_epsilon = true,
                       .measures_perplexity = true};
  const auto found = score_bank(to_score(problem, false), options);
  const double epsilon = find_epsilon(problem.measure(), problem.options());
  EXPECT_NE(epsilon, 0.05);
  EXPECT_EQ(found.classes[0].epsilon, epsilon);
  EXPECT_NEAR(found.classes[0].perplexity, 15.0, 0.2);
  ScoreOptions given{.energy = problem.options()};
  given.energy.epsilon = epsilon;
  const auto expected = score_bank(to_score(problem, false), given);
  EXPECT_EQ(found.energies, expected.energies);
  EXPECT_EQ(expected.classes[0].epsilon, epsilon);
  EXPECT_EQ(expected.classes[0].perplexity, 0.0);  // not asked for
  // Queries and trimming see the same temperature.
  options.trim = 0.1;
  EXPECT_EQ(score_bank(to_score(problem, true), options).classes[0].epsilon,
            epsilon);
  // The points behind a conformal threshold have no say in it.
  options.threshold.rule = ThresholdRule::kConformal;
  EXPECT_NE(score_bank(to_score(problem, true), options).classes[0].epsilon,
            epsilon);
}

TEST(ScoreBank, finds_epsilon_of_each_class) {
  const auto problem = some_problem();
  // Ten classes of twelve points, the last of which gives one away.
  std::vector<std::int64_t> labels;
  for (std::int64_t i = 0; i < 120; ++i) labels.push_back(i / 12);
  labels[119] = 99;
  ScoreProblem<double> score = to_score(problem, false);
  score.labels = labels;
  ScoreOptions options{.energy = problem.options(),
                       .finds_epsilon = true,
                       .measures_perplexity = true};
  options.is_per_class = true;
  const auto found = score_bank(score, options);
  ASSERT_EQ(found.classes.size(), 11u);
  std::vector<std::size_t> third;
  for (std::size_t i = 24; i < 36; ++i) third.push_back(i);
  const ReferenceMeasure<double> measure{problem.bank.view(), {}, third};
  EXPECT_EQ(found.classes[2].epsilon, find_epsilon(measure, problem.options()));
  // 12 points: half of them.
  EXPECT_NEAR(found.classes[2].perplexity, 6.0, 0.5);
  // One point takes the temperature of the bank.
  EXPECT_EQ(found.classes[10].epsilon,
            find_epsilon(problem.measure(), problem.options()));
  EXPECT_EQ(found.classes[10].perplexity, 0.0);
}

TEST(ScoreBank, stops_while_it_looks_for_epsilon) {
  const auto problem = some_problem();
  testing_support::CancelAtOnce cancel;
  const auto result = score_bank(
      to_score(problem, false),
      {.energy = problem.options(), .finds_epsilon = true}, {nullptr, &cancel});
  EXPECT_EQ(result.status, SolveStatus::kCancelled);
}

TEST(ScoreBank, the_self_share_is_the_same_from_both_readings) {
  const auto problem = some_problem();
  const auto full = problem.model().evaluate_bank(true).energies;
  std::vector<double> shares;
  for (const double e : full) shares.push_back(std::exp(e / 0.05) / 120.0);
  for (const bool includes_self : {false, true}) {
    const auto result = score_bank(
        to_score(problem, false),
        {.energy = problem.options(), .includes_self = includes_self});
    EXPECT_NEAR(result.classes[0].median_self_share, quantile(shares, 0.5),
                1e-12);
  }
}

TEST(ScoreBank, queries_see_everything_and_the_bank_sets_the_threshold) {
  const auto problem = some_problem();
  const auto result =
      score_bank(to_score(problem, true), {.energy = problem.options()});
  EXPECT_EQ(result.energies,
            problem.model().evaluate(problem.queries).energies);
  const ClassScore& score = result.classes[0];
  EXPECT_EQ(score.query_count, 40u);
  EXPECT_EQ(score.threshold.value,
            quantile(problem.model().evaluate_bank().energies, 0.95));
  EXPECT_EQ(score.share_above,
            share_above(result.energies, score.threshold.value));
}

TEST(ScoreBank, a_large_bank_calibrates_on_a_drawn_part) {
  const auto problem = some_problem();
  ScoreOptions options{.energy = problem.options(), .seed = 3};
  options.calibration_limit = 50;
  const auto result = score_bank(to_score(problem, true), options);
  EXPECT_EQ(result.classes[0].threshold.calibration_count, 50u);
  EXPECT_EQ(result.classes[0].reference_count, 120u);
}

TEST(ScoreBank, each_class_is_scored_as_if_alone) {
  const auto problem = some_problem();
  const auto labels = labels_of(120);
  const auto query_labels = labels_of(40);
  for (const bool has_queries : {false, true}) {
    ScoreProblem<double> score = to_score(problem, has_queries);
    score.labels = labels;
    score.query_labels = query_labels;
    ScoreOptions options{.energy = problem.options()};
    options.is_per_class = true;
    options.trim = 0.08;
    const auto result = score_bank(score, options);
    ASSERT_EQ(result.classes.size(), 2u);
    for (const ClassScore& one : result.classes) {
      std::vector<std::size_t> members;
      std::vector<std::size_t> queries;
      for (std::size_t i = 0; i < 120; ++i) {
        if (labels[i] == one.label) members.push_back(i);
      }
      for (std::size_t i = 0; i < 40; ++i) {
        if (query_labels[i] == one.label) queries.push_back(i);
      }
      const auto bank = oracle::gather<double>(problem.bank, members);
      const auto asked = oracle::gather<double>(problem.queries, queries);
      ScoreProblem<double> alone;
      alone.bank = bank.view();
      if (has_queries) alone.queries = asked.view();
      options.is_per_class = false;
      const auto expected = score_bank(alone, options);
      const auto& rows = has_queries ? queries : members;
      ASSERT_EQ(expected.energies.size(), rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_EQ(result.energies[rows[i]], expected.energies[i]);
      }
      EXPECT_EQ(one.threshold.value, expected.classes[0].threshold.value);
      EXPECT_EQ(one.reference_count, expected.classes[0].reference_count);
      EXPECT_EQ(one.share_above, expected.classes[0].share_above);
      EXPECT_EQ(one.bank_count, members.size());
    }
  }
}

TEST(ScoreBank, trimming_gives_the_refined_energies) {
  const auto problem = some_problem();
  const auto result = score_bank(to_score(problem, false),
                                 {.energy = problem.options(), .trim = 0.1});
  const auto refined =
      refine_reference(problem.measure(), problem.options(), {.trim = 0.1});
  EXPECT_EQ(result.energies, refined.energies);
  EXPECT_EQ(result.classes[0].reference_count, 108u);
}

TEST(ScoreBank, the_conformal_split_calibrates_outside_the_reference) {
  const auto problem = some_problem(101);
  ScoreOptions options{.energy = problem.options(), .seed = 8};
  options.threshold.rule = ThresholdRule::kConformal;
  options.threshold.level = 0.9;
  const auto result = score_bank(to_score(problem, false), options);
  const ClassScore& score = result.classes[0];
  EXPECT_EQ(score.threshold.calibration_count, 50u);
  EXPECT_EQ(score.reference_count, 51u);
  // The halves can be told from the energies: whoever is not in the reference
  // sees all of it.
  const auto half = draw_subset(101, 50, 8, 1);
  auto reference = oracle::iota(101);
  std::erase_if(reference, [&](std::size_t i) {
    return std::binary_search(half.begin(), half.end(), i);
  });
  const EnergyModel<double> model({problem.bank.view(), {}, reference},
                                  problem.options());
  EXPECT_EQ(result.energies, model.evaluate_bank().energies);
  std::vector<double> calibration;
  for (const std::size_t i : half) calibration.push_back(result.energies[i]);
  std::sort(calibration.begin(), calibration.end());
  EXPECT_EQ(score.threshold.value, calibration[45]);  // ceil(0.9 * 51) = 46
  EXPECT_EQ(score.share_above,
            share_above(result.energies, score.threshold.value));
}

TEST(ScoreBank, local_and_pruned_walks_are_reachable) {
  const auto problem = some_problem();
  ScoreOptions options{.energy = problem.options()};
  options.local = 10;
  options.local_convention = LocalConvention::kNormalised;
  const auto self = oracle::iota(120);
  EXPECT_EQ(score_bank(to_score(problem, false), options).energies,
            local_energies(problem.model(), problem.bank.view(), 10,
                           LocalConvention::kNormalised, self)
                .energies);
  auto large = oracle::random_problem<double>(
      GroundCost::kSquaredEuclidean,
      {.n = 256 * 20, .dim = 2, .queries = 2000, .epsilon = 1e-3});
  for (Matrix<double>* points : {&large.bank, &large.queries}) {
    for (std::size_t i = 0; i < points->rows(); ++i) {  // 16 clusters
      (*points)(i, 0) += 10.0 * static_cast<double>(i % 16);
    }
  }
  ScoreOptions pruned{.energy = large.options()};
  pruned.tolerance = 1e-4;
  const auto result = score_bank(to_score(large, true), pruned);
  EXPECT_LT(result.evaluated_share, 1.0);
  EXPECT_GT(result.evaluated_share, 0.0);
  const auto exact = large.model().evaluate(large.queries).energies;
  for (std::size_t q = 0; q < exact.size(); ++q) {
    ASSERT_NEAR(result.energies[q], exact[q] + 0.5e-4, 0.5e-4 + 1e-12);
  }
}

TEST(ScoreBank, refuses_bad_problems_and_says_where) {
  const auto problem = some_problem(10);
  const auto message = [&](const ScoreProblem<double>& score,
                           const ScoreOptions& options) {
    return invalid_argument_of(
        [&] { static_cast<void>(score_bank(score, options)); });
  };
  ScoreProblem<double> score = to_score(problem, true);
  ScoreOptions options{.energy = problem.options()};
  options.is_per_class = true;
  EXPECT_THAT(message(score, options), HasSubstr("labels: one per row"));
  const auto labels = labels_of(10);
  auto query_labels = labels_of(40);
  score.labels = labels;
  EXPECT_THAT(message(score, options), HasSubstr("query labels: one per row"));
  query_labels[7] = 77;
  score.query_labels = query_labels;
  EXPECT_THAT(message(score, options),
              HasSubstr("query labels: row 7 has label 77"));
  options.is_per_class = false;
  options.energy.epsilon = 0.0;
  EXPECT_THAT(message(score, options), HasSubstr("epsilon"));
  options.energy.epsilon = 0.1;
  options.threshold.level = 2.0;
  EXPECT_THAT(message(score, options), HasSubstr("level"));
  options.threshold.level = 0.9;
  options.tolerance = std::nan("");
  EXPECT_THAT(message(score, options), HasSubstr("tolerance"));
  options.tolerance = -1.0;
  EXPECT_THAT(message(score, options), HasSubstr("tolerance"));
  options.tolerance = 0.0;
  options.trim = 1.5;
  EXPECT_THAT(message(score, options), HasSubstr("trim"));
  options.trim = 0.0;
  options.local = 11;
  EXPECT_THAT(message(score, options), HasSubstr("neighbours"));
  options.local = 0;
  options.threshold.rule = ThresholdRule::kConformal;
  score.bank = score.bank.subrows(0, 1);
  EXPECT_THAT(message(score, options), HasSubstr("at least 2 points, got 1"));
  EXPECT_THAT(message({}, {}), HasSubstr("bank: no values"));
}

TEST(ScoreBank, can_be_cancelled) {
  const auto problem = some_problem();
  testing_support::CancelAtOnce cancel;
  for (const bool has_queries : {false, true}) {
    for (const double trim : {0.0, 0.1}) {
      const auto result = score_bank(
          to_score(problem, has_queries),
          {.energy = problem.options(), .trim = trim}, {nullptr, &cancel});
      EXPECT_EQ(result.status, SolveStatus::kCancelled);
    }
  }
}

TEST(DrawSubset, is_distinct_increasing_and_repeatable) {
  for (const std::size_t n : {1, 10, 1000}) {
    for (const std::size_t count : {0, 1, 5, 10, 2000}) {
      const auto subset = draw_subset(n, count, 42, 1);
      EXPECT_EQ(subset.size(), std::min(n, count));
      EXPECT_EQ(std::set<std::size_t>(subset.begin(), subset.end()).size(),
                subset.size());
      EXPECT_TRUE(std::is_sorted(subset.begin(), subset.end()));
      if (!subset.empty()) {
        EXPECT_LT(subset.back(), n);
      }
      EXPECT_EQ(subset, draw_subset(n, count, 42, 1));
    }
  }
  EXPECT_NE(draw_subset(100, 50, 1, 1), draw_subset(100, 50, 2, 1));
  EXPECT_NE(draw_subset(100, 50, 1, 1), draw_subset(100, 50, 1, 2));
  EXPECT_NE(draw_subset(100, 50, 1, 1),
            draw_subset(100, 50, (std::uint64_t{1} << 32) + 1, 1));
}

TEST(DrawSubset, takes_every_index_about_equally_often) {
  // Binomial(2000, 0.3): mean 600, deviation 20.5; five of them.
  std::vector<int> hits(20, 0);
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    for (const std::size_t i : draw_subset(20, 6, seed, 1)) ++hits[i];
  }
  for (const int hit : hits) EXPECT_NEAR(hit, 600, 103);
}

}  // namespace score_bank_test
}  // namespace sbog
