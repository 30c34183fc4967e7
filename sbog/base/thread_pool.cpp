// SPDX-License-Identifier: Apache-2.0
// ThreadPool: workers sleep between loops and draw indices from one counter.
#include "sbog/base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <string>
#include <system_error>

#include "sbog/base/errors.h"

namespace sbog {

/// One running parallel_for, living on the stack of its caller.
struct ThreadPool::Loop {
  std::size_t count;
  const Body& body;
  std::atomic<std::size_t> next{0};
  std::atomic<bool> has_failed{false};
  std::mutex mutex{};  // guards the two members below
  std::exception_ptr error{};
  std::size_t error_index = 0;

  void record(std::size_t index, std::exception_ptr thrown) {
    const std::lock_guard lock(mutex);
    if (!error || index < error_index) {
      error = std::move(thrown);
      error_index = index;
    }
    has_failed.store(true, std::memory_order_relaxed);
  }
};

namespace {

/// The body this thread is inside of, if any.
struct Place {
  const ThreadPool* pool = nullptr;
  std::size_t worker = 0;
};
thread_local Place current_place;

/// Enters a body for the length of a scope.
class EnterPlace {
 public:
  explicit EnterPlace(Place place) : outer_(current_place) {
    current_place = place;
  }
  EnterPlace(const EnterPlace&) = delete;
  EnterPlace& operator=(const EnterPlace&) = delete;
  ~EnterPlace() { current_place = outer_; }

 private:
  Place outer_;
};

std::size_t resolve_thread_count(std::size_t threads) {
  if (threads == 0) {
    const std::size_t hardware = std::thread::hardware_concurrency();
    return std::clamp<std::size_t>(hardware, 1, ThreadPool::kMaxThreads);
  }
  if (threads > ThreadPool::kMaxThreads) {
    throw InvalidArgument("ThreadPool: threads must be at most " +
                          std::to_string(ThreadPool::kMaxThreads) + ", got " +
                          std::to_string(threads));
  }
  return threads;
}

}  // namespace

ThreadPool::ThreadPool(std::size_t threads) {
  const std::size_t workers = resolve_thread_count(threads);
  threads_.reserve(workers - 1);
  try {
    for (std::size_t worker = 1; worker < workers; ++worker) {
      threads_.emplace_back([this, worker](const std::stop_token& stop) {
        run_thread(stop, worker);
      });
    }
  } catch (const std::system_error&) {
    // The system gives no more threads: those that are there do the same work.
  }
}

ThreadPool::~ThreadPool() = default;

void ThreadPool::run_thread(const std::stop_token& stop, std::size_t worker) {
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  while (started_.wait(lock, stop, [&] { return generation_ != seen; })) {
    seen = generation_;
    Loop& loop = *loop_;
    lock.unlock();
    work(loop, worker);
    lock.lock();
    if (--running_ == 0) finished_.notify_one();
  }
}

void ThreadPool::work(Loop& loop, std::size_t worker) const {
  const EnterPlace place({this, worker});
  while (!loop.has_failed.load(std::memory_order_relaxed)) {
    const std::size_t index = loop.next.fetch_add(1, std::memory_order_relaxed);
    if (index >= loop.count) return;
    try {
      loop.body(index, worker);
    } catch (...) {
      loop.record(index, std::current_exception());
    }
  }
}

void ThreadPool::parallel_for(std::size_t count, const Body& body) {
  if (current_place.pool != nullptr) {
    const std::size_t worker =
        current_place.pool == this ? current_place.worker : 0;
    for (std::size_t index = 0; index < count; ++index) body(index, worker);
    return;
  }
  const std::lock_guard one_loop(one_loop_);
  Loop loop{.count = count, .body = body};
  if (threads_.empty() || count < 2) {
    work(loop, 0);
  } else {
    {
      const std::lock_guard lock(mutex_);
      loop_ = &loop;
      ++generation_;
      running_ = threads_.size();
    }
    started_.notify_all();
    work(loop, 0);
    std::unique_lock lock(mutex_);
    finished_.wait(lock, [&] { return running_ == 0; });
    loop_ = nullptr;
  }
  if (loop.error) std::rethrow_exception(loop.error);
}

}  // namespace sbog
