// SPDX-License-Identifier: Apache-2.0
// The whole evaluation: every entry is the metric computed by itself, and
// every missing one says why.
#include "sbog/metrics/evaluate_outliers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "metrics/support.h"
#include "sbog/metrics/class_similarity.h"
#include "sbog/metrics/diversity.h"
#include "sbog/metrics/energy_margin.h"

namespace sbog::testing_support {
namespace evaluate_outliers_test {

using Labels = std::vector<std::int64_t>;

class EvaluateTest : public ::testing::Test {
 protected:
  void SetUp() override {
    options.seed = 5;
    options.score.energy.epsilon = 0.1;
    options.sliced.directions = 40;
    options.flips = {100, 4, 0};
    options.purity.per_class = 50;
    complete.bank = bank.view();
    complete.outliers = outliers.view();
    complete.labels = labels;
    complete.source_classes = sources;
    complete.anchors = anchors.view();
    complete.anchor_feasible_counts = anchor_counts;
    complete.bank_feasible_counts = bank_counts;
    complete.pool_margins = pool;
    complete.perturbed_energies = energies;
    complete.perturbed_cosines = cosines;
    options.semantic_floor = 0.5;
    bare.bank = bank.view();
    bare.outliers = outliers.view();
  }
  double value(const OutlierMetrics& metrics, const char* name) const {
    return metrics.table.find(name).value.value();
  }
  std::string reason(const OutlierMetrics& metrics, const char* name) const {
    EXPECT_FALSE(metrics.table.find(name).value.has_value()) << name;
    return metrics.table.find(name).reason;
  }

  const Matrix<float> bank = random_directions<float>(400, 6, 1);
  const Matrix<float> outliers = random_directions<float>(60, 6, 2);
  const Matrix<float> anchors = random_directions<float>(3, 6, 3);
  const Labels labels = cyclic_labels(400, 3);
  const Labels sources = cyclic_labels(60, 3);
  const std::vector<std::size_t> anchor_counts = {0, 2, 7, 1};
  const std::vector<std::size_t> bank_counts = std::vector<std::size_t>(400, 0);
  const std::vector<double> pool = {-0.3, 0.1, 0.2, -0.4};
  const std::vector<double> energies = {0.4, 0.6};
  const std::vector<double> cosines = {0.9, 0.1};
  OutlierProblem<float> complete;
  OutlierProblem<float> bare;
  OutlierOptions options;
};

TEST_F(EvaluateTest, with_everything_given_every_metric_has_a_value) {
  const OutlierMetrics found = evaluate_outliers(complete, options);
  EXPECT_EQ(found.status, SolveStatus::kDone);
  for (const MetricEntry& entry : found.table.entries()) {
    EXPECT_TRUE(entry.value.has_value()) << entry.name << " " << entry.reason;
    EXPECT_EQ(entry.reason, "") << entry.name;
  }
}

TEST_F(EvaluateTest, energy_metrics_are_those_of_the_scored_outliers) {
  const OutlierMetrics found = evaluate_outliers(complete, options);
  const EnergyModel<float> model({bank.view(), {}, {}}, options.score.energy);
  const std::vector<double> own = model.evaluate(outliers.view()).energies;
  const double tau =
      calibrate_threshold(model.evaluate_bank().energies, {}).value;
  double gap = 0.0;
  double accepted = 0.0;
  for (const double energy : own) {
    gap += (energy - tau) / 60.0;
    if (energy >= tau) accepted += 1.0 / 60.0;
  }
  EXPECT_NEAR(value(found, "Gap"), gap, 1e-12);
  EXPECT_NEAR(value(found, "Accepted"), accepted, 1e-12);
  EXPECT_EQ(found.score.energies, own);
  // The pool is given here: medians of 0.1 0.2 0.3 0.4 and of 0.1 0.2.
  EXPECT_NEAR(value(found, "Delta_all"), 0.25, 1e-12);
  EXPECT_NEAR(value(found, "Delta_acc"), 0.15, 1e-12);
}

TEST_F(EvaluateTest, without_a_pool_delta_is_of_the_outliers) {
  const OutlierMetrics found = evaluate_outliers(bare, options);
  const BoundaryDistance distance = boundary_distance(
      energy_margins(found.score.energies, query_thresholds(found.score)));
  EXPECT_EQ(found.table.find("Delta_acc").value, distance.accepted);
  EXPECT_THAT(reason(found, "Delta_all"), ::testing::HasSubstr("proposals"));
}

TEST_F(EvaluateTest, sample_metrics_are_those_of_their_functions) {
  const OutlierMetrics found = evaluate_outliers(complete, options);
  MmdOptions mmd;
  mmd.seed = 5;
  const MmdResult kernel = mmd_squared(seen(outliers), seen(bank), mmd);
  EXPECT_EQ(value(found, "MMD2"), kernel.biased);
  EXPECT_EQ(value(found, "MMD2_unbiased"), kernel.unbiased.value());
  EXPECT_EQ(value(found, "SW2"),
            sliced_wasserstein(seen(outliers), seen(bank), {40, 5}).value);
  EXPECT_EQ(value(found, "Diversity"), diversity(seen(outliers)).value());
  EXPECT_EQ(value(found, "Diversity_class"),
            diversity_within_classes(seen(outliers), sources).value());
}

TEST_F(EvaluateTest, class_metrics_are_those_of_their_functions) {
  const OutlierMetrics found = evaluate_outliers(complete, options);
  const ReferenceMeasure<float> measure{bank.view(), {}, {}};
  const NearestBank nearest =
      nearest_bank(measure, seen(outliers), options.score.energy);
  const double fidelity =
      neighbour_fidelity(nearest.rows, labels, sources).value();
  EXPECT_EQ(value(found, "Fidelity_1nn"), fidelity);
  EXPECT_EQ(value(found, "Contam_TS"), 1.0 - fidelity);
  EXPECT_EQ(value(found, "Nearest_median"),
            summarise_costs(nearest.costs)->median);
  const PurityResult purity = class_purity(
      measure, labels, seen(outliers), sources, options.score.energy, {50, 5});
  EXPECT_EQ(value(found, "Purity"), purity.mean);
  EXPECT_EQ(found.purity.size(), 3u);
  const ClassSimilarity proto = class_similarity(
      seen(outliers), sources, class_prototypes(seen(bank), labels).value());
  EXPECT_EQ(value(found, "Fidelity_cos"), proto.mean_cosine);
  EXPECT_EQ(value(found, "Contam_proto"), proto.contamination);
  EXPECT_EQ(value(found, "Margin_proto"), proto.margin.value());
  const ClassSimilarity token =
      class_similarity(seen(outliers), sources, class_anchors(seen(anchors)));
  EXPECT_EQ(value(found, "Token_cosine"), token.mean_cosine);
  EXPECT_EQ(value(found, "Contam_token"), token.contamination);
  EXPECT_EQ(value(found, "Margin_token"), token.margin.value());
}

TEST_F(EvaluateTest, proposal_metrics_come_from_the_given_counts) {
  const OutlierMetrics found = evaluate_outliers(complete, options);
  EXPECT_EQ(value(found, "Fill_A"), 0.75);
  EXPECT_EQ(value(found, "Fill_n"), 0.0);
  EXPECT_EQ(value(found, "Pass"), 0.5);
  EXPECT_EQ(value(found, "Ebar_pass"), 0.4);
  EXPECT_EQ(value(found, "Yield"), 0.2);
}

TEST_F(EvaluateTest, with_points_alone_the_others_say_what_they_need) {
  const OutlierMetrics found = evaluate_outliers(bare, options);
  for (const char* name : {"Fidelity_1nn", "Contam_TS", "Purity",
                           "Fidelity_cos", "Contam_proto", "Margin_proto"}) {
    EXPECT_EQ(reason(found, name), "needs labels and source classes") << name;
  }
  for (const char* name : {"Token_cosine", "Contam_token", "Margin_token"}) {
    EXPECT_EQ(reason(found, name), "needs class anchors and source classes");
  }
  EXPECT_EQ(reason(found, "Diversity_class"), "needs source classes");
  EXPECT_THAT(reason(found, "Fill_A"), ::testing::HasSubstr("each anchor"));
  EXPECT_THAT(reason(found, "Fill_n"), ::testing::HasSubstr("bank point"));
  EXPECT_THAT(reason(found, "Yield"), ::testing::HasSubstr("perturbed"));
  for (const char* name : {"Gap", "Accepted", "MMD2", "SW2", "Diversity",
                           "Nearest_min", "FlipRate@100"}) {
    EXPECT_TRUE(found.table.find(name).value.has_value()) << name;
  }
}

TEST_F(EvaluateTest, a_single_outlier_has_no_diversity) {
  bare.outliers = outliers.view().subrows(0, 1);
  const OutlierMetrics found = evaluate_outliers(bare, options);
  EXPECT_EQ(reason(found, "Diversity"), "needs at least two outliers");
  EXPECT_THAT(reason(found, "MMD2_unbiased"), ::testing::HasSubstr("two"));
  EXPECT_TRUE(found.table.find("MMD2").value.has_value());
}

TEST_F(EvaluateTest, a_small_bank_has_no_flip_rate) {
  options.flips.subset_size = 400;
  EXPECT_EQ(reason(evaluate_outliers(bare, options), "FlipRate@400"),
            "needs more than 400 bank points");
  options.flips.subset_size = 100;
  options.score.local = 100;
  EXPECT_EQ(reason(evaluate_outliers(bare, options), "FlipRate@100"),
            "needs fewer local atoms than 100");
}

TEST_F(EvaluateTest, the_flip_rate_is_leave_one_out_in_both_self_modes) {
  const double exclusive =
      value(evaluate_outliers(bare, options), "FlipRate@100");
  options.score.includes_self = true;
  EXPECT_EQ(value(evaluate_outliers(bare, options), "FlipRate@100"), exclusive);
}

TEST_F(EvaluateTest, per_class_margins_use_the_threshold_of_the_class) {
  options.score.is_per_class = true;
  const OutlierMetrics found = evaluate_outliers(complete, options);
  ASSERT_EQ(found.score.classes.size(), 3u);
  double gap = 0.0;
  for (std::size_t i = 0; i < 60; ++i) {
    gap +=
        (found.score.energies[i] - found.score.classes[i % 3].threshold.value) /
        60.0;
  }
  EXPECT_NEAR(value(found, "Gap"), gap, 1e-12);
  EXPECT_TRUE(found.table.find("FlipRate@100").value.has_value());
}

TEST_F(EvaluateTest, points_at_one_place_have_no_kernel_distance) {
  Matrix<float> same(30, 2);
  for (std::size_t i = 0; i < 30; ++i) same(i, 0) = 1.0f;
  OutlierProblem<float> problem;
  problem.bank = std::as_const(same).view();
  problem.outliers = std::as_const(same).view().subrows(0, 5);
  const OutlierMetrics found = evaluate_outliers(problem, options);
  EXPECT_THAT(reason(found, "MMD2"), ::testing::HasSubstr("median distance"));
  EXPECT_EQ(value(found, "SW2"), 0.0);
  EXPECT_NEAR(value(found, "Diversity"), 0.0, 1e-15);
}

TEST_F(EvaluateTest, zero_vectors_cost_only_the_cosines) {
  Matrix<double> points = random_points(40, 3, 1);
  for (double& x : points.row(7)) x = 0.0;
  const Labels classes = cyclic_labels(40, 2);
  OutlierProblem<double> problem;
  problem.bank = std::as_const(points).view();
  problem.outliers = std::as_const(points).view();
  problem.labels = classes;
  problem.source_classes = classes;
  options.score.energy.cost = GroundCost::kSquaredEuclidean;
  const OutlierMetrics found = evaluate_outliers(problem, options);
  EXPECT_EQ(reason(found, "Diversity"), "needs vectors that are not zero");
  EXPECT_EQ(reason(found, "Fidelity_cos"), "needs vectors that are not zero");
  EXPECT_EQ(value(found, "Fidelity_1nn"), 1.0);
  EXPECT_EQ(value(found, "SW2"), 0.0);
}

TEST_F(EvaluateTest, classes_that_cancel_have_no_mean) {
  Matrix<double> points(4, 2);
  points(0, 0) = points(2, 1) = 1.0;
  points(1, 0) = points(3, 1) = -1.0;
  const Labels classes = {0, 0, 1, 1};
  OutlierProblem<double> problem;
  problem.bank = std::as_const(points).view();
  problem.outliers = std::as_const(points).view();
  problem.labels = classes;
  problem.source_classes = classes;
  EXPECT_EQ(reason(evaluate_outliers(problem, options), "Margin_proto"),
            "the mean of a class is zero");
}

TEST_F(EvaluateTest, threads_do_not_change_a_bit) {
  for (const bool is_per_class : {false, true}) {
    options.score.is_per_class = is_per_class;
    options.score.trim = 0.08;
    expect_same_bits([&](const Context& context) {
      std::vector<double> values;
      const OutlierMetrics found =
          evaluate_outliers(complete, options, context);
      for (const MetricEntry& entry : found.table.entries()) {
        values.push_back(entry.value.value());
      }
      return values;
    });
  }
}

TEST_F(EvaluateTest, the_order_of_the_outliers_changes_nothing) {
  Matrix<double> points = random_directions(50, 4, 1);
  Matrix<double> made = random_directions(30, 4, 2);
  const Matrix<double> turned = reversed(made);
  OutlierProblem<double> problem;
  problem.bank = std::as_const(points).view();
  problem.outliers = std::as_const(made).view();
  options.flips.subset_size = 20;
  const OutlierMetrics first = evaluate_outliers(problem, options);
  problem.outliers = turned.view();
  const OutlierMetrics second = evaluate_outliers(problem, options);
  for (const MetricEntry& entry : first.table.entries()) {
    const MetricEntry& other = second.table.find(entry.name);
    ASSERT_EQ(entry.value.has_value(), other.value.has_value());
    if (entry.value) {
      EXPECT_NEAR(*entry.value, *other.value, 1e-12) << entry.name;
    }
  }
}

TEST_F(EvaluateTest, can_be_cancelled) {
  CancelAtOnce cancel;
  const OutlierMetrics found =
      evaluate_outliers(complete, options, {nullptr, &cancel});
  EXPECT_EQ(found.status, SolveStatus::kCancelled);
  EXPECT_EQ(reason(found, "SW2"), "not computed");
}

TEST_F(EvaluateTest, arrays_that_do_not_fit_are_named) {
  const auto message = [&](const auto& change) {
    OutlierProblem<float> problem = complete;
    change(problem);
    return invalid_argument_of(
        [&] { (void)evaluate_outliers(problem, options); });
  };
  const Labels wrong(60, 9);
  OutlierOptions unknown = options;
  unknown.score.finds_epsilon = true;
  EXPECT_THAT(
      invalid_argument_of([&] { (void)evaluate_outliers(complete, unknown); }),
      ::testing::HasSubstr("epsilon: a number is expected"));
  EXPECT_THAT(message([](auto& p) { p.outliers = {}; }),
              ::testing::HasSubstr("outliers: at least one row"));
  EXPECT_THAT(message([&](auto& p) { p.labels = sources; }),
              ::testing::HasSubstr("labels: 400 values are expected, got 60"));
  EXPECT_THAT(message([&](auto& p) { p.source_classes = labels; }),
              ::testing::HasSubstr("source classes: 60 values"));
  EXPECT_THAT(message([&](auto& p) { p.source_classes = wrong; }),
              ::testing::HasSubstr("row 0 has class 9, which no bank row has"));
  EXPECT_THAT(message([&](auto& p) {
                p.labels = {};
                p.source_classes = wrong;
              }),
              ::testing::HasSubstr("class 9, which no anchor has"));
  const std::vector<std::size_t> too_many(401, 1);
  EXPECT_THAT(message([&](auto& p) { p.bank_feasible_counts = too_many; }),
              ::testing::HasSubstr("feasible counts of the bank: at most 400"));
  const std::vector<double> few(3, 0.1);
  EXPECT_THAT(message([&](auto& p) { p.margins = few; }),
              ::testing::HasSubstr("margins: 60 values"));
  const Matrix<float> wide = random_points<float>(3, 7, 1);
  EXPECT_THAT(message([&](auto& p) { p.anchors = wide.view(); }),
              ::testing::HasSubstr("anchors: points of dimension 6"));
  EXPECT_THAT(message([&](auto& p) { p.outliers = wide.view(); }),
              ::testing::HasSubstr("outliers: points of dimension 6"));
  options.score.is_per_class = true;
  EXPECT_THAT(message([](auto& p) { p.labels = {}; }),
              ::testing::HasSubstr("labels"));
}

}  // namespace evaluate_outliers_test
}  // namespace sbog::testing_support
