// SPDX-License-Identifier: Apache-2.0
#include "sbog_torch/image/detail/in_chunks.h"

#include <gtest/gtest.h>

#include <set>

#include "decoder_support.h"
#include "sbog/base/thread_pool.h"

namespace sbog::image::detail {
namespace in_chunks_test {

using namespace testing_support;

TEST(InChunks, gives_the_rows_of_one_call_and_pads_to_one_size) {
  for (const std::int64_t count : {1, 31, 32, 33, 70}) {
    const torch::Tensor a = normals({count, 3}, 1);
    const torch::Tensor b = normals({count, 3}, 2);
    const torch::Tensor found =
        in_chunks({a, b}, [](const std::vector<torch::Tensor>& rows) {
          EXPECT_EQ(rows[0].size(0), kChunk);
          return rows[0] * rows[1];
        });
    EXPECT_TRUE(same_bits(found, a * b)) << count;
  }
}

TEST(InChunks, a_row_does_not_depend_on_how_many_follow) {
  const torch::Tensor x = normals({40, 1, 8, 8}, 3);
  const torch::Tensor weight = normals({4, 1, 3, 3}, 4);
  const auto compute = [&](const std::vector<torch::Tensor>& rows) {
    return torch::conv2d(rows[0], weight, {}, 1, 1);
  };
  const torch::Tensor all = in_chunks({x}, compute);
  for (const std::int64_t count : {1, 5, 39}) {
    EXPECT_TRUE(same_bits(in_chunks({x.narrow(0, 0, count)}, compute),
                          all.narrow(0, 0, count)));
  }
}

TEST(InChunks, first_weights_are_bounded_and_those_of_norms_are_ones) {
  nn::ParameterSet set;
  set.add("layer.weight", {5, 4});
  set.add("layer.bias", {5});
  set.add("norm.weight", {3});
  set.add("norm.bias", {3});
  initialise_all(set, 9);
  for (const float w : set.values("layer.weight")) {
    EXPECT_LE(std::abs(w), 0.5F);
    EXPECT_NE(w, 0.0F);
  }
  for (const float w : set.values("norm.weight")) EXPECT_EQ(w, 1.0F);
  for (const float w : set.values("norm.bias")) EXPECT_EQ(w, 0.0F);
}

TEST(InChunks, every_epoch_visits_whole_batches_of_different_rows) {
  const EpochPlan plan{10, 3, 2, 5, Purpose::kDecoderOrder};
  ASSERT_EQ(steps_per_epoch(plan), 3u);
  std::vector<std::set<std::size_t>> seen(2);
  std::size_t total = 0;
  const SolveStatus status = run_epochs(plan, {}, [&](const EpochStep& at) {
    EXPECT_EQ(at.total, total++);
    EXPECT_EQ(at.step, at.total % 3);
    EXPECT_EQ(at.rows.size(), 3u);
    seen[at.epoch].insert(at.rows.begin(), at.rows.end());
  });
  EXPECT_EQ(status, SolveStatus::kDone);
  EXPECT_EQ(total, 6u);
  for (const auto& rows : seen) {
    EXPECT_EQ(rows.size(), 9u);
    EXPECT_LT(*rows.rbegin(), 10u);
  }
}

TEST(InChunks, fewer_rows_than_a_batch_are_one_batch) {
  std::size_t calls = 0;
  EXPECT_EQ(run_epochs({4, 100, 3, 5, Purpose::kOrder}, {},
                       [&](const EpochStep& at) {
                         EXPECT_EQ(at.rows.size(), 4u);
                         ++calls;
                       }),
            SolveStatus::kDone);
  EXPECT_EQ(calls, 3u);
}

TEST(InChunks, an_observer_stops_the_walk) {
  StopAfter stop(4);
  std::size_t calls = 0;
  EXPECT_EQ(run_epochs({10, 3, 2, 5, Purpose::kOrder}, {nullptr, &stop},
                       [&](const EpochStep&) { ++calls; }),
            SolveStatus::kCancelled);
  EXPECT_EQ(calls, 4u);
  StopAfter at_the_end(6);
  EXPECT_EQ(run_epochs({10, 3, 2, 5, Purpose::kOrder}, {nullptr, &at_the_end},
                       [](const EpochStep&) {}),
            SolveStatus::kDone);
}

// Mean over rows of (w . x_i)^2: its gradient is 2 mean (w . x_i) x_i.
TEST(InChunks, gradients_of_a_batch_are_those_of_its_mean_for_any_threads) {
  nn::ParameterSet parameters;
  parameters.add("w", {3});
  const std::vector<float> w = {0.5F, -1.0F, 2.0F};
  std::ranges::copy(w, parameters.values("w").begin());
  const torch::Tensor x = normals({50, 3}, 8);
  for (const std::size_t count : {1, 15, 16, 17, 41}) {
    std::vector<std::size_t> rows(count);
    for (std::size_t i = 0; i < count; ++i) rows[i] = (7 * i + 3) % 50;
    std::vector<double> expected(3);
    double mean = 0.0;
    for (const std::size_t row : rows) {
      const auto at = static_cast<std::int64_t>(row);
      double inner = 0.0;
      for (int j = 0; j < 3; ++j) inner += w[j] * x[at][j].item<double>();
      mean += inner * inner / static_cast<double>(count);
      for (int j = 0; j < 3; ++j) {
        expected[j] += 2.0 * inner * x[at][j].item<double>() / count;
      }
    }
    const auto found = [&](const Context& context) {
      return batch_gradients(
          parameters, rows, context,
          [&](const nn::TensorMap& weights, std::span<const std::size_t> part) {
            EXPECT_LE(part.size(), kPartRows);
            const torch::Tensor loss =
                take_rows(x, part).mv(weights.at("w")).square().mean();
            return PartLoss{loss, {loss.item<double>()}};
          });
    };
    const BatchGradients alone = found({});
    EXPECT_NEAR(alone.told.at(0), mean, 1e-5 * mean) << count;
    for (int j = 0; j < 3; ++j) {
      EXPECT_NEAR(alone.gradients.flat()[j], expected[j], 1e-4) << count;
    }
    for (const std::size_t threads : {2, 5}) {
      ThreadPool pool(threads);
      EXPECT_TRUE(std::ranges::equal(found({&pool, nullptr}).gradients.flat(),
                                     alone.gradients.flat()));
    }
  }
}

TEST(InChunks, rows_are_taken_in_the_order_asked) {
  const torch::Tensor x = normals({4, 2}, 5);
  const std::vector<std::size_t> rows = {3, 0, 3};
  const torch::Tensor found = take_rows(x, rows);
  ASSERT_EQ(found.size(0), 3);
  EXPECT_TRUE(same_bits(found[0], x[3]));
  EXPECT_TRUE(same_bits(found[1], x[0]));
  EXPECT_TRUE(same_bits(found[2], x[3]));
}

}  // namespace in_chunks_test
}  // namespace sbog::image::detail
