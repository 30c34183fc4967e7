// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/detection_run.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sbog/base/errors.h"
#include "sbog/series/pretext.h"
#include "series/window_support.h"

namespace sbog::series {
namespace detection_run_test {

using namespace testing_support;

// A short series with an encoder that has learned a little.
struct World {
  World()
      : series(make_waves(160, 6, 2)),
        source(series, WindowOptions{32, 1, false}),
        encoder(train()) {
    options.clusters.epochs = 6;
    options.clusters.batch = 32;
    options.refresh_epochs = 2;
    options.library = 2;
  }
  Encoder train() const {
    PretextOptions pretext;
    pretext.epochs = 5;
    pretext.batch = 32;
    return train_pretext(source, pretext);
  }
  Matrix<double> series;
  WindowSource source;
  Encoder encoder;
  DetectionOptions options;
};

const World& world() {
  static const World kWorld;
  return kWorld;
}

TEST(DetectionRun, every_carrier_and_rule_gives_scores_between_0_and_1) {
  for (const Carrier carrier : {Carrier::kLatent, Carrier::kLifted,
                                Carrier::kRetrieval, Carrier::kWindow}) {
    for (const NegativeRule rule :
         {NegativeRule::kCarla, NegativeRule::kSbogPaper}) {
      DetectionOptions options = world().options;
      options.carrier = carrier;
      options.rule = rule;
      if (carrier == Carrier::kWindow && rule != NegativeRule::kCarla) {
        EXPECT_THROW(train_detection(world().encoder, world().source, options),
                     InvalidArgument);
        continue;
      }
      const DetectionRun run =
          train_detection(world().encoder, world().source, options);
      EXPECT_EQ(run.history.totals.size(), 6u);
      for (const ScoreRule score :
           {ScoreRule::kMajority, ScoreRule::kNormalSet}) {
        const auto scores = score_windows(run, world().source, score);
        ASSERT_EQ(scores.size(), world().source.size());
        for (const double s : scores) {
          EXPECT_GE(s, -1e-6);
          EXPECT_LE(s, 1.0 + 1e-6);
        }
      }
      if (carrier == Carrier::kRetrieval) {
        EXPECT_GT(run.retrieval_cosine, 0.5);
        EXPECT_LE(run.retrieval_cosine, 1.0 + 1e-6);
      }
      EXPECT_EQ(run.negatives.points.rows(), world().source.size());
    }
  }
}

TEST(DetectionRun, a_frozen_run_keeps_the_encoder_and_repeats_its_bits) {
  DetectionOptions options = world().options;
  options.refresh_epochs = 0;
  const DetectionRun first =
      train_detection(world().encoder, world().source, options);
  const DetectionRun second =
      train_detection(world().encoder, world().source, options);
  EXPECT_EQ(largest_difference(first.model.encoder().parameters().flat(),
                               world().encoder.parameters().flat()),
            0.0);
  EXPECT_EQ(score_windows(first, world().source, ScoreRule::kNormalSet),
            score_windows(second, world().source, ScoreRule::kNormalSet));
}

TEST(DetectionRun, a_refreshed_run_moves_the_encoder) {
  const DetectionRun run =
      train_detection(world().encoder, world().source, world().options);
  EXPECT_GT(largest_difference(run.model.encoder().parameters().flat(),
                               world().encoder.parameters().flat()),
            0.0);
}

TEST(DetectionRun, a_linear_relation_is_lifted_exactly) {
  const Matrix<float> points = normals(50, 3, 1);
  const Matrix<float> truth = normals(2, 3, 2);
  Matrix<float> features(50, 2);
  for (std::size_t n = 0; n < 50; ++n) {
    for (std::size_t c = 0; c < 2; ++c) {
      for (std::size_t k = 0; k < 3; ++k) {
        features(n, c) += truth(c, k) * points(n, k);
      }
    }
  }
  const Matrix<double> lift = fit_lift(points, features, 1e-9);
  for (std::size_t c = 0; c < 2; ++c) {
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(lift(c, k), truth(c, k), 1e-5);
    }
  }
  EXPECT_LT(largest_difference(apply_lift(lift, points).elements(),
                               features.elements()),
            1e-4);
  EXPECT_THROW(fit_lift(points, features, 0.0), InvalidArgument);
}

TEST(DetectionRun, a_library_of_nothing_is_refused) {
  DetectionOptions options = world().options;
  options.carrier = Carrier::kRetrieval;
  options.library = 0;
  EXPECT_THROW(train_detection(world().encoder, world().source, options),
               InvalidArgument);
}

}  // namespace detection_run_test
}  // namespace sbog::series
