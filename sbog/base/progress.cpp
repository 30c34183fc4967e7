// SPDX-License-Identifier: Apache-2.0
// ProgressCounter and the loops of a Context.
#include "sbog/base/progress.h"

namespace sbog {

bool ProgressCounter::add(std::uint64_t amount) {
  if (observer_ == nullptr) return true;
  const std::lock_guard lock(mutex_);
  if (is_cancelled()) return false;
  done_ += amount;
  if (observer_->on_progress(done_, total_)) return true;
  is_cancelled_.store(true, std::memory_order_relaxed);
  return false;
}

void parallel_for(
    const Context& context, std::size_t count,
    const std::function<void(std::size_t index, std::size_t worker)>& body) {
  if (context.pool != nullptr) {
    context.pool->parallel_for(count, body);
    return;
  }
  for (std::size_t index = 0; index < count; ++index) body(index, 0);
}

std::size_t worker_count(const Context& context) {
  return context.pool == nullptr ? 1 : context.pool->size();
}

}  // namespace sbog
