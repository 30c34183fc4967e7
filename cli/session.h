// SPDX-License-Identifier: Apache-2.0
// What every command has: common options, words for people on standard error
// (progress, notes and warnings), and signals as the stop button of its job.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "sbog/base/number_text.h"
#include "sbog/base/option_table.h"
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

/// From now on SIGINT (Ctrl-C) and SIGTERM press the stop button of these
/// events instead of ending the process. A job that has not stopped within most
/// of a second is ended: files appear whole or not at all, so nothing is lost
/// but what --resume makes again. A second signal ends it at once. `is_quiet`:
/// without a word.
void stop_on_interrupt(job::Events& events, bool is_quiet);
/// What the process exits with after a stopped job: 130 for SIGINT, 143 for
/// SIGTERM.
int stopped_exit_code();
/// The events are gone.
void forget_interrupt();

/// Options that every command has.
struct CommonOptions {
  std::size_t threads = 0;
  std::uint64_t seed = 0;
  bool quiet = false;
  bool json = false;
  std::string config;
};

const OptionTable<CommonOptions>& common_option_table();

/// Notes, warnings and progress lines on standard error.
class ConsoleEvents : public job::Events {
 public:
  explicit ConsoleEvents(bool is_quiet) : is_quiet_(is_quiet) {}
  void on_note(const std::string& sentence) override;
  void on_warning(const std::string& sentence) override;
  void on_stage(const std::string& verb) override;
  void on_stage_end() override;
  bool on_progress(std::uint64_t done, std::uint64_t total) override;

 private:
  bool is_quiet_;
  std::unique_ptr<ProgressLine> line_;
};

/// One call of the tool.
class Session {
 public:
  explicit Session(CommonOptions common)
      : common_(std::move(common)), events_(common_.quiet) {
    stop_on_interrupt(events_, common_.quiet);
  }
  ~Session() { forget_interrupt(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  std::size_t threads() const { return common_.threads; }
  bool is_json() const { return common_.json; }
  bool is_quiet() const { return common_.quiet; }
  job::Events& events() { return events_; }

 private:
  CommonOptions common_;
  ConsoleEvents events_;
};

}  // namespace sbog::cli
