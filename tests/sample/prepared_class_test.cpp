// SPDX-License-Identifier: Apache-2.0
// Thresholds, floors, references and the task-aware term against their
// definitions.
#include "sbog/sample/prepared_class.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "sample/support.h"
#include "sbog/base/errors.h"
#include "sbog/energy/threshold.h"

namespace sbog {
namespace prepared_class_test {

using testing_support::invalid_argument_of;
using testing_support::plain_cosine;
using testing_support::plain_energy;
using testing_support::plain_neighbours;
using testing_support::small_options;
using testing_support::sphere_bank;
using testing_support::unit;

std::vector<std::size_t> all_but(std::size_t n, std::size_t left_out) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < n; ++i) {
    if (i != left_out) rows.push_back(i);
  }
  return rows;
}

// lambda eps log sum_i w_i exp(f_i / (lambda eps)) over `rows`, by definition.
double plain_phi(MatrixView<const double> bank,
                 const std::vector<std::size_t>& rows,
                 const std::vector<double>& losses, std::span<const double> v,
                 double epsilon, double lambda) {
  long double total = 0;
  long double tilted = 0;
  for (const std::size_t i : rows) {
    const long double weight =
        std::exp(-(1.0L - plain_cosine(bank.row(i), v)) / epsilon);
    total += weight;
    tilted += weight * std::exp(losses[i] / (lambda * epsilon));
  }
  return static_cast<double>(lambda * epsilon * std::log(tilted / total));
}

TEST(PreparedClass, the_acquisition_on_a_local_reference_is_the_plain_one) {
  const Matrix<double> bank = sphere_bank<double>(60, 4, 2);
  const std::vector<double> losses = oracle::uniforms(60, 5);
  SamplerOptions options = small_options();
  options.local = 9;
  options.task_beta = 0.7;
  options.task_lambda = 0.6;
  for (const LocalConvention convention :
       {LocalConvention::kSubmeasure, LocalConvention::kNormalised}) {
    options.local_convention = convention;
    const auto prepared =
        prepare_class<double>({bank.view(), {}, losses, 0}, options);
    const Matrix<double> points = sphere_bank<double>(5, 4, 77);
    for (std::size_t a = 0; a < prepared->anchors.anchors.size(); ++a) {
      const std::vector<std::size_t> near = plain_neighbours<double>(
          bank.view(), prepared->anchors.anchors[a], 9);
      const double mass =
          convention == LocalConvention::kSubmeasure ? 59.0 : 9.0;
      const std::vector<double> scores = prepared->score(a, points.view());
      const std::vector<double> values =
          prepared->acquire(a, points.view(), scores);
      for (std::size_t i = 0; i < 5; ++i) {
        const double energy =
            plain_energy<double>(bank.view(), near, points.row(i), 0.05, mass);
        EXPECT_NEAR(scores[i], energy, 1e-12);
        EXPECT_NEAR(prepared->exact_energy_at(a, points.row(i)), energy, 1e-12);
        EXPECT_NEAR(values[i],
                    energy + 0.7 * plain_phi(bank.view(), near, losses,
                                             points.row(i), 0.05, 0.6),
                    1e-11);
      }
    }
  }
}

TEST(PreparedClass, the_threshold_is_the_leave_one_out_quantile_plus_margin) {
  const Matrix<double> bank = sphere_bank<double>(50, 4, 2);
  SamplerOptions options = small_options();
  options.quantile = 0.9;
  options.margin = 0.015;
  for (const bool includes_self : {false, true}) {
    options.includes_self = includes_self;
    const auto prepared =
        prepare_class<double>({bank.view(), {}, {}, 0}, options);
    std::vector<double> energies;
    for (std::size_t i = 0; i < 50; ++i) {
      const auto rows = all_but(50, includes_self ? 50 : i);
      energies.push_back(
          plain_energy<double>(bank.view(), rows, bank.row(i), 0.05,
                               static_cast<double>(rows.size())));
    }
    const double tau = quantile(energies, 0.9);
    EXPECT_NEAR(prepared->plan.quantile_value, tau, 1e-12);
    EXPECT_NEAR(prepared->plan.threshold, tau + 0.015, 1e-12);
    EXPECT_EQ(prepared->limits.threshold, prepared->plan.threshold);
  }
}

TEST(PreparedClass, a_local_threshold_uses_the_neighbours_of_each_point) {
  const Matrix<double> bank = sphere_bank<double>(40, 4, 2);
  SamplerOptions options = small_options();
  options.local = 6;
  for (const LocalConvention convention :
       {LocalConvention::kSubmeasure, LocalConvention::kNormalised}) {
    options.local_convention = convention;
    const auto prepared =
        prepare_class<double>({bank.view(), {}, {}, 0}, options);
    std::vector<double> energies;
    for (std::size_t i = 0; i < 40; ++i) {
      energies.push_back(plain_energy<double>(
          bank.view(), plain_neighbours<double>(bank.view(), i, 6), bank.row(i),
          0.05, convention == LocalConvention::kSubmeasure ? 39.0 : 6.0));
    }
    EXPECT_NEAR(prepared->plan.threshold, quantile(energies, 0.8), 1e-12);
  }
}

TEST(PreparedClass, other_scores_rescale_the_margin) {
  const Matrix<double> bank = sphere_bank<double>(60, 4, 2);
  SamplerOptions options = small_options();
  options.margin = 0.02;
  const auto spread = [](const std::vector<double>& values) {
    return quantile(values, 0.95) - quantile(values, 0.5);
  };
  for (const bool includes_self : {false, true}) {
    options.includes_self = includes_self;
    options.rule = Rule::kSbog;
    const auto energies =
        prepare_class<double>({bank.view(), {}, {}, 0}, options)->scores;
    for (const Rule rule : {Rule::kKnn, Rule::kKdeScott, Rule::kKdeMedian}) {
      options.rule = rule;
      const auto prepared =
          prepare_class<double>({bank.view(), {}, {}, 0}, options);
      EXPECT_NEAR(prepared->plan.threshold,
                  quantile(prepared->scores, 0.8) +
                      0.02 * spread(prepared->scores) / spread(energies),
                  1e-12)
          << to_string(rule);
    }
  }
}

TEST(PreparedClass, a_trimmed_reference_loses_the_highest_energies) {
  const Matrix<double> bank = sphere_bank<double>(50, 4, 2);
  SamplerOptions options = small_options();
  const auto whole = prepare_class<double>({bank.view(), {}, {}, 0}, options);
  options.trim = 0.1;
  const auto trimmed = prepare_class<double>({bank.view(), {}, {}, 0}, options);
  EXPECT_EQ(trimmed->plan.point_count, 50u);
  EXPECT_EQ(trimmed->plan.reference_count, 45u);
  std::vector<std::size_t> kept = order_by_score(whole->scores);
  kept.erase(kept.begin(), kept.begin() + 5);
  std::sort(kept.begin(), kept.end());
  EXPECT_EQ(trimmed->kept, kept);
}

TEST(PreparedClass, the_automatic_floor_is_a_quantile_lowered_by_the_noise) {
  const Matrix<double> bank = sphere_bank<double>(50, 4, 2);
  const std::vector<double> t = unit({1.0, 0.1, 0.0, 0.0});
  SamplerOptions options = small_options();
  auto prepared = prepare_class<double>({bank.view(), t, {}, 0}, options);
  std::vector<double> cosines;
  for (std::size_t i = 0; i < 50; ++i) {
    cosines.push_back(plain_cosine(bank.row(i), t));
  }
  EXPECT_NEAR(prepared->plan.semantic_floor,
              quantile(cosines, 0.05) / std::sqrt(1.0 + 0.05 * 0.05 * 4.0),
              1e-12);
  options.semantic_slack = 0.03;
  prepared = prepare_class<double>({bank.view(), t, {}, 0}, options);
  EXPECT_NEAR(prepared->plan.semantic_floor, quantile(cosines, 0.05) - 0.03,
              1e-12);
  options.semantic_floor = 0.5;
  prepared = prepare_class<double>({bank.view(), t, {}, 0}, options);
  EXPECT_EQ(prepared->limits.semantic_floor, 0.5);
  options.semantic = false;
  prepared = prepare_class<double>({bank.view(), t, {}, 0}, options);
  EXPECT_LT(prepared->plan.semantic_floor, -1.0);
}

TEST(PreparedClass, a_ceiling_is_counted_from_the_threshold) {
  const Matrix<double> bank = sphere_bank<double>(50, 4, 2);
  SamplerOptions options = small_options();
  options.ceiling = 0.01;
  auto prepared = prepare_class<double>({bank.view(), {}, {}, 0}, options);
  EXPECT_EQ(prepared->limits.ceiling, prepared->plan.threshold + 0.01);
  const auto run = testing_support::run_class(*prepared, 20);
  EXPECT_GT(run.accepted(), 0u);
  for (const auto& output : run.outputs) {
    EXPECT_LE(output.is_accepted ? output.margin : 0.0, 0.01);
  }
  options.rule = Rule::kNoThreshold;
  prepared = prepare_class<double>({bank.view(), {}, {}, 0}, options);
  EXPECT_TRUE(std::isinf(prepared->limits.ceiling));
}

TEST(PreparedClass, anchors_are_eligible_or_the_floor_is_lowered) {
  const Matrix<double> bank = sphere_bank<double>(100, 4, 2);
  const std::vector<double> t = unit({1.0, 0.1, 0.0, 0.0});
  std::vector<double> cosines;
  for (std::size_t i = 0; i < 100; ++i) {
    cosines.push_back(plain_cosine(bank.row(i), t));
  }
  SamplerOptions options = small_options();
  options.seed_eligibility = quantile(cosines, 0.4);
  auto prepared = prepare_class<double>({bank.view(), t, {}, 0}, options);
  EXPECT_FALSE(prepared->plan.is_eligibility_lowered);
  for (const std::size_t row : prepared->anchors.anchors) {
    EXPECT_GE(cosines[row], options.seed_eligibility - 1e-12);
  }
  options.seed_eligibility = 0.99999;
  prepared = prepare_class<double>({bank.view(), t, {}, 0}, options);
  EXPECT_TRUE(prepared->plan.is_eligibility_lowered);
  EXPECT_NEAR(prepared->plan.seed_eligibility, quantile(cosines, 0.5), 1e-12);
  EXPECT_EQ(prepared->anchors.anchors.size(), 8u);
}

TEST(PreparedClass, inner_anchors_lie_between_a_quantile_and_the_threshold) {
  const Matrix<double> bank = sphere_bank<double>(200, 4, 3);
  SamplerOptions options = small_options();
  options.anchor_count = 200;
  options.inner_anchors = 0.5;
  const auto prepared =
      prepare_class<double>({bank.view(), {}, {}, 0}, options);
  const double least = quantile(prepared->scores, 0.5);
  std::size_t expected = 0;
  for (const double score : prepared->scores) {
    expected += score >= least && score < prepared->plan.threshold ? 1 : 0;
  }
  EXPECT_EQ(prepared->anchors.anchors.size(), expected);
  for (const std::size_t row : prepared->anchors.anchors) {
    EXPECT_GE(prepared->scores[row], least);
    EXPECT_LT(prepared->scores[row], prepared->plan.threshold);
  }
  options.inner_anchors = 0.9;  // the threshold is the quantile at 0.8
  EXPECT_THROW(prepare_class<double>({bank.view(), {}, {}, 0}, options),
               InvalidArgument);
}

TEST(PreparedClass, subspace_proposals_are_chosen_where_they_pay) {
  const Matrix<float> bank = sphere_bank<float>(40, 32, 2);
  SamplerOptions options = small_options();
  const auto uses = [&] {
    return prepare_class<float>({bank.view(), {}, {}, 0}, options)
        ->plan.uses_subspace;
  };
  EXPECT_FALSE(uses());
  options.local = 6;
  EXPECT_TRUE(uses());
  options.local = 20;
  EXPECT_FALSE(uses());
  options.proposal_mode = ProposalMode::kSubspace;
  EXPECT_TRUE(uses());
  options.proposal_mode = ProposalMode::kAmbient;
  options.local = 6;
  EXPECT_FALSE(uses());
  options.proposal_mode = ProposalMode::kSubspace;
  options.splitting = true;
  EXPECT_NE(invalid_argument_of(uses).find("proposals: subspace needs"),
            std::string::npos);
}

TEST(PreparedClass, a_local_reference_larger_than_the_class_is_all_others) {
  const Matrix<double> bank = sphere_bank<double>(10, 3, 2);
  SamplerOptions options = small_options();
  options.local = 128;
  const auto prepared =
      prepare_class<double>({bank.view(), {}, {}, 0}, options);
  EXPECT_EQ(prepared->options.local, 9u);
  EXPECT_EQ(prepared->local.at(0)->points.rows(), 9u);
}

TEST(PreparedClass, mistakes_of_the_caller_are_named) {
  const Matrix<double> bank = sphere_bank<double>(10, 3, 2);
  const std::vector<double> losses(9, 0.0);
  EXPECT_EQ(invalid_argument_of([&] {
              prepare_class<double>({Matrix<double>(0, 3).view(), {}, {}, 0},
                                    small_options());
            }),
            "sample: a class without points cannot be sampled");
  EXPECT_EQ(
      invalid_argument_of([&] {
        prepare_class<double>({bank.view(), {}, losses, 0}, small_options());
      }),
      "losses: one per bank point is expected");
}

TEST(PreparedClass, a_split_bank_keeps_its_halves_apart) {
  const Matrix<double> bank = sphere_bank<double>(101, 4, 2);
  SamplerOptions options = small_options();
  options.certify = true;
  const auto prepared =
      prepare_class<double>({bank.view(), {}, {}, 0}, options);
  ASSERT_EQ(prepared->kept.size(), 50u);
  ASSERT_EQ(prepared->calibration.size(), 51u);
  std::vector<std::size_t> all = prepared->kept;
  all.insert(all.end(), prepared->calibration.begin(),
             prepared->calibration.end());
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i < 101; ++i) EXPECT_EQ(all[i], i);
  // Threshold: conformal, of the one half against the other.
  std::vector<double> energies;
  std::vector<std::pair<double, std::size_t>> own;
  for (const std::size_t i : prepared->calibration) {
    energies.push_back(plain_energy<double>(bank.view(), prepared->kept,
                                            bank.row(i), 0.05, 50.0));
    std::vector<std::size_t> others;
    for (const std::size_t j : prepared->calibration) {
      if (j != i) others.push_back(j);
    }
    own.push_back(
        {-plain_energy<double>(bank.view(), others, bank.row(i), 0.05, 50.0),
         i});
  }
  std::sort(energies.begin(), energies.end());
  EXPECT_NEAR(prepared->plan.threshold, energies[41], 1e-12);  // 0.8 * 52
  // Anchors: the highest of the one half among themselves.
  std::sort(own.begin(), own.end());
  ASSERT_EQ(prepared->anchors.anchors.size(), 8u);
  for (std::size_t a = 0; a < 8; ++a) {
    EXPECT_EQ(prepared->anchors.anchors[a], own[a].second);
  }
  for (const Output<double>& output :
       testing_support::run_class(*prepared, 20).outputs) {
    if (!output.is_accepted) continue;
    EXPECT_NEAR(output.energy,
                plain_energy<double>(bank.view(), prepared->kept, output.point,
                                     0.05, 50.0),
                1e-12);
  }
}

TEST(PreparedClass, a_split_needs_enough_points) {
  const Matrix<double> few = sphere_bank<double>(3, 4, 2);
  const Matrix<double> some = sphere_bank<double>(30, 4, 2);
  SamplerOptions options = small_options();
  options.certify = true;
  const auto message = [&](const Matrix<double>& bank, double level) {
    options.quantile = level;
    return invalid_argument_of([&] {
      (void)prepare_class<double>({bank.view(), {}, {}, 0}, options);
    });
  };
  EXPECT_NE(message(few, 0.5).find("at least 4 points"), std::string::npos);
  EXPECT_NE(message(some, 0.95).find("too few"), std::string::npos);
}

}  // namespace prepared_class_test
}  // namespace sbog
