// SPDX-License-Identifier: Apache-2.0
// What a job tells while it runs, and how it is stopped. A job is a function
//   Result run(const Options&, Events&, const Context&);
// it prints nothing: words go to Events, outcomes to the Result.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "sbog/base/progress.h"

namespace sbog::job {

/// How a job ended.
enum class Status {
  kDone,
  kNotReached,  ///< ended, but an asked-for outcome was not reached
  kStopped,     ///< by Events::stop(); what can be resumed is on disk
};

/// Hears of a job. The functions do nothing here; a program overrides those it
/// wants. Notes, warnings and stages come from the thread that runs the job,
/// progress from any worker, one at a time.
class Events {
 public:
  virtual ~Events() = default;

  /// A sentence worth knowing.
  virtual void on_note(const std::string& /*sentence*/) {}
  /// A sentence that may change what the user does.
  virtual void on_warning(const std::string& /*sentence*/) {}
  /// A stage begins, such as "scoring"; progress that follows belongs to it.
  virtual void on_stage(const std::string& /*verb*/) {}
  /// The stage has ended.
  virtual void on_stage_end() {}
  /// How far the stage is. False asks the job to stop.
  virtual bool on_progress(std::uint64_t /*done*/, std::uint64_t /*total*/) {
    return true;
  }

  /// The stop button: from any thread or signal handler.
  void stop() noexcept { is_stopped_.store(true); }
  /// Whether somebody pressed it.
  bool is_stopped() const noexcept { return is_stopped_.load(); }

 private:
  std::atomic<bool> is_stopped_{false};
};

/// A stage of a job, as long as the object lives. Its context lends the pool of
/// the job and reports to the events.
class Stage : private Observer {
 public:
  Stage(Events& events, const Context& context, const std::string& verb)
      : events_(events), outer_(context) {
    events_.on_stage(verb);
  }
  ~Stage() override { events_.on_stage_end(); }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  Context context() { return {outer_.pool, this}; }

 private:
  bool on_progress(std::uint64_t done, std::uint64_t total) override {
    const bool goes_on = events_.on_progress(done, total);
    const bool is_let =
        outer_.observer == nullptr || outer_.observer->on_progress(done, total);
    if (!goes_on || !is_let) events_.stop();
    return !events_.is_stopped();
  }

  Events& events_;
  Context outer_;
};

/// The result of a job that was stopped before it wrote anything, with a note
/// that says so.
template <typename Result>
Result stopped_unwritten(Result result, Events& events) {
  events.on_note("interrupted; nothing was written");
  result.status = Status::kStopped;
  return result;
}

}  // namespace sbog::job
