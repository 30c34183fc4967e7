// SPDX-License-Identifier: Apache-2.0
// Heads on latents: where they begin, what outliers teach them, what is
// refused.
#include "paper/torch/latent_head_training.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sbog/base/errors.h"
#include "sbog_torch/image/decoder_support.h"
#include "sbog_torch/image/detector_scores.h"

namespace sbog::image {
namespace latent_head_training_test {

using namespace testing_support;

constexpr std::int64_t kWidth = 6;

// Rows of a class each: its axis, noise, and a step along axis 4.
struct Latents {
  Matrix<float> rows;
  std::vector<std::int64_t> classes;
};

Latents make_latents(std::int64_t count, double step, std::uint64_t index) {
  torch::Tensor rows = 0.3 * normals({count, kWidth}, index);
  Latents made;
  for (std::int64_t i = 0; i < count; ++i) {
    rows[i][i % 2] += 1.0;
    rows[i][4] += step;
    made.classes.push_back(i % 2);
  }
  made.rows = nn::to_matrix(unit(rows));
  return made;
}

// The first two axes.
Matrix<float> two_axes() {
  Matrix<float> anchors(2, kWidth);
  anchors(0, 0) = anchors(1, 1) = 1.0F;
  return anchors;
}

LatentHeadOptions quick(OutlierLoss loss = OutlierLoss::kEnergy) {
  LatentHeadOptions options;
  options.loss = loss;
  options.epochs = 20;
  options.batch = options.outliers = 32;
  return options;
}

std::vector<double> scores_of(const LatentHead& head, const Latents& latents) {
  return lse_scores(
      head_logits(head, nn::to_tensor(latents.rows, torch::kFloat32)));
}

double accuracy_of(const LatentHead& head, const Latents& latents) {
  torch::Tensor classes = torch::empty(
      {static_cast<std::int64_t>(latents.classes.size())}, torch::kInt64);
  std::ranges::copy(latents.classes, classes.data_ptr<std::int64_t>());
  return classifier_accuracy(
      head_logits(head, nn::to_tensor(latents.rows, torch::kFloat32)), classes);
}

double auroc_of(const LatentHead& head) {
  return detection_quality(scores_of(head, make_latents(200, 0.0, 21)),
                           scores_of(head, make_latents(200, 0.6, 22)))
      .auroc;
}

bool equal_bits(const LatentHead& a, const LatentHead& b) {
  for (const auto& [name, tensor] : a) {
    if (!same_bits(tensor, b.at(name))) return false;
  }
  return a.size() == b.size();
}

TEST(LatentHeadTraining, the_start_is_the_alignment_in_closed_form) {
  const LatentHead head = start_head(two_axes(), 0.1);
  for (const double angle : {0.0, 0.4, 1.2}) {
    const double x = std::cos(angle), y = std::sin(angle);
    Latents one;
    one.rows = Matrix<float>(1, kWidth);
    one.rows(0, 0) = static_cast<float>(x);
    one.rows(0, 1) = static_cast<float>(y);
    EXPECT_NEAR(scores_of(head, one)[0],
                std::log(std::exp(10.0 * x) + std::exp(10.0 * y)), 1e-5);
  }
}

TEST(LatentHeadTraining, without_outliers_a_head_classifies) {
  const Latents bank = make_latents(128, 0.0, 1);
  // Anchors that are turned away: only the training can put this right.
  Matrix<float> anchors(2, kWidth);
  anchors(0, 1) = anchors(1, 0) = 1.0F;
  const Latents held_out = make_latents(200, 0.0, 2);
  EXPECT_LT(accuracy_of(start_head(anchors), held_out), 0.1);
  LatentHeadOptions options = quick();
  options.epochs = 60;
  DetectorHistory history;
  const LatentHead head = train_latent_head({anchors, bank.rows, bank.classes},
                                            options, {}, &history);
  EXPECT_GT(accuracy_of(head, held_out), 0.9);
  ASSERT_EQ(history.cross_entropies.size(), 60u);
  EXPECT_LT(history.cross_entropies.back(), history.cross_entropies.front());
  EXPECT_TRUE(history.outlier_terms.empty());
  EXPECT_EQ(history.status, SolveStatus::kDone);
}

TEST(LatentHeadTraining, outliers_teach_a_head_to_tell_unseen_ones) {
  const Latents bank = make_latents(128, 0.0, 1);
  const Latents outliers = make_latents(80, 0.6, 3);
  const Matrix<float> anchors = two_axes();
  const LatentHead without =
      train_latent_head({anchors, bank.rows, bank.classes}, quick());
  const double before = auroc_of(without);
  for (const OutlierLoss loss :
       {OutlierLoss::kEnergy, OutlierLoss::kUniform, OutlierLoss::kHinge}) {
    SCOPED_TRACE(to_string(loss));
    DetectorHistory history;
    const LatentHead head =
        train_latent_head({anchors, bank.rows, bank.classes, outliers.rows},
                          quick(loss), {}, &history);
    ASSERT_EQ(history.outlier_terms.size(), 20u);
    EXPECT_LT(history.outlier_terms.back(), history.outlier_terms.front());
    EXPECT_GT(accuracy_of(head, make_latents(200, 0.0, 2)), 0.85);
    // What both logits share is nothing to the uniform term.
    if (loss == OutlierLoss::kUniform) continue;
    EXPECT_GT(auroc_of(head), before + 0.1);
  }
}

TEST(LatentHeadTraining, a_weight_of_zero_is_no_outliers_at_all) {
  const Latents bank = make_latents(64, 0.0, 1);
  const Latents outliers = make_latents(20, 0.6, 3);
  const Matrix<float> anchors = two_axes();
  LatentHeadOptions options = quick();
  options.weight = 0.0;
  const LatentHead with = train_latent_head(
      {anchors, bank.rows, bank.classes, outliers.rows}, options);
  const LatentHead without =
      train_latent_head({anchors, bank.rows, bank.classes}, options);
  for (const char* name : {"head.weight", "head.bias"}) {
    EXPECT_TRUE(same_bits(with.at(name), without.at(name))) << name;
  }
}

TEST(LatentHeadTraining, the_same_seed_gives_the_same_bits) {
  const Latents bank = make_latents(100, 0.0, 1);
  const Latents outliers = make_latents(30, 0.6, 3);
  const Matrix<float> anchors = two_axes();
  LatentHeadOptions options = quick();
  options.epochs = 2;
  const auto train = [&] {
    return train_latent_head({anchors, bank.rows, bank.classes, outliers.rows},
                             options);
  };
  const LatentHead first = train();
  EXPECT_TRUE(equal_bits(first, train()));
  options.seed = 24;
  EXPECT_FALSE(equal_bits(first, train()));
}

TEST(LatentHeadTraining, a_heavy_weight_does_not_throw_it_off) {
  const Latents bank = make_latents(128, 0.0, 1);
  const Latents outliers = make_latents(80, 0.6, 3);
  const Matrix<float> anchors = two_axes();
  LatentHeadOptions options = quick(OutlierLoss::kHinge);
  options.weight = 100.0;
  DetectorHistory history;
  const LatentHead head = train_latent_head(
      {anchors, bank.rows, bank.classes, outliers.rows}, options, {}, &history);
  EXPECT_EQ(history.status, SolveStatus::kDone);
  EXPECT_LT(head.at("head.weight").norm().item<double>(), 100.0);
  EXPECT_GT(auroc_of(head), 0.8);
  // Rates that are too high are found out.
  options.sgd.learning_rate = options.sgd.final_rate = 1e6;
  train_latent_head({anchors, bank.rows, bank.classes, outliers.rows}, options,
                    {}, &history);
  EXPECT_EQ(history.status, SolveStatus::kNotConverged);
}

TEST(LatentHeadTraining, a_run_that_is_stopped_says_so) {
  const Latents bank = make_latents(64, 0.0, 1);
  const Matrix<float> anchors = two_axes();
  StopAfter stop(1);
  DetectorHistory history;
  const LatentHead head = train_latent_head(
      {anchors, bank.rows, bank.classes}, quick(), {nullptr, &stop}, &history);
  EXPECT_EQ(history.status, SolveStatus::kCancelled);
  EXPECT_FALSE(
      same_bits(head.at("head.weight"), start_head(anchors).at("head.weight")));
}

TEST(LatentHeadTraining, what_does_not_fit_is_refused) {
  const Latents bank = make_latents(8, 0.0, 1);
  const Matrix<float> anchors = two_axes();
  const LatentHeadProblem good{anchors, bank.rows, bank.classes};
  const auto refused = [&](const LatentHeadProblem& problem) {
    return !message_of<InvalidArgument>([&] {
              train_latent_head(problem, quick());
            }).empty();
  };
  EXPECT_FALSE(refused(good));
  const std::vector<std::int64_t> foreign = {0, 1, 2, 0, 1, 0, 1, 0};
  const std::vector<std::int64_t> few = {0, 1};
  Matrix<float> wide(3, kWidth + 1);
  for (std::size_t i = 0; i < 3; ++i) wide(i, i) = 1.0F;
  Matrix<float> long_rows = anchors.clone();
  long_rows(0, 0) = 2.0F;
  Matrix<float> nan = anchors.clone();
  nan(0, 0) = std::nanf("");
  EXPECT_TRUE(refused({anchors, bank.rows, foreign}));
  EXPECT_TRUE(refused({anchors, bank.rows, few}));
  EXPECT_TRUE(refused({wide, bank.rows, bank.classes}));
  EXPECT_TRUE(refused({anchors, bank.rows, bank.classes, wide}));
  EXPECT_TRUE(refused({anchors, bank.rows, bank.classes, long_rows}));
  EXPECT_TRUE(refused({anchors, bank.rows, bank.classes, nan}));
  EXPECT_TRUE(refused({nan, bank.rows, bank.classes}));
  EXPECT_TRUE(refused({anchors, Matrix<float>(), {}}));
  for (const auto& change :
       std::vector<std::function<void(LatentHeadOptions&)>>{
           [](auto& o) { o.temperature = 0.0; }, [](auto& o) { o.epochs = 0; },
           [](auto& o) { o.batch = 0; }, [](auto& o) { o.outliers = 0; },
           [](auto& o) { o.weight = -1.0; },
           [](auto& o) { o.inner_margin = o.outer_margin; },
           [](auto& o) { o.sgd.momentum = 1.0; }}) {
    LatentHeadOptions options;
    change(options);
    EXPECT_THROW(check_options(options), InvalidArgument);
  }
}

}  // namespace latent_head_training_test
}  // namespace sbog::image
