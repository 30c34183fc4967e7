// SPDX-License-Identifier: Apache-2.0
// Progress and cancel, and the Context that every long call takes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>

#include "sbog/base/thread_pool.h"

namespace sbog {

/// Told how far a long call is. Its method may be called from any worker, but
/// never by two at a time within one call of the library.
class Observer {
 public:
  virtual ~Observer() = default;
  /// Returns false to ask the running call to stop.
  virtual bool on_progress(std::uint64_t done, std::uint64_t total) = 0;
};

/// Adds up the work of all workers, tells the observer and remembers a cancel.
/// Safe to use from any thread.
class ProgressCounter {
 public:
  /// `observer` may be null: then nothing is told and nothing is cancelled.
  ProgressCounter(Observer* observer, std::uint64_t total)
      : observer_(observer), total_(total) {}

  /// Adds finished work; false once the observer has asked to stop. What the
  /// observer throws passes through.
  bool add(std::uint64_t amount);
  /// Whether the observer has asked to stop.
  bool is_cancelled() const {
    return is_cancelled_.load(std::memory_order_relaxed);
  }

 private:
  Observer* observer_;
  std::uint64_t total_;
  std::mutex mutex_;  // guards done_ and the observer
  std::uint64_t done_ = 0;
  std::atomic<bool> is_cancelled_{false};
};

/// How a long call runs. The pool and the observer are borrowed; the caller
/// keeps them alive for the length of the call.
struct Context {
  ThreadPool* pool = nullptr;    ///< null: the calling thread only
  Observer* observer = nullptr;  ///< null: silent and not cancellable
};

/// ThreadPool::parallel_for on the pool of the context, or inline and in order
/// as worker 0 when there is none.
void parallel_for(
    const Context& context, std::size_t count,
    const std::function<void(std::size_t index, std::size_t worker)>& body);

/// The number of distinct worker numbers a loop of this context can see.
std::size_t worker_count(const Context& context);

}  // namespace sbog
