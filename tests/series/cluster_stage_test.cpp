// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/cluster_stage.h"

#include <gtest/gtest.h>

#include <cmath>

#include "energy/support.h"
#include "sbog/base/errors.h"
#include "sbog/base/inner_product.h"
#include "sbog/series/scoring.h"
#include "series/window_support.h"

namespace sbog::series {
namespace cluster_stage_test {

using namespace testing_support;
using sbog::testing_support::CancelAtOnce;

const EncoderOptions kShape{3, 24, 4, 4, WindowLayout::kTranspose, false};

// 40 windows and 40 points without one.
struct Mixed {
  Mixed() : encoder(kShape, 3), windows(normals(40, 72, 4)) {
    pool.originals = pool.windows = 40;
    pool.fill = fill_from(windows);
    pool.latents = unit_rows(40, 5);
    const Matrix<float> real = encoder.embed(windows);
    pool.points = Matrix<float>(80, 4);
    std::copy_n(real.data(), real.size(), pool.points.data());
    std::copy_n(pool.latents.data(), 160, pool.points.data() + 160);
    options.epochs = 5;
    options.batch = 20;
  }
  Encoder encoder;
  Matrix<float> windows;
  ClusterPool pool;
  ClusterOptions options;
};

TEST(ClusterStage, random_pairs_end_in_the_known_constant) {
  // Every item without a window, paired at random: the head can do no better
  // than one constant output.
  Encoder encoder(kShape, 3);
  ClusterModel model(encoder, HeadInput::kPoints, 10, 4);
  ClusterPool pool;
  pool.latents = unit_rows(1000, 6);
  pool.points = pool.latents.clone();
  pool.fill = [](std::size_t, MatrixView<float>) {};
  ClusterOptions options;
  options.neighbours.has_random_query = true;
  options.redraws_neighbours = false;
  const ClusterHistory history =
      train_clusters(model, pool, options, {true, 0, {}});
  EXPECT_NEAR(history.totals.back(), -2.3772, 0.02);
  EXPECT_NEAR(history.entropies.back(), 2.047, 0.1);
  const Matrix<float> p = model.probabilities(pool.latents);
  const auto scores =
      anomaly_scores(p, normal_classes(p, 1000, ScoreRule::kMajority));
  double mean = 0.0;
  for (const double score : scores) mean += score / 1000.0;
  EXPECT_NEAR(mean, 0.632, 0.05);
}

TEST(ClusterStage, real_neighbours_give_useful_classes) {
  // Four far corners, each with its own neighbours.
  Encoder encoder(kShape, 3);
  ClusterModel model(encoder, HeadInput::kPoints, 4, 4);
  ClusterPool pool;
  pool.latents = Matrix<float>(200, 4);
  const Matrix<float> noise = normals(200, 4, 7);
  for (std::size_t i = 0; i < 200; ++i) {
    for (std::size_t k = 0; k < 4; ++k) {
      pool.latents(i, k) = (k == i % 4 ? 1.0F : 0.0F) + 0.02F * noise(i, k);
    }
  }
  pool.points = pool.latents.clone();
  pool.fill = [](std::size_t, MatrixView<float>) {};
  ClusterOptions options;
  options.classes = 4;
  const ClusterHistory history =
      train_clusters(model, pool, options, {true, 0, {}});
  EXPECT_LT(history.totals.back(), -2.0 * std::log(4.0) + 0.4);
  const auto classes = assigned_classes(model.probabilities(pool.latents));
  for (std::size_t i = 4; i < 200; ++i) EXPECT_EQ(classes[i], classes[i % 4]);
}

TEST(ClusterStage, a_frozen_network_stays_as_it_is) {
  Mixed at;
  ClusterModel model(at.encoder, HeadInput::kPoints, 5, 4);
  const nn::ParameterSet head = model.head();
  train_clusters(model, at.pool, at.options, {true, 0, {}});
  EXPECT_EQ(largest_difference(model.encoder().parameters().flat(),
                               at.encoder.parameters().flat()),
            0.0);
  EXPECT_EQ(largest_difference(model.encoder().buffers().flat(),
                               at.encoder.buffers().flat()),
            0.0);
  EXPECT_GT(largest_difference(model.head().flat(), head.flat()), 0.0);
}

TEST(ClusterStage, a_head_on_features_leaves_the_projection_alone) {
  Mixed at;
  at.pool.latents = normals(40, 8, 8);
  ClusterModel model(at.encoder, HeadInput::kFeatures, 5, 4);
  train_clusters(model, at.pool, at.options, {});
  const auto same = [&](const char* name) {
    return largest_difference(model.encoder().parameters().values(name),
                              at.encoder.parameters().values(name)) == 0.0;
  };
  EXPECT_TRUE(same("projection.linear1.weight"));
  EXPECT_TRUE(same("projection.linear2.bias"));
  EXPECT_FALSE(same("block1.conv1.weight"));
}

TEST(ClusterStage, the_same_seed_gives_the_same_bits) {
  for (const double weight : {0.0, 1.0}) {
    Mixed first, second;
    first.options.weights.inconsistency = weight;
    ClusterModel a(first.encoder, HeadInput::kPoints, 5, 4);
    ClusterModel b(second.encoder, HeadInput::kPoints, 5, 4);
    const ClusterHistory one = train_clusters(a, first.pool, first.options, {});
    const ClusterHistory two =
        train_clusters(b, second.pool, first.options, {});
    EXPECT_EQ(one.totals, two.totals);
    EXPECT_EQ(largest_difference(a.encoder().parameters().flat(),
                                 b.encoder().parameters().flat()),
              0.0);
    EXPECT_EQ(largest_difference(a.probabilities(first.pool).elements(),
                                 b.probabilities(second.pool).elements()),
              0.0);
  }
}

TEST(ClusterStage, a_training_network_tells_two_kinds_of_windows_apart) {
  // High windows and low ones; the pool says who is near whom.
  Encoder encoder(kShape, 3);
  Matrix<float> windows = normals(80, 72, 9);
  ClusterPool pool;
  pool.originals = pool.windows = 80;
  pool.points = unit_rows(80, 10);
  for (std::size_t i = 0; i < 80; ++i) {
    const float side = i % 2 == 0 ? 1.0F : -1.0F;
    for (float& value : windows.row(i)) value = 0.3F * value + side;
    pool.points(i, 0) += 10.0F * side;
  }
  pool.fill = fill_from(windows);
  ClusterOptions options;
  options.classes = 2;
  options.batch = 20;
  options.epochs = 15;
  ClusterModel model(encoder, HeadInput::kPoints, 2, 4);
  const ClusterHistory history = train_clusters(model, pool, options, {});
  EXPECT_LT(history.totals.back(), history.totals.front() - 0.2);
  EXPECT_LT(history.totals.back(), -2.0 * std::log(2.0) + 0.3);
}

TEST(ClusterStage, the_pool_is_made_again_on_time) {
  Mixed at;
  at.options.epochs = 7;
  std::vector<double> moved;
  ClusterTraining training;
  training.refresh_epochs = 3;
  training.refresh = [&](const Encoder& encoder, ClusterPool&) {
    moved.push_back(largest_difference(encoder.parameters().flat(),
                                       at.encoder.parameters().flat()));
  };
  ClusterModel model(at.encoder, HeadInput::kPoints, 5, 4);
  train_clusters(model, at.pool, at.options, training);
  ASSERT_EQ(moved.size(), 2u);  // before epochs 3 and 6
  EXPECT_GT(moved[0], 0.0);
  EXPECT_GT(moved[1], moved[0]);
}

TEST(ClusterStage, an_observer_may_stop_it) {
  Mixed at;
  ClusterModel model(at.encoder, HeadInput::kPoints, 5, 4);
  CancelAtOnce cancel;
  const ClusterHistory history = train_clusters(
      model, at.pool, at.options, {true, 0, {}}, {nullptr, &cancel});
  EXPECT_EQ(history.status, SolveStatus::kCancelled);
  EXPECT_EQ(history.totals.size(), 1u);
}

TEST(ClusterStage, wrong_pools_are_refused) {
  Mixed at;
  ClusterModel model(at.encoder, HeadInput::kFeatures, 5, 4);
  EXPECT_THROW(train_clusters(model, at.pool, at.options, {}),
               InvalidArgument);  // latents of 4 numbers, head reads 8
  ClusterModel good(at.encoder, HeadInput::kPoints, 5, 4);
  ClusterOptions large = at.options;
  large.batch = 81;
  EXPECT_THROW(train_clusters(good, at.pool, large, {}), InvalidArgument);
  EXPECT_THROW(train_clusters(good, at.pool, at.options, {false, 2, {}}),
               InvalidArgument);
}

}  // namespace cluster_stage_test
}  // namespace sbog::series
