// SPDX-License-Identifier: Apache-2.0
// The one thread pool of the library: a parallel loop over indices.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace sbog {

/// A fixed set of workers that run one parallel loop at a time. The calling
/// thread is worker 0, so ThreadPool(1) starts no thread at all.
class ThreadPool {
 public:
  /// What a loop calls: body(index, worker) with worker < size(). No two
  /// calls with the same worker run at the same time within one loop.
  using Body = std::function<void(std::size_t index, std::size_t worker)>;

  /// 0 threads means one per hardware thread; fewer when the system gives no
  /// more. Throws InvalidArgument above kMaxThreads.
  explicit ThreadPool(std::size_t threads = 0);
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  /// Must not run while a loop of this pool is running.
  ~ThreadPool();

  /// The number of workers, the caller included.
  std::size_t size() const { return threads_.size() + 1; }

  /// Calls body(index, worker) once for each index in [0, count) and returns
  /// when all calls are done. Indices are handed out in increasing order to
  /// whichever worker is free.
  ///
  /// When calls throw, the remaining indices are skipped and the exception of
  /// the smallest index among those thrown is rethrown here.
  ///
  /// A loop started inside a body runs inline, in order, on the thread of that
  /// body: with that body's worker number when both loops belong to the same
  /// pool, with worker 0 otherwise. It never waits for another thread. Loops
  /// started by several outside threads run one after the other.
  void parallel_for(std::size_t count, const Body& body);

  static constexpr std::size_t kMaxThreads = 1024;

 private:
  struct Loop;

  void run_thread(const std::stop_token& stop, std::size_t worker);
  void work(Loop& loop, std::size_t worker) const;

  std::mutex one_loop_;  // held by the outside caller for the whole loop
  std::mutex mutex_;     // guards the four members below
  std::condition_variable_any started_;
  std::condition_variable finished_;
  Loop* loop_ = nullptr;
  std::uint64_t generation_ = 0;
  std::size_t running_ = 0;
  std::vector<std::jthread> threads_;  // last: stopped and joined first
};

}  // namespace sbog
