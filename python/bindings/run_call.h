// SPDX-License-Identifier: Apache-2.0
// A long call from Python: the work runs on a thread of its own without the
// interpreter, while the calling thread listens for Ctrl-C and hands what the
// work tells to a Python function. So that function always runs on the thread
// that called, and a signal is seen within a twentieth of a second.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <functional>

#include "sbog/base/progress.h"
#include "sbog/job/events.h"

namespace sbog::python {

namespace nb = nanobind;

/// What a call does: the context lends a pool and reports progress.
using Work = std::function<void(job::Events&, const Context&)>;

/// Runs `work` with `threads` workers (0: all cores). `listener` is None or is
/// called as listener(kind, text, done, total) with the kinds "note",
/// "warning", "stage", "end" and "progress". What it raises, and Ctrl-C, stop
/// the work and are raised once it has ended.
void run_call(std::size_t threads, const nb::object& listener,
              const Work& work);

/// The thread that called, for work that needs the interpreter there.
class CallingThread {
 public:
  virtual ~CallingThread() = default;
  /// Runs `task` on it with the interpreter, and waits for that. False when it
  /// raised something, now or before, or the call was stopped: the work should
  /// end then. One thread of the work at a time.
  virtual bool run(const std::function<void()>& task) = 0;
};

/// What a call does that asks Python things on its way.
using AskingWork =
    std::function<void(job::Events&, const Context&, CallingThread&)>;

/// As run_call above. What a task raises is raised once the work has ended.
void run_call(std::size_t threads, const nb::object& listener,
              const AskingWork& work);

/// Throws std::runtime_error when a call ended as stopped although nobody has
/// raised anything, so that half a result is never used.
void require_done(bool is_done);

}  // namespace sbog::python
