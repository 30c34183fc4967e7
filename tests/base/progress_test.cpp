// SPDX-License-Identifier: Apache-2.0
#include "sbog/base/progress.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace sbog {
namespace progress_test {

/// Writes down what it is told and stops at a given amount. Deliberately
/// without a lock: the counter must never call it from two threads at a time.
class Recorder : public Observer {
 public:
  explicit Recorder(std::uint64_t stop_at = ~std::uint64_t{0})
      : stop_at_(stop_at) {}
  bool on_progress(std::uint64_t done, std::uint64_t total) override {
    seen.push_back(done);
    last_total = total;
    return done < stop_at_;
  }
  std::vector<std::uint64_t> seen;
  std::uint64_t last_total = 0;

 private:
  std::uint64_t stop_at_;
};

TEST(ProgressCounter, tells_the_running_sum_and_the_total) {
  Recorder recorder;
  ProgressCounter counter(&recorder, 10);
  EXPECT_TRUE(counter.add(3));
  EXPECT_TRUE(counter.add(0));
  EXPECT_TRUE(counter.add(7));
  EXPECT_EQ(recorder.seen, (std::vector<std::uint64_t>{3, 3, 10}));
  EXPECT_EQ(recorder.last_total, 10u);
  EXPECT_FALSE(counter.is_cancelled());
}

TEST(ProgressCounter, remembers_a_cancel_and_asks_no_more) {
  Recorder recorder(4);
  ProgressCounter counter(&recorder, 10);
  EXPECT_TRUE(counter.add(2));
  EXPECT_FALSE(counter.add(2));
  EXPECT_TRUE(counter.is_cancelled());
  EXPECT_FALSE(counter.add(2));
  EXPECT_EQ(recorder.seen.size(), 2u);
}

TEST(ProgressCounter, without_an_observer_nothing_is_cancelled) {
  ProgressCounter counter(nullptr, 1);
  EXPECT_TRUE(counter.add(5));
  EXPECT_FALSE(counter.is_cancelled());
}

TEST(ProgressCounter, workers_count_in_turn_and_lose_nothing) {
  ThreadPool pool(4);
  Recorder recorder;
  ProgressCounter counter(&recorder, 5000);
  pool.parallel_for(1000, [&](std::size_t, std::size_t) { counter.add(5); });
  ASSERT_EQ(recorder.seen.size(), 1000u);
  for (std::size_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(recorder.seen[i], 5 * (i + 1));
  }
}

TEST(ProgressCounter, a_cancel_reaches_every_worker) {
  ThreadPool pool(3);
  Recorder recorder(10);
  ProgressCounter counter(&recorder, 1000);
  pool.parallel_for(1000, [&](std::size_t, std::size_t) {
    if (!counter.is_cancelled()) counter.add(1);
  });
  EXPECT_TRUE(counter.is_cancelled());
  EXPECT_EQ(recorder.seen.size(), 10u);
}

TEST(ProgressCounter, what_the_observer_throws_reaches_the_caller) {
  struct Thrower : Observer {
    bool on_progress(std::uint64_t, std::uint64_t) override {
      throw std::runtime_error("stop");
    }
  } thrower;
  ProgressCounter counter(&thrower, 8);
  ThreadPool pool(2);
  EXPECT_THROW(
      pool.parallel_for(8, [&](std::size_t, std::size_t) { counter.add(1); }),
      std::runtime_error);
}

TEST(Context, without_a_pool_the_loop_runs_in_order_as_worker_zero) {
  std::vector<std::size_t> order;
  parallel_for(Context{}, 4, [&](std::size_t index, std::size_t worker) {
    EXPECT_EQ(worker, 0u);
    order.push_back(index);
  });
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_EQ(worker_count(Context{}), 1u);
}

TEST(Context, with_a_pool_the_loop_uses_its_workers) {
  ThreadPool pool(3);
  const Context context{.pool = &pool};
  EXPECT_EQ(worker_count(context), 3u);
  std::vector<int> calls(100, 0);
  parallel_for(context, calls.size(), [&](std::size_t i, std::size_t worker) {
    EXPECT_LT(worker, 3u);
    ++calls[i];
  });
  EXPECT_EQ(calls, std::vector<int>(100, 1));
}

}  // namespace progress_test
}  // namespace sbog
