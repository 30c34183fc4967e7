// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/cluster_detector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sbog/base/errors.h"
#include "sbog/base/thread_pool.h"
#include "series/cluster_support.h"

namespace sbog::series {
namespace cluster_detector_test {

using namespace testing_support;

constexpr NegativeRule kRules[] = {NegativeRule::kCarla,
                                   NegativeRule::kSbogDefault};

TEST(ClusterDetector, a_row_has_the_mean_of_what_the_head_says_of_its_windows) {
  const Series train = waves_series(240, 2);
  const Series test = waves_series(70, 5);
  for (const NegativeRule rule : kRules) {
    const ClusterDetector found =
        *train_cluster_detector(train, small_options(rule));
    const std::vector<double> scores = score_rows(found, test);
    const SeriesEmbedding at = embed_series(found.model, test);
    const auto weight = found.head.values("cluster.weight");
    const auto bias = found.head.values("cluster.bias");
    const std::size_t dim = at.points.cols();
    for (std::size_t t = 0; t < test.rows(); ++t) {
      double sum = 0.0;
      double count = 0.0;
      for (std::size_t i = 0; i < at.starts.size(); ++i) {
        if (t < at.starts[i] || t >= at.starts[i] + 24) continue;
        double all = 0.0;
        double inside = 0.0;
        for (std::size_t c = 0; c < found.normal.size(); ++c) {
          double logit = bias[c];
          for (std::size_t d = 0; d < dim; ++d) {
            logit += double{weight[c * dim + d]} * double{at.points(i, d)};
          }
          all += std::exp(logit);
          if (found.normal[c]) inside += std::exp(logit);
        }
        sum += 1.0 - inside / all;
        count += 1.0;
      }
      // Float logits and probabilities against double.
      EXPECT_NEAR(scores[t], sum / count, 1e-5) << t;
    }
  }
}

TEST(ClusterDetector, the_threshold_is_a_quantile_of_the_training_rows) {
  const Series train = waves_series(240, 2);
  ClusterDiagnostics told;
  const ClusterDetector found = *train_cluster_detector(
      train, small_options(NegativeRule::kSbogDefault), {}, &told);
  ASSERT_EQ(found.training_scores.size(), 240u);
  EXPECT_TRUE(std::is_sorted(found.training_scores.begin(),
                             found.training_scores.end()));
  EXPECT_GE(found.training_scores.front(), 0.0);
  EXPECT_LE(found.training_scores.back(), 1.0);
  EXPECT_EQ(found.threshold(0.5),
            (found.training_scores[119] + found.training_scores[120]) / 2.0);
  EXPECT_THROW((void)found.threshold(1.0), InvalidArgument);
  EXPECT_THROW((void)found.threshold(0.0), InvalidArgument);
  // Stride 3 puts 72 windows of 24 rows into 240; the tail window that scoring
  // adds reaches only the last rows.
  EXPECT_EQ(told.negatives, 72u);
  EXPECT_EQ(told.normal_classes,
            static_cast<std::size_t>(
                std::count(found.normal.begin(), found.normal.end(), true)));
  EXPECT_GE(told.normal_classes, 1u);
  std::vector<double> again = score_rows(found, train);
  again.resize(200);
  for (const double score : again) {
    EXPECT_TRUE(std::binary_search(found.training_scores.begin(),
                                   found.training_scores.end(), score));
  }
}

TEST(ClusterDetector, is_the_same_for_any_number_of_threads) {
  const Series train = waves_series(240, 2);
  ThreadPool one(1);
  ThreadPool three(3);
  for (const NegativeRule rule : kRules) {
    const auto a =
        *train_cluster_detector(train, small_options(rule), {&one, nullptr});
    const auto b =
        *train_cluster_detector(train, small_options(rule), {&three, nullptr});
    EXPECT_EQ(a.training_scores, b.training_scores);
    EXPECT_EQ(a.normal, b.normal);
    EXPECT_EQ(largest_difference(a.head.flat(), b.head.flat()), 0.0);
    EXPECT_EQ(score_rows(a, train, {&one, nullptr}),
              score_rows(a, train, {&three, nullptr}));
  }
}

TEST(ClusterDetector, rules_and_seeds_give_other_heads) {
  const Series train = waves_series(240, 2);
  const auto carla =
      *train_cluster_detector(train, small_options(NegativeRule::kCarla));
  const auto sbog =
      *train_cluster_detector(train, small_options(NegativeRule::kSbogDefault));
  ClusterDetectorOptions other = small_options(NegativeRule::kCarla);
  other.clusters.seed = 9;
  const auto seeded = *train_cluster_detector(train, other);
  EXPECT_GT(largest_difference(carla.head.flat(), sbog.head.flat()), 0.0);
  EXPECT_GT(largest_difference(carla.head.flat(), seeded.head.flat()), 0.0);
  // The encoder does not move with the head.
  EXPECT_EQ(largest_difference(carla.model.encoder.parameters().flat(),
                               sbog.model.encoder.parameters().flat()),
            0.0);
}

TEST(ClusterDetector, what_does_not_fit_is_refused) {
  const Series train = waves_series(240, 2);
  ClusterDetectorOptions options = small_options(NegativeRule::kCarla);
  options.level = 1.0;
  EXPECT_THROW(train_cluster_detector(train, options), InvalidArgument);
  options = small_options(NegativeRule::kCarla);
  options.clusters.classes = 1;
  EXPECT_THROW(train_cluster_detector(train, options), InvalidArgument);
  const auto found =
      *train_cluster_detector(train, small_options(NegativeRule::kCarla));
  EXPECT_THROW(score_rows(found, waves_series(20, 1)), InvalidArgument);
  EXPECT_THROW(score_rows(found, make_series("two", make_waves(60, 2, 1))),
               InvalidArgument);
}

class StopAtOnce : public Observer {
 public:
  bool on_progress(std::uint64_t, std::uint64_t) override { return false; }
};

TEST(ClusterDetector, a_stop_leaves_nothing) {
  StopAtOnce stop;
  EXPECT_FALSE(train_cluster_detector(waves_series(240, 2),
                                      small_options(NegativeRule::kCarla),
                                      {nullptr, &stop}));
}

}  // namespace cluster_detector_test
}  // namespace sbog::series
