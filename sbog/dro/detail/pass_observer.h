// SPDX-License-Identifier: Apache-2.0
// Progress over passes whose number is not known beforehand: each pass takes a
// fixed share of what is left.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sbog/base/progress.h"

namespace sbog::detail {

/// Stands between the passes and the caller's observer; on_progress of every
/// pass runs from 0 to its total.
class PassObserver : public Observer {
 public:
  /// `observer` may be null.
  explicit PassObserver(Observer* observer) : observer_(observer) {}

  bool on_progress(std::uint64_t done, std::uint64_t total) override {
    const double share = total == 0 ? 1.0 : double(done) / double(total);
    const double now = begin_ + (1.0 - begin_) * kShare * share;
    if (done == total) begin_ = now;
    if (observer_ == nullptr) return true;
    return observer_->on_progress(static_cast<std::uint64_t>(now * kTotal),
                                  kTotal);
  }
  /// Tells that all is done.
  void finish() {
    if (observer_ != nullptr) observer_->on_progress(kTotal, kTotal);
  }

  static constexpr std::uint64_t kTotal = 1'000'000;

 private:
  static constexpr double kShare = 0.15;

  Observer* observer_;
  double begin_ = 0.0;
};

}  // namespace sbog::detail
