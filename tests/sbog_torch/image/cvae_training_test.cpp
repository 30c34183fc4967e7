// SPDX-License-Identifier: Apache-2.0
#include "sbog_torch/image/cvae_training.h"

#include <gtest/gtest.h>

#include "decoder_support.h"
#include "sbog/base/errors.h"
#include "sbog/base/thread_pool.h"

namespace sbog::image {
namespace cvae_training_test {

using namespace testing_support;

CvaeOptions short_run() {
  CvaeOptions options;
  options.width = 8;
  options.noise = 3;
  options.hidden = 12;
  options.epochs = 2;
  options.batch = 16;
  return options;
}

bool equal_bits(const CvaeDecoder& a, const CvaeDecoder& b) {
  const auto left = a.parameters().flat();
  const auto right = b.parameters().flat();
  return std::equal(left.begin(), left.end(), right.begin(), right.end());
}

TEST(CvaeTraining, images_come_back_and_points_decode_to_themselves) {
  const DecoderProblem problem = bar_problem(128);
  CvaeOptions options = short_run();
  options.epochs = 60;
  options.optimiser.learning_rate = 5e-3;
  CvaeHistory history;
  const CvaeDecoder decoder = train_cvae(problem, options, {}, &history);
  ASSERT_EQ(history.errors.size(), 60u);
  EXPECT_LT(history.errors.back(), 0.4 * history.errors.front());
  EXPECT_LT(history.gaps.back(), 0.1);
  EXPECT_GT(history.perturbed_gaps.back(), 0.0);
  EXPECT_LT(history.perturbed_gaps.back(), 0.3);
  const torch::Tensor back =
      decoder.reconstruct(problem.images, problem.latents);
  const double spread =
      (problem.images - problem.images.mean(0)).abs().mean().item<double>();
  EXPECT_LT((back - problem.images).abs().mean().item<double>(), 0.5 * spread);
  const torch::Tensor fresh =
      decoder.decode(problem.latents, no_classes(128), number_ids(128));
  EXPECT_GT(
      (problem.embed(fresh) * problem.latents).sum(1).mean().item<double>(),
      0.8);
}

TEST(CvaeTraining, the_same_seed_gives_the_same_bits) {
  const DecoderProblem problem = bar_problem(40);
  const CvaeDecoder once = train_cvae(problem, short_run());
  EXPECT_TRUE(equal_bits(once, train_cvae(problem, short_run())));
  CvaeOptions other = short_run();
  other.seed = 99;
  EXPECT_FALSE(equal_bits(once, train_cvae(problem, other)));
}

TEST(CvaeTraining, the_consistency_term_is_told_only_where_it_is) {
  DecoderProblem problem = bar_problem(64);
  CvaeOptions options = short_run();
  options.perturbed_share = 0.0;
  CvaeHistory history;
  const CvaeDecoder with = train_cvae(problem, options, {}, &history);
  EXPECT_EQ(history.perturbed_gaps, std::vector<double>(2, 0.0));
  EXPECT_GT(history.gaps.front(), 0.0);
  options.consistency_weight = 0.0;
  options.perturbed_share = 0.5;
  problem.embed = {};
  const CvaeDecoder without = train_cvae(problem, options, {}, &history);
  EXPECT_EQ(history.gaps, std::vector<double>(2, 0.0));
  EXPECT_EQ(history.perturbed_gaps, std::vector<double>(2, 0.0));
  EXPECT_FALSE(equal_bits(with, without));
}

TEST(CvaeTraining, any_number_of_threads_gives_the_same_bits) {
  const DecoderProblem problem = bar_problem(90);
  CvaeOptions options = short_run();
  options.batch = 40;  // two whole parts and a half
  const CvaeDecoder alone = train_cvae(problem, options);
  for (const std::size_t threads : {2, 7}) {
    ThreadPool pool(threads);
    EXPECT_TRUE(
        equal_bits(alone, train_cvae(problem, options, {&pool, nullptr})));
  }
}

TEST(CvaeTraining, an_observer_stops_it) {
  StopAfter stop(3);
  CvaeHistory history;
  train_cvae(bar_problem(64), short_run(), {nullptr, &stop}, &history);
  EXPECT_EQ(history.status, SolveStatus::kCancelled);
  EXPECT_EQ(history.errors.size(), 0u);
}

TEST(CvaeTraining, what_cannot_be_trained_is_refused) {
  const DecoderProblem problem = bar_problem(8);
  const auto refused = [&](auto change) {
    CvaeOptions options = short_run();
    DecoderProblem at = problem;
    change(options, at);
    return !message_of<InvalidArgument>([&] {
              train_cvae(at, options);
            }).empty();
  };
  EXPECT_FALSE(refused([](CvaeOptions&, DecoderProblem&) {}));
  EXPECT_TRUE(refused([](CvaeOptions& o, DecoderProblem&) { o.epochs = 0; }));
  EXPECT_TRUE(refused([](CvaeOptions& o, DecoderProblem&) { o.beta = -1.0; }));
  EXPECT_TRUE(
      refused([](CvaeOptions& o, DecoderProblem&) { o.beta = std::nan(""); }));
  EXPECT_TRUE(refused(
      [](CvaeOptions& o, DecoderProblem&) { o.perturbed_share = 1.0; }));
  EXPECT_TRUE(refused(
      [](CvaeOptions& o, DecoderProblem&) { o.optimiser.learning_rate = 0; }));
  EXPECT_TRUE(refused([](CvaeOptions&, DecoderProblem& at) { at.embed = {}; }));
  EXPECT_TRUE(refused([](CvaeOptions&, DecoderProblem& at) {
    at.latents = at.latents.clone();
    at.latents[3][2] = std::nan("");
  }));
}

}  // namespace cvae_training_test
}  // namespace sbog::image
