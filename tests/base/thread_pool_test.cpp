// SPDX-License-Identifier: Apache-2.0
#include "sbog/base/thread_pool.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "sbog/base/errors.h"
#include "sbog/base/philox.h"

namespace sbog {
namespace thread_pool_test {

RC_GTEST_PROP(ThreadPool, every_index_is_called_exactly_once, ()) {
  const auto threads = *rc::gen::inRange<std::size_t>(1, 6);
  const auto count = *rc::gen::inRange<std::size_t>(0, 300);
  ThreadPool pool(threads);
  std::vector<int> calls(count, 0);
  pool.parallel_for(count, [&](std::size_t i, std::size_t) { ++calls[i]; });
  RC_ASSERT(calls == std::vector<int>(count, 1));
}

TEST(ThreadPool, size_counts_the_caller) {
  EXPECT_EQ(ThreadPool(1).size(), 1u);
  EXPECT_EQ(ThreadPool(5).size(), 5u);
  EXPECT_EQ(ThreadPool().size(),
            std::max(1u, std::thread::hardware_concurrency()));
}

TEST(ThreadPool, too_many_threads_are_refused) {
  EXPECT_THROW(ThreadPool(ThreadPool::kMaxThreads + 1), InvalidArgument);
}

TEST(ThreadPool, a_pool_of_one_stays_on_the_calling_thread_in_order) {
  ThreadPool pool(1);
  const auto caller = std::this_thread::get_id();
  std::vector<std::size_t> order;
  pool.parallel_for(50, [&](std::size_t index, std::size_t worker) {
    EXPECT_EQ(worker, 0u);
    EXPECT_EQ(std::this_thread::get_id(), caller);
    order.push_back(index);
  });
  EXPECT_EQ(order.size(), 50u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(ThreadPool, all_workers_take_part) {
  ThreadPool pool(4);
  std::barrier everyone(4);  // passes only if four bodies run at a time
  std::vector<int> calls(4, 0);
  pool.parallel_for(4, [&](std::size_t, std::size_t worker) {
    everyone.arrive_and_wait();
    ++calls[worker];
  });
  EXPECT_EQ(calls, std::vector<int>(4, 1));
}

TEST(ThreadPool, a_worker_number_is_never_used_by_two_bodies_at_a_time) {
  ThreadPool pool(4);
  std::vector<std::atomic<int>> inside(pool.size());
  std::atomic<int> clashes{0};
  pool.parallel_for(5000, [&](std::size_t, std::size_t worker) {
    if (inside.at(worker).fetch_add(1) != 0) ++clashes;
    inside[worker].fetch_sub(1);
  });
  EXPECT_EQ(clashes.load(), 0);
}

TEST(ThreadPool, the_exception_of_the_smallest_index_is_rethrown) {
  ThreadPool pool(4);
  std::barrier everyone(4);  // all four throw in the same loop
  try {
    pool.parallel_for(4, [&](std::size_t index, std::size_t) {
      everyone.arrive_and_wait();
      throw std::runtime_error("index " + std::to_string(index));
    });
    FAIL() << "no exception came out";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "index 0");
  }
}

TEST(ThreadPool, after_an_exception_the_remaining_indices_are_skipped) {
  ThreadPool pool(1);
  std::size_t calls = 0;
  EXPECT_THROW(pool.parallel_for(1000,
                                 [&](std::size_t index, std::size_t) {
                                   ++calls;
                                   if (index == 3) throw InvalidArgument("3");
                                 }),
               InvalidArgument);
  EXPECT_EQ(calls, 4u);
}

TEST(ThreadPool, a_pool_works_again_after_an_exception) {
  ThreadPool pool(3);
  for (int repeat = 0; repeat < 50; ++repeat) {
    EXPECT_THROW(
        pool.parallel_for(
            20, [](std::size_t, std::size_t) { throw std::bad_alloc(); }),
        std::bad_alloc);
    std::atomic<int> calls{0};
    pool.parallel_for(20, [&](std::size_t, std::size_t) { ++calls; });
    ASSERT_EQ(calls.load(), 20);
  }
}

TEST(ThreadPool, a_nested_loop_runs_inline_as_the_same_worker) {
  ThreadPool pool(3);
  std::vector<int> calls(40 * 10, 0);
  pool.parallel_for(40, [&](std::size_t outer, std::size_t worker) {
    const auto thread = std::this_thread::get_id();
    pool.parallel_for(10, [&](std::size_t inner, std::size_t inner_worker) {
      EXPECT_EQ(inner_worker, worker);
      EXPECT_EQ(std::this_thread::get_id(), thread);
      ++calls[outer * 10 + inner];
    });
  });
  EXPECT_EQ(calls, std::vector<int>(400, 1));
}

TEST(ThreadPool, a_nested_loop_of_another_pool_runs_inline_as_worker_zero) {
  ThreadPool outer_pool(3);
  ThreadPool inner_pool(2);
  std::atomic<int> calls{0};
  outer_pool.parallel_for(20, [&](std::size_t, std::size_t) {
    const auto thread = std::this_thread::get_id();
    inner_pool.parallel_for(5, [&](std::size_t, std::size_t worker) {
      EXPECT_EQ(worker, 0u);
      EXPECT_EQ(std::this_thread::get_id(), thread);
      ++calls;
    });
  });
  EXPECT_EQ(calls.load(), 100);
}

TEST(ThreadPool, after_a_nested_exception_outside_loops_are_parallel_again) {
  ThreadPool pool(2);
  EXPECT_THROW(pool.parallel_for(2,
                                 [&](std::size_t, std::size_t) {
                                   pool.parallel_for(
                                       1, [](std::size_t, std::size_t) {
                                         throw std::runtime_error("inner");
                                       });
                                 }),
               std::runtime_error);
  std::barrier both(2);
  pool.parallel_for(2,
                    [&](std::size_t, std::size_t) { both.arrive_and_wait(); });
}

TEST(ThreadPool, loops_of_several_outside_threads_run_one_after_the_other) {
  ThreadPool pool(3);
  std::atomic<int> open_loop{-1};
  std::atomic<int> clashes{0};
  const auto caller = [&](int id) {
    for (int repeat = 0; repeat < 100; ++repeat) {
      std::atomic<int> left{30};
      pool.parallel_for(30, [&](std::size_t, std::size_t) {
        int expected = -1;
        if (!open_loop.compare_exchange_strong(expected, id) &&
            expected != id) {
          ++clashes;
        }
        if (--left == 0) open_loop = -1;
      });
    }
  };
  {
    std::jthread first(caller, 1);
    std::jthread second(caller, 2);
  }
  EXPECT_EQ(clashes.load(), 0);
}

std::vector<double> draw_with(std::size_t threads) {
  ThreadPool pool(threads);
  std::vector<double> out(200 * 5);
  pool.parallel_for(200, [&](std::size_t k, std::size_t) {
    PhiloxStream(20240917, 1, 0, k)
        .normals(3, std::span(out).subspan(k * 5, 5));
  });
  return out;
}

TEST(ThreadPool, keyed_draws_are_equal_for_1_2_and_7_threads) {
  const std::vector<double> one = draw_with(1);
  EXPECT_EQ(draw_with(2), one);
  EXPECT_EQ(draw_with(7), one);
}

}  // namespace thread_pool_test
}  // namespace sbog
