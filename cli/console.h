// SPDX-License-Identifier: Apache-2.0
// Words for people on standard error: progress, notes and warnings. Also turns
// Ctrl-C into the stop button of a job.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "sbog/base/number_text.h"
#include "sbog/base/progress_text.h"
#include "sbog/job/events.h"
#include "sbog/job/files.h"

namespace sbog::cli {

using job::with_commas;

/// Prints to standard error unless quiet.
class Console {
 public:
  explicit Console(bool is_quiet) : is_quiet_(is_quiet) {}
  void note(const std::string& text) const;
  void warn(const std::string& text) const;

 private:
  bool is_quiet_;
};

/// A progress line with the share done and the time left: redrawn on a
/// terminal, a plain line now and then elsewhere.
class ProgressLine {
 public:
  /// `verb` begins the line, such as "scoring".
  ProgressLine(std::string verb, bool is_quiet);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(std::uint64_t done, std::uint64_t total);

 private:
  using Clock = std::chrono::steady_clock;

  bool is_quiet_;
  bool is_terminal_;
  bool has_line_ = false;
  Clock::time_point start_;
  ProgressText text_;
};

/// From now on Ctrl-C presses the stop button of these events instead of ending
/// the process; a second one ends it at once.
void stop_on_interrupt(job::Events& events);
/// The events are gone.
void forget_interrupt();

}  // namespace sbog::cli
