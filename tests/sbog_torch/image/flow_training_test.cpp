// SPDX-License-Identifier: Apache-2.0
#include "sbog_torch/image/flow_training.h"

#include <gtest/gtest.h>

#include "decoder_support.h"
#include "sbog/base/errors.h"
#include "sbog/base/thread_pool.h"

namespace sbog::image {
namespace flow_training_test {

using namespace testing_support;

FlowOptions short_run() {
  FlowOptions options;
  options.width = 8;
  options.hidden = 16;
  options.epochs = 2;
  options.batch = 16;
  return options;
}

bool equal_bits(const FlowDecoder& a, const FlowDecoder& b) {
  const auto left = a.parameters().flat();
  const auto right = b.parameters().flat();
  return std::equal(left.begin(), left.end(), right.begin(), right.end());
}

TEST(FlowTraining, noise_is_carried_to_the_image_of_the_point) {
  const DecoderProblem problem = bar_problem(64);
  FlowOptions options = short_run();
  options.epochs = 50;
  options.averaging = 0.95;
  options.optimiser.learning_rate = 6e-3;
  FlowHistory history;
  const FlowDecoder decoder = train_flow(problem, options, {}, &history);
  ASSERT_EQ(history.errors.size(), 50u);
  EXPECT_LT(history.errors.back(), 0.5 * history.errors.front());
  const torch::Tensor made =
      decoder.decode(problem.latents, no_classes(64), number_ids(64));
  const auto cosine = [&](const torch::Tensor& latents) {
    return (problem.embed(made) * latents).sum(1).mean().item<double>();
  };
  EXPECT_GT(cosine(problem.latents), 0.7);
  EXPECT_GT(cosine(problem.latents), cosine(problem.latents.flip(0)) + 0.2);
}

TEST(FlowTraining, the_same_seed_gives_the_same_bits) {
  const DecoderProblem problem = bar_problem(32);
  const FlowDecoder once = train_flow(problem, short_run());
  EXPECT_TRUE(equal_bits(once, train_flow(problem, short_run())));
  FlowOptions other = short_run();
  other.seed = 99;
  EXPECT_FALSE(equal_bits(once, train_flow(problem, other)));
}

TEST(FlowTraining, any_number_of_threads_gives_the_same_bits) {
  const DecoderProblem problem = bar_problem(90);
  FlowOptions options = short_run();
  options.batch = 40;  // two whole parts and a half
  const FlowDecoder alone = train_flow(problem, options);
  for (const std::size_t threads : {2, 7}) {
    ThreadPool pool(threads);
    EXPECT_TRUE(
        equal_bits(alone, train_flow(problem, options, {&pool, nullptr})));
  }
}

TEST(FlowTraining, an_observer_stops_it) {
  StopAfter stop(3);
  FlowHistory history;
  train_flow(bar_problem(64), short_run(), {nullptr, &stop}, &history);
  EXPECT_EQ(history.status, SolveStatus::kCancelled);
  EXPECT_TRUE(history.errors.empty());
}

TEST(FlowTraining, options_out_of_range_are_refused) {
  const auto refused = [](auto change) {
    FlowOptions options = short_run();
    change(options);
    return !message_of<InvalidArgument>([&] {
              check_options(options);
            }).empty();
  };
  EXPECT_FALSE(refused([](FlowOptions&) {}));
  EXPECT_TRUE(refused([](FlowOptions& o) { o.epochs = 0; }));
  EXPECT_TRUE(refused([](FlowOptions& o) { o.averaging = 1.0; }));
  EXPECT_TRUE(refused([](FlowOptions& o) { o.perturbation = -0.1; }));
  EXPECT_TRUE(refused([](FlowOptions& o) { o.optimiser.learning_rate = 0.0; }));
}

}  // namespace flow_training_test
}  // namespace sbog::image
