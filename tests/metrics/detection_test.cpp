// SPDX-License-Identifier: Apache-2.0
// Detection metrics against golden values, double loops and closed forms.
#include "sbog/metrics/detection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "metrics/support.h"
#include "oracle/golden.h"

namespace sbog::testing_support {
namespace detection_test {

using Scores = std::vector<double>;

constexpr double kInf = std::numeric_limits<double>::infinity();

// Few distinct values, so that ties are the rule.
rc::Gen<Scores> tied_scores(std::size_t least) {
  return rc::gen::suchThat(
      rc::gen::container<Scores>(rc::gen::map(rc::gen::inRange(-4, 5),
                                              [](int x) { return 0.25 * x; })),
      [least](const Scores& scores) { return scores.size() >= least; });
}

std::size_t count_at_least(const Scores& scores, double threshold) {
  return static_cast<std::size_t>(
      std::count_if(scores.begin(), scores.end(),
                    [&](double score) { return score >= threshold; }));
}

double plain_auroc(const Scores& positives, const Scores& negatives) {
  double wins = 0.0;
  for (const double p : positives) {
    for (const double n : negatives) {
      wins += p > n ? 1.0 : (p == n ? 0.5 : 0.0);
    }
  }
  return wins / static_cast<double>(positives.size() * negatives.size());
}

std::set<double, std::greater<>> distinct(const Scores& a, const Scores& b) {
  std::set<double, std::greater<>> all(a.begin(), a.end());
  all.insert(b.begin(), b.end());
  return all;
}

double plain_average_precision(const Scores& positives,
                               const Scores& negatives) {
  double sum = 0.0;
  double recall_before = 0.0;
  for (const double threshold : distinct(positives, negatives)) {
    const auto hits = static_cast<double>(count_at_least(positives, threshold));
    const auto false_alarms =
        static_cast<double>(count_at_least(negatives, threshold));
    const double recall = hits / static_cast<double>(positives.size());
    sum += (recall - recall_before) * hits / (hits + false_alarms);
    recall_before = recall;
  }
  return sum;
}

double plain_f1(const Scores& positives, const Scores& negatives,
                double threshold) {
  const auto hits = static_cast<double>(count_at_least(positives, threshold));
  const auto false_alarms =
      static_cast<double>(count_at_least(negatives, threshold));
  const double misses = static_cast<double>(positives.size()) - hits;
  return 2.0 * hits / (2.0 * hits + false_alarms + misses);
}

class DetectionGolden : public ::testing::Test {
 protected:
  nlohmann::json golden = golden::entry("/metrics/detection");
  ClassScores split =
      split_by_label(golden::to_vector(golden["score"]),
                     golden["label"].get<std::vector<std::int64_t>>());
};

TEST_F(DetectionGolden, ranking_metrics_have_their_values) {
  EXPECT_NEAR(auroc(split.positives, split.negatives).value(),
              golden::to_double(golden["auroc"]), 1e-12);
  EXPECT_NEAR(average_precision(split.positives, split.negatives).value(),
              golden::to_double(golden["aupr_step"]), 1e-12);
}

TEST_F(DetectionGolden, best_f1_has_its_value_and_threshold) {
  const F1Score best = best_f1(split.positives, split.negatives).value();
  EXPECT_NEAR(best.value, golden::to_double(golden["best_f1"]), 1e-12);
  EXPECT_EQ(best.threshold, golden::to_double(golden["best_f1_threshold"]));
}

TEST_F(DetectionGolden, fpr95_has_its_value_and_threshold) {
  const nlohmann::json entry = golden["fpr95"];
  const FprAtTpr found = fpr_at_tpr(golden::to_vector(entry["id_scores"]),
                                    golden::to_vector(entry["ood_scores"]))
                             .value();
  EXPECT_NEAR(found.value, golden::to_double(entry["value"]), 1e-12);
  EXPECT_EQ(found.threshold, golden::to_double(entry["threshold"]));
  EXPECT_EQ(found.recall, 1.0);
}

RC_GTEST_PROP(Detection, auroc_agrees_with_the_double_loop, ()) {
  const Scores p = *tied_scores(1);
  const Scores n = *tied_scores(1);
  RC_ASSERT(std::abs(auroc(p, n).value() - plain_auroc(p, n)) < 1e-12);
  // Exchanging the classes turns the ranking around.
  RC_ASSERT(std::abs(auroc(p, n).value() + auroc(n, p).value() - 1.0) < 1e-12);
}

RC_GTEST_PROP(Detection, average_precision_agrees_with_the_double_loop, ()) {
  const Scores p = *tied_scores(1);
  const Scores n = *tied_scores(0);
  RC_ASSERT(std::abs(average_precision(p, n).value() -
                     plain_average_precision(p, n)) < 1e-12);
}

RC_GTEST_PROP(Detection, best_f1_is_the_best_of_all_thresholds, ()) {
  const Scores p = *tied_scores(1);
  const Scores n = *tied_scores(0);
  double best = 0.0;
  double best_threshold = 0.0;
  for (const double threshold : distinct(p, n)) {
    const double here = plain_f1(p, n, threshold);
    RC_ASSERT(std::abs(f1_at(p, n, threshold)->value - here) < 1e-12);
    if (here > best) {
      best = here;
      best_threshold = threshold;
    }
  }
  const F1Score found = best_f1(p, n).value();
  RC_ASSERT(std::abs(found.value - best) < 1e-12);
  RC_ASSERT(found.threshold == best_threshold);
  const double harmonic =
      2.0 * found.precision * found.recall / (found.precision + found.recall);
  RC_ASSERT(std::abs(found.value - harmonic) < 1e-12);
}

RC_GTEST_PROP(Detection, fpr_at_tpr_takes_the_stated_order_statistic, ()) {
  const Scores p = *tied_scores(1);
  const Scores n = *tied_scores(1);
  const int percent = *rc::gen::inRange(1, 101);
  const FprAtTpr found = fpr_at_tpr(p, n, percent / 100.0).value();
  Scores sorted = p;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  // ceil(percent n / 100) in whole numbers
  const std::size_t rank =
      (static_cast<std::size_t>(percent) * p.size() + 99) / 100;
  RC_ASSERT(found.threshold == sorted[rank - 1]);
  RC_ASSERT(found.value ==
            static_cast<double>(count_at_least(n, found.threshold)) /
                static_cast<double>(n.size()));
  RC_ASSERT(found.recall >= percent / 100.0 - 1e-12);
}

RC_GTEST_PROP(Detection, the_closest_recall_is_as_close_as_any, ()) {
  const Scores p = *tied_scores(1);
  const Scores n = *tied_scores(1);
  const int percent = *rc::gen::inRange(1, 101);
  const double tpr = percent / 100.0;
  const FprAtTpr found = fpr_at_tpr(p, n, tpr, RecallRule::kClosest).value();
  RC_ASSERT(std::find(p.begin(), p.end(), found.threshold) != p.end());
  for (const double threshold : p) {
    const double recall = static_cast<double>(count_at_least(p, threshold)) /
                          static_cast<double>(p.size());
    RC_ASSERT(std::abs(found.recall - tpr) <= std::abs(recall - tpr) + 1e-12);
  }
  RC_ASSERT(found.recall ==
            static_cast<double>(count_at_least(p, found.threshold)) /
                static_cast<double>(p.size()));
}

RC_GTEST_PROP(Detection, an_increasing_map_of_scores_changes_nothing, ()) {
  const Scores p = *tied_scores(1);
  const Scores n = *tied_scores(1);
  const auto mapped = [](Scores scores) {
    for (double& score : scores) score = std::exp(3.0 * score);
    return scores;
  };
  RC_ASSERT(auroc(p, n) == auroc(mapped(p), mapped(n)));
  RC_ASSERT(average_precision(p, n) == average_precision(mapped(p), mapped(n)));
  RC_ASSERT(best_f1(p, n)->value == best_f1(mapped(p), mapped(n))->value);
  RC_ASSERT(fpr_at_tpr(p, n)->value == fpr_at_tpr(mapped(p), mapped(n))->value);
}

TEST(Detection, a_perfect_ranking_is_perfect) {
  const Scores high = {3.0, 4.0, 5.0};
  const Scores low = {0.0, 1.0, 2.0, 2.0};
  EXPECT_EQ(auroc(high, low), 1.0);
  EXPECT_EQ(auroc(low, high), 0.0);
  EXPECT_EQ(average_precision(high, low), 1.0);
  EXPECT_EQ(best_f1(high, low)->value, 1.0);
  EXPECT_EQ(best_f1(high, low)->threshold, 3.0);
  EXPECT_EQ(fpr_at_tpr(high, low)->value, 0.0);
  EXPECT_EQ(accuracy_at(high, low, 2.5), 1.0);
}

TEST(Detection, equal_scores_know_nothing) {
  const Scores four(4, 0.5);
  const Scores twelve(12, 0.5);
  EXPECT_EQ(auroc(four, twelve), 0.5);
  EXPECT_EQ(average_precision(four, twelve), 0.25);
  EXPECT_EQ(fpr_at_tpr(four, twelve)->value, 1.0);
}

TEST(Detection, recall_of_whole_products_is_not_rounded_up) {
  // 0.95 * 20 = 19 and 0.07 * 100 = 7 must not become 20 and 8.
  Scores twenty;
  for (int i = 0; i < 20; ++i) twenty.push_back(i);
  EXPECT_EQ(fpr_at_tpr(twenty, Scores{0.0}, 0.95)->threshold, 1.0);
  Scores hundred;
  for (int i = 0; i < 100; ++i) hundred.push_back(i);
  EXPECT_EQ(fpr_at_tpr(hundred, Scores{0.0}, 0.07)->threshold, 93.0);
}

TEST(Detection, of_two_equally_close_recalls_the_larger_is_taken) {
  // Recalls 0.5 and 1 are both 0.25 away.
  const FprAtTpr found =
      fpr_at_tpr(Scores{2.0, 1.0}, Scores{1.5}, 0.75, RecallRule::kClosest)
          .value();
  EXPECT_EQ(found.threshold, 1.0);
  EXPECT_EQ(found.value, 1.0);
  // Here 0.5 is closer than 1.
  EXPECT_EQ(fpr_at_tpr(Scores{2.0, 1.0}, Scores{1.5}, 0.7, RecallRule::kClosest)
                ->threshold,
            2.0);
}

TEST(Detection, infinite_scores_are_ordered) {
  EXPECT_EQ(auroc(Scores{kInf, 1.0}, Scores{-kInf, 1.0}), 0.875);
  EXPECT_EQ(best_f1(Scores{kInf}, Scores{-kInf})->threshold, kInf);
}

TEST(Detection, undefined_cases_have_no_value) {
  const Scores some = {1.0};
  EXPECT_EQ(auroc({}, some), std::nullopt);
  EXPECT_EQ(auroc(some, {}), std::nullopt);
  EXPECT_EQ(average_precision({}, some), std::nullopt);
  EXPECT_FALSE(best_f1({}, some).has_value());
  EXPECT_FALSE(f1_at({}, some, 0.0).has_value());
  EXPECT_FALSE(fpr_at_tpr({}, some).has_value());
  EXPECT_FALSE(fpr_at_tpr(some, {}).has_value());
  EXPECT_EQ(accuracy_at({}, {}, 0.0), std::nullopt);
  EXPECT_EQ(accuracy({}, {}), std::nullopt);
}

TEST(Detection, f1_without_alarms_is_zero) {
  const F1Score found = f1_at(Scores{1.0}, Scores{0.5}, 2.0).value();
  EXPECT_EQ(found.value, 0.0);
  EXPECT_EQ(found.precision, 0.0);
  EXPECT_EQ(found.recall, 0.0);
}

TEST(Detection, accuracy_counts_what_is_right) {
  const std::vector<std::int64_t> predicted = {0, 1, 2, 2};
  const std::vector<std::int64_t> labels = {0, 1, 1, 2};
  EXPECT_EQ(accuracy(predicted, labels), 0.75);
  EXPECT_EQ(accuracy_at(Scores{0.2, 0.8}, Scores{0.1, 0.9}, 0.8), 0.5);
}

TEST(Detection, bad_input_is_named) {
  const Scores nan = {0.0, std::nan("")};
  const std::vector<std::int64_t> labels = {0, 2};
  EXPECT_THAT(invalid_argument_of([&] { (void)auroc(nan, Scores{1.0}); }),
              ::testing::HasSubstr("positives: score 1 is NaN"));
  EXPECT_THAT(invalid_argument_of([&] { (void)best_f1(Scores{1.0}, nan); }),
              ::testing::HasSubstr("negatives: score 1 is NaN"));
  EXPECT_THAT(
      invalid_argument_of([&] { (void)f1_at(Scores{1.0}, {}, std::nan("")); }),
      ::testing::HasSubstr("threshold"));
  EXPECT_THAT(invalid_argument_of(
                  [&] { (void)fpr_at_tpr(Scores{1.0}, Scores{1.0}, 0.0); }),
              ::testing::HasSubstr("(0, 1]"));
  EXPECT_THAT(invalid_argument_of([&] {
                split_by_label(Scores{0.0, 1.0}, labels);
              }),
              ::testing::HasSubstr("label 1 is 2"));
  EXPECT_THAT(invalid_argument_of([&] { split_by_label(Scores{0.0}, labels); }),
              ::testing::HasSubstr("one per score"));
  EXPECT_THAT(invalid_argument_of([&] { (void)accuracy({}, labels); }),
              ::testing::HasSubstr("one per label"));
}

TEST(Detection, the_floor_is_the_f1_of_calling_everything_positive) {
  const std::vector<double> positives(3, 1.0);
  const std::vector<double> negatives(17, 1.0);
  EXPECT_DOUBLE_EQ(*f1_floor(3, 17), f1_at(positives, negatives, 0.0)->value);
  EXPECT_DOUBLE_EQ(*f1_floor(3, 17), 2.0 * 0.15 / 1.15);
  EXPECT_EQ(f1_floor(5, 0), 1.0);
  EXPECT_FALSE(f1_floor(0, 4));
}

}  // namespace detection_test
}  // namespace sbog::testing_support
