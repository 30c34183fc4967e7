// SPDX-License-Identifier: Apache-2.0
// Lines of progress; see progress_text.h.
#include "sbog/base/progress_text.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "sbog/base/number_text.h"

namespace sbog {
namespace {

constexpr double kSilence = 2.0;
constexpr double kTerminalPause = 0.2;
constexpr double kLogPause = 10.0;

}  // namespace

ProgressText::ProgressText(std::string verb, ProgressPlace place)
    : verb_(std::move(verb)), place_(place) {}

std::optional<std::string> ProgressText::next(std::uint64_t done,
                                              std::uint64_t total,
                                              double seconds) {
  // A job of several passes starts again from 0.
  if (!has_begun_ || done < last_done_) {
    has_begun_ = true;
    begin_ = changed_at_ = seconds;
    first_done_ = done;
    shown_done_.reset();
  } else if (done > last_done_) {
    changed_at_ = seconds;
  }
  last_done_ = done;
  const bool is_log = place_ == ProgressPlace::kLog;
  const double elapsed = seconds - begin_;
  if (elapsed < kSilence ||
      seconds - shown_at_ < (is_log ? kLogPause : kTerminalPause) ||
      (is_log && shown_done_ == done)) {
    return std::nullopt;
  }
  shown_at_ = seconds;
  shown_done_ = done;
  const double share =
      total == 0 ? 1.0 : static_cast<double>(done) / static_cast<double>(total);
  char percent[40];
  std::snprintf(percent, sizeof percent, " %3.0f %%", 100.0 * share);
  if (done == first_done_) return verb_ + percent;
  const double each =
      (changed_at_ - begin_) / static_cast<double>(done - first_done_);
  const double left = each * static_cast<double>(total - done);
  return verb_ + percent + ", " +
         duration(std::max(0.0, left - (seconds - changed_at_))) + " left";
}

}  // namespace sbog
