// SPDX-License-Identifier: Apache-2.0
// Words for people on standard error: progress, notes and warnings. Also turns
// Ctrl-C into a cancel.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "sbog/base/progress.h"
#include "sbog/base/progress_text.h"
#include "sbog/job/files.h"

namespace sbog::cli {

/// Options that every command has.
struct CommonOptions {
  std::size_t threads = 0;
  std::uint64_t seed = 0;
  bool is_quiet = false;
  bool is_json = false;
  /// False when another command speaks for this one: no result on stdout.
  bool prints_result = true;
};

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
/// terminal, a plain line now and then elsewhere. Cancels on Ctrl-C.
class ProgressLine : public Observer {
 public:
  /// `verb` begins the line, such as "scoring".
  ProgressLine(std::string verb, bool is_quiet);
  ~ProgressLine() override;
  bool on_progress(std::uint64_t done, std::uint64_t total) override;

 private:
  using Clock = std::chrono::steady_clock;

  bool is_quiet_;
  bool is_terminal_;
  bool has_line_ = false;
  Clock::time_point start_;
  ProgressText text_;
};

/// From now on Ctrl-C sets a flag instead of ending the process; a second one
/// ends it at once.
void catch_interrupt();
bool is_interrupted();

using job::check_writable;

}  // namespace sbog::cli
