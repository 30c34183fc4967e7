// SPDX-License-Identifier: Apache-2.0
#include "sbog/detect/point_detector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "detect/support.h"
#include "sbog/base/inner_product.h"
#include "sbog/energy/threshold.h"

namespace sbog::detect {
namespace point_detector_test {

using testing::HasSubstr;
using testing_support::CancelAtOnce;
using testing_support::clustered_bank;
using testing_support::clustered_points;
using testing_support::invalid_argument_of;
using testing_support::listed;

PointDetectorOptions small_options(std::vector<PointScore> scores) {
  PointDetectorOptions options;
  options.scores = std::move(scores);
  options.head.epochs = 2;
  options.head.outliers = 60;
  options.head.batch = 32;
  options.seed = 3;
  return options;
}

PointDetector trained(std::vector<PointScore> scores) {
  return *train_point_detector(clustered_bank(200, 6, 4), {},
                               small_options(std::move(scores)));
}

TEST(PointDetector, one_score_is_passed_on_as_it_is) {
  const PointDetector detector = trained({PointScore::kMean});
  const PointDetectorState& state = detector.state();
  const PointVerdicts verdicts = *detector.judge(state.bank.points);
  EXPECT_EQ(verdicts.scores,
            *score_points(PointScore::kMean, {state.bank, *state.gaussians}, {},
                          state.bank.points));
}

TEST(PointDetector, a_sum_is_the_mean_of_standardised_scores) {
  const LabelledBank bank = clustered_bank(200, 6, 4);
  const PointDetector detector =
      trained({PointScore::kHead, PointScore::kRmd, PointScore::kMean});
  const PointDetectorState& state = detector.state();
  const HeldOutSplit split = split_bank(bank, 0.2, 3);
  ASSERT_EQ(split.held_out.size(), 40u);
  EXPECT_EQ(state.bank_rows, split.kept);
  const LabelledBank held_out = part_of_bank(bank, split.held_out);
  std::vector<double> expected(held_out.rows(), 0.0);
  const PointScoreParts parts{state.bank, *state.gaussians,
                              &*state.exposed_head, nullptr};
  for (const PointScore kind : state.options.scores) {
    const std::vector<double> scores =
        *score_points(kind, parts, {}, held_out.points);
    const double mean = std::accumulate(scores.begin(), scores.end(), 0.0) / 40;
    double variance = 0.0;
    for (const double x : scores) variance += (x - mean) * (x - mean) / 40;
    for (std::size_t i = 0; i < 40; ++i) {
      expected[i] += (scores[i] - mean) / std::sqrt(variance) / 3.0;
    }
  }
  const PointVerdicts verdicts = *detector.judge(held_out.points);
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_NEAR(verdicts.scores[i], expected[i], 1e-9) << i;
    EXPECT_NEAR(
        (verdicts.parts(i, 0) + verdicts.parts(i, 1) + verdicts.parts(i, 2)) /
            3.0,
        expected[i], 1e-9);
  }
  std::ranges::sort(expected);
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_NEAR(state.held_out_scores[i], expected[i], 1e-9);
  }
}

TEST(PointDetector, threshold_and_p_values_are_conformal) {
  const PointDetector detector = trained({PointScore::kKnn});
  const std::vector<double>& held_out = detector.state().held_out_scores;
  // The ceil(0.95 x 41) = 39th of 40.
  EXPECT_EQ(detector.threshold(0.95), held_out[38]);
  EXPECT_TRUE(std::isinf(detector.threshold(0.99)));
  const PointVerdicts verdicts =
      *detector.judge(unit_rows(clustered_points(30, 6, 5, 0.5, 8), "points"));
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_EQ(verdicts.p_values[i],
              conformal_p_value(held_out, verdicts.scores[i]));
  }
}

TEST(PointDetector, rows_apart_may_give_the_threshold) {
  const LabelledBank bank = clustered_bank(100, 6, 4);
  const Matrix<float> apart =
      unit_rows(clustered_points(50, 6, 4, 0.1, 77), "apart");
  const PointDetector detector =
      *train_point_detector(bank, apart, small_options({PointScore::kMean}));
  EXPECT_EQ(detector.state().bank.rows(), 100u);
  EXPECT_EQ(detector.state().held_out_scores.size(), 50u);
  std::vector<double> scores = detector.judge(apart)->scores;
  std::ranges::sort(scores);
  EXPECT_EQ(detector.state().held_out_scores, scores);
}

TEST(PointDetector, the_class_is_the_nearest_by_mahalanobis) {
  const PointDetector detector = trained({PointScore::kMean});
  const LabelledBank fresh = clustered_bank(40, 6, 4, 0.05, 21);
  EXPECT_EQ(detector.judge(fresh.points)->classes, fresh.classes);
  EXPECT_EQ(detector.class_name(2), "30");
}

TEST(PointDetector, the_nearest_rows_are_those_of_the_largest_cosines) {
  const PointDetector detector = trained({PointScore::kMean});
  const Matrix<float>& bank = detector.state().bank.points;
  const Matrix<float> points =
      unit_rows(clustered_points(10, 6, 4, 0.4, 5), "points");
  const NearBankRows near = *detector.nearest(points, 3);
  ASSERT_EQ(near.rows.cols(), 3u);
  for (std::size_t i = 0; i < 10; ++i) {
    std::vector<double> cosines;
    for (std::size_t row = 0; row < bank.rows(); ++row) {
      cosines.push_back(cosine_of<float, float>(points.row(i), bank.row(row)));
    }
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(near.cosines(i, k), cosines[near.rows(i, k)], 1e-6);
    }
    std::ranges::sort(cosines, std::greater<>());
    EXPECT_NEAR(near.cosines(i, 2), cosines[2], 1e-6);
  }
  EXPECT_EQ(detector.nearest(points, 1000)->rows.cols(), bank.rows());
}

// A point of class 0 that is moved along feature 5 alone.
TEST(PointDetector, the_feature_that_was_moved_carries_the_verdict) {
  const PointDetector detector = trained({PointScore::kMean});
  Matrix<float> point(1, 6);
  for (std::size_t j = 0; j < 6; ++j) {
    point(0, j) =
        static_cast<float>(detector.state().gaussians->tied().means(0, j));
  }
  point(0, 5) += 2.0F;
  const std::vector<FeatureShare> carriers =
      detector.carriers(point.row(0), 0, 2);
  ASSERT_EQ(carriers.size(), 2u);
  EXPECT_EQ(carriers[0].feature, 5u);
  EXPECT_NEAR(carriers[0].share, 1.0, 1e-6);
}

TEST(PointDetector, the_result_is_the_same_for_any_number_of_threads) {
  const LabelledBank bank = clustered_bank(200, 6, 4);
  PointDetectorOptions options =
      small_options({PointScore::kHead, PointScore::kRmd, PointScore::kMean,
                     PointScore::kKnn, PointScore::kSoe, PointScore::kLse});
  const PointDetector alone = *train_point_detector(bank, {}, options);
  ThreadPool pool(3);
  const Context context{&pool, nullptr};
  const PointDetector shared =
      *train_point_detector(bank, {}, options, context);
  EXPECT_EQ(alone.state().held_out_scores, shared.state().held_out_scores);
  EXPECT_EQ(alone.judge(bank.points)->scores,
            shared.judge(bank.points, context)->scores);
}

TEST(PointDetector, without_labels_all_but_the_heads_work) {
  const LabelledBank bank =
      make_bank(clustered_points(100, 6, 4, 0.1, 1), {}, "bank");
  const auto detector =
      train_point_detector(bank, {},
                           small_options({PointScore::kRmd, PointScore::kMean,
                                          PointScore::kKnn, PointScore::kSoe}));
  ASSERT_TRUE(detector);
  EXPECT_THAT(invalid_argument_of([&] {
                (void)train_point_detector(bank, {},
                                           small_options({PointScore::kHead}));
              }),
              HasSubstr("labels of at least two classes"));
}

TEST(PointDetector, names_and_items_must_fit_the_bank) {
  PointDetector detector = trained({PointScore::kMean});
  detector.set_words({"a", "b", "c", "d"}, {});
  EXPECT_EQ(detector.class_name(2), "c");
  EXPECT_THAT(invalid_argument_of([&] { detector.set_words({"a"}, {}); }),
              HasSubstr("one name per class"));
  EXPECT_THAT(invalid_argument_of([&] { detector.set_words({}, {"a"}); }),
              HasSubstr("one item per bank row"));
}

TEST(PointDetector, options_out_of_range_are_refused) {
  const auto refused = [](auto change, const char* words) {
    PointDetectorOptions options;
    change(options);
    EXPECT_THAT(invalid_argument_of([&] { check_point_detector(options); }),
                HasSubstr(words));
  };
  using O = PointDetectorOptions;
  refused([](O& o) { o.scores.clear(); }, "at least one score");
  refused([](O& o) { o.scores.push_back(PointScore::kRmd); }, "rmd twice");
  refused([](O& o) { o.level = 1.0; }, "level");
  refused([](O& o) { o.held_out = 0.0; }, "held-out share");
  refused([](O& o) { o.shrinkage = 0.0; }, "shrinkage");
  refused([](O& o) { o.score.neighbours = 0; }, "neighbours");
  refused([](O& o) { o.score.epsilon = 0.0; }, "epsilon");
  refused([](O& o) { o.head.epochs = 0; }, "epochs");
}

TEST(PointDetector, classes_too_small_to_hold_out_are_refused) {
  EXPECT_THAT(invalid_argument_of([] {
                (void)train_point_detector(clustered_bank(8, 6, 4), {},
                                           small_options({PointScore::kMean}));
              }),
              HasSubstr("no class has enough rows"));
}

TEST(PointDetector, training_can_be_stopped) {
  CancelAtOnce stop;
  EXPECT_FALSE(train_point_detector(clustered_bank(200, 6, 4), {},
                                    small_options({PointScore::kHead}),
                                    {nullptr, &stop}));
}

}  // namespace point_detector_test
}  // namespace sbog::detect
