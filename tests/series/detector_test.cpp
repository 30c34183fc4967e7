// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/detector.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>

#include "sbog/base/errors.h"
#include "sbog/energy/threshold.h"
#include "sbog/series/smoothing.h"
#include "series/support.h"

namespace sbog {
namespace detector_test {

using testing_support::lifted_waves;
using testing_support::waves;

constexpr DetectorKind kKinds[] = {
    DetectorKind::kViews, DetectorKind::kViewsBatch, DetectorKind::kChannel};

DetectorOptions with_kind(DetectorKind kind) {
  DetectorOptions options;
  options.kind = kind;
  return options;
}

// The held-out views of one fold from the parts, step by step.
TEST(Detector, held_out_values_come_from_the_other_folds) {
  const Series train = waves(400, 3, 80, true);
  const Detector detector = train_detector(train, {});
  const DetectorState& state = detector.state();
  const Matrix<float> rows = fit_scaling(train.values).apply(train.values);
  const std::size_t gap = 20;  // min(100, 400 / 20)
  const RowRange hole{100 - gap, 200 + gap};
  const auto fits = fit_autoregressions(rows, std::vector<RowRange>{hole});
  const SignalSet signals = make_signals(rows, fits[1], WindowSide::kCentred);
  std::vector<std::size_t> others;
  for (std::size_t t = 0; t < 400; ++t) {
    if (t < hole.first || t >= hole.end) others.push_back(t);
  }
  const ViewBank bank(signals, others, {});
  const Matrix<double> expected =
      view_values(DetectorKind::kViews, bank.evaluate(signals, {100, 200}),
                  state.channel_units);
  for (std::size_t t = 100; t < 200; ++t) {
    for (std::size_t v = 0; v < 6; ++v) {
      EXPECT_EQ(state.held_out(t, v), expected(t - 100, v)) << t << " " << v;
    }
  }
}

TEST(Detector, folds_cover_all_rows_once_with_gaps_around) {
  for (const std::size_t n : {50u, 399u, 5000u}) {
    const std::vector<Fold> folds = cut_folds(n);
    ASSERT_EQ(folds.size(), 4u);
    std::size_t next = 0;
    for (const Fold& fold : folds) {
      EXPECT_EQ(fold.held_out.first, next);
      next = fold.held_out.end;
      const std::size_t gap = std::min<std::size_t>(100, n / 20);
      EXPECT_EQ(fold.hole.first,
                fold.held_out.first == 0 ? 0 : fold.held_out.first - gap);
      EXPECT_EQ(fold.hole.end, next == n ? n : next + gap);
    }
    EXPECT_EQ(next, n);
  }
}

TEST(Detector, scores_follow_from_views_units_and_smoothing) {
  const Detector detector = train_detector(waves(500, 2, 81), {});
  const Series test = waves(300, 2, 82);
  const DetectorScores scores = detector.score(test.values);
  const SignalSet signals = detector.signals(test.values);
  const Matrix<double> views = detector.views(signals, {0, 300});
  const std::vector<double> expected = smooth(
      row_sums(view_parts(views, fit_view_units(detector.state().held_out))),
      WindowSide::kCentred);
  EXPECT_EQ(scores.scores, expected);
}

TEST(Detector, the_threshold_is_the_conformal_quantile_of_held_out_scores) {
  const Detector detector = train_detector(waves(500, 2, 83), {});
  std::vector<double> held_out = smooth(
      row_sums(view_parts(detector.state().held_out, detector.view_units())),
      WindowSide::kCentred);
  std::sort(held_out.begin(), held_out.end());
  // ceil(0.99 * 501) = 496, the 496th smallest.
  EXPECT_EQ(detector.score(waves(60, 2, 84).values).threshold, held_out[495]);
  EXPECT_EQ(detector.threshold(0.5), held_out[250]);
}

TEST(Detector, the_level_can_be_changed_after_training) {
  for (const DetectorKind kind : kKinds) {
    DetectorOptions options = with_kind(kind);
    const Series train = waves(400, 2, 101);
    const Series test = waves(80, 2, 102);
    Detector changed = train_detector(train, options);
    changed.set_level(0.9);
    options.level = 0.9;
    EXPECT_EQ(changed.score(test.values).threshold,
              train_detector(train, options).score(test.values).threshold);
    EXPECT_THROW(changed.set_level(1.0), InvalidArgument);
  }
}

TEST(Detector, too_short_a_training_series_has_no_finite_threshold) {
  const Detector detector = train_detector(waves(60, 2, 85), {});
  const DetectorScores scores = detector.score(waves(60, 2, 86).values);
  EXPECT_TRUE(std::isinf(scores.threshold));
  EXPECT_EQ(scores.flagged_share, 0.0);
}

TEST(Detector, every_kind_ranks_an_anomaly_above_everything_else) {
  const Series train = waves(1200, 3, 87);
  const Series test = lifted_waves(600, 3, 88, 300, 340, 2.5);
  for (const DetectorKind kind : kKinds) {
    for (const bool is_causal : {false, true}) {
      if (is_causal && kind == DetectorKind::kViewsBatch) continue;
      DetectorOptions options = with_kind(kind);
      options.is_causal = is_causal;
      const Detector detector = train_detector(train, options);
      const DetectorScores scores = detector.score(test.values);
      const auto top =
          std::max_element(scores.scores.begin(), scores.scores.end());
      const auto at = static_cast<std::size_t>(top - scores.scores.begin());
      EXPECT_GE(at, 290u) << to_string(kind);
      EXPECT_LE(at, 350u) << to_string(kind);
      EXPECT_GT(*top, scores.threshold) << to_string(kind);
    }
  }
}

TEST(Detector, a_causal_score_does_not_know_the_future) {
  DetectorOptions options;
  options.is_causal = true;
  const Detector detector = train_detector(waves(400, 2, 89), options);
  const Series plain = waves(300, 2, 90);
  const Series changed = lifted_waves(300, 2, 90, 200, 300, 3.0);
  const auto a = detector.score(plain.values).scores;
  const auto b = detector.score(changed.values).scores;
  for (std::size_t t = 0; t < 200; ++t) EXPECT_EQ(a[t], b[t]);
  EXPECT_NE(a[210], b[210]);
}

TEST(Detector, is_the_same_for_any_number_of_threads) {
  const Series train = waves(700, 3, 91);
  const Series test = waves(500, 3, 92);
  ThreadPool pool(3);
  for (const DetectorKind kind : kKinds) {
    const auto one = train_detector(train, with_kind(kind)).score(test.values);
    const auto three = train_detector(train, with_kind(kind), {&pool, nullptr})
                           .score(test.values, {&pool, nullptr});
    EXPECT_EQ(one.scores, three.scores) << to_string(kind);
    EXPECT_EQ(one.threshold, three.threshold);
  }
}

TEST(Detector, one_channel_and_constant_channels_are_fine) {
  const Detector one = train_detector(waves(200, 1, 93), {});
  EXPECT_EQ(one.score(waves(50, 1, 94).values).scores.size(), 50u);
  const Series flat = make_series("flat", Matrix<double>(80, 2));
  const Detector detector = train_detector(flat, {});
  Matrix<double> test(60, 2);
  EXPECT_EQ(detector.score(test).scores[30], 0.0);
  test(30, 1) = 1.0;
  EXPECT_GT(detector.score(test).scores[30], 0.0);
}

TEST(Detector, ten_thousand_channels_are_scored) {
  DetectorOptions options;
  options.joint_rows = 20;
  const Detector detector = train_detector(
      make_series("wide", testing_support::normal_rows(56, 10000, 95)),
      options);
  const auto scores =
      detector.score(testing_support::normal_rows(3, 10000, 96)).scores;
  EXPECT_EQ(scores.size(), 3u);
  for (const double score : scores) EXPECT_TRUE(std::isfinite(score));
}

TEST(Detector, refuses_what_it_cannot_use) {
  EXPECT_THROW(train_detector(waves(49, 2, 97), {}), InvalidArgument);
  Series broken = waves(100, 2, 98);
  broken.values(7, 1) = std::nan("");
  EXPECT_THROW(train_detector(broken, {}), InvalidArgument);
  const Detector detector = train_detector(waves(100, 2, 99), {});
  EXPECT_THROW(detector.score(Matrix<double>(5, 3)), InvalidArgument);
  EXPECT_THROW(detector.score(Matrix<double>(0, 2)), InvalidArgument);
  EXPECT_THROW(detector.score(broken.values), InvalidArgument);
}

TEST(Detector, refuses_a_state_whose_parts_do_not_fit) {
  const Detector detector = train_detector(waves(100, 2, 100), {});
  DetectorState state;
  state.options = detector.options();
  state.channels = {"a", "b"};
  EXPECT_THROW(Detector(std::move(state)), InvalidArgument);
}

}  // namespace detector_test
}  // namespace sbog
