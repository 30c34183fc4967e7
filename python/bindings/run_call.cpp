// SPDX-License-Identifier: Apache-2.0
// See run_call.h.
#include "run_call.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "sbog/base/thread_pool.h"

namespace sbog::python {
namespace {

constexpr std::chrono::milliseconds kPatience(50);

struct Message {
  const char* kind;
  std::string text;
  std::uint64_t done = 0;
  std::uint64_t total = 0;
};

// What the work says, until the calling thread fetches it. Of progress only the
// latest is kept.
class Mailbox : public job::Events, public Observer, public CallingThread {
 public:
  explicit Mailbox(bool is_read) : is_read_(is_read) {}

  void on_note(const std::string& sentence) override {
    put({"note", sentence});
  }
  void on_warning(const std::string& sentence) override {
    put({"warning", sentence});
  }
  void on_stage(const std::string& verb) override { put({"stage", verb}); }
  void on_stage_end() override { put({"end", ""}); }
  bool on_progress(std::uint64_t done, std::uint64_t total) override {
    put({"progress", "", done, total});
    return !is_stopped();
  }

  bool run(const std::function<void()>& task) override {
    std::unique_lock lock(mutex_);
    if (is_closed_) return false;
    task_ = &task;
    changed_.notify_all();
    changed_.wait(lock, [&] { return task_ == nullptr || is_closed_; });
    task_ = nullptr;
    return !is_closed_;
  }

  // For the thread that called: the task that waits, or null.
  const std::function<void()>* task() {
    const std::lock_guard lock(mutex_);
    return task_;
  }
  void end_task() {
    const std::lock_guard lock(mutex_);
    task_ = nullptr;
    changed_.notify_all();
  }
  // Nothing is run any more: Python has raised something.
  void close() {
    stop();
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    changed_.notify_all();
  }

  void end() {
    const std::lock_guard lock(mutex_);
    is_ended_ = true;
    changed_.notify_all();
  }
  // Waits for the end or a task, not for longer than kPatience; true at the
  // end.
  bool wait() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kPatience,
                      [&] { return is_ended_ || task_ != nullptr; });
    return is_ended_;
  }
  std::deque<Message> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(messages_, {});
  }

 private:
  void put(Message message) {
    if (!is_read_) return;
    const std::lock_guard lock(mutex_);
    const std::string_view kind = message.kind;
    if (kind == "progress" && !messages_.empty() &&
        messages_.back().kind == kind) {
      messages_.back() = std::move(message);
    } else {
      messages_.push_back(std::move(message));
    }
  }

  bool is_read_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::deque<Message> messages_;
  const std::function<void()>* task_ = nullptr;
  bool is_ended_ = false;
  bool is_closed_ = false;
};

// Needs the interpreter. Throws what Python raised.
void deliver(Mailbox& mailbox, const nb::object& listener) {
  for (const Message& message : mailbox.take()) {
    // A byte that is part of no character must not hide a message.
    nb::object text = nb::steal(PyUnicode_DecodeUTF8(
        message.text.data(), static_cast<Py_ssize_t>(message.text.size()),
        "replace"));
    listener(message.kind, text, message.done, message.total);
  }
}

}  // namespace

void run_call(std::size_t threads, const nb::object& listener,
              const AskingWork& work) {
  Mailbox mailbox(!listener.is_none());
  std::exception_ptr failure;
  std::exception_ptr raised;  // by Python, first
  const auto listen = [&](bool is_ended) {
    const nb::gil_scoped_acquire acquired;
    try {
      if (!is_ended && PyErr_CheckSignals() != 0) throw nb::python_error();
      if (!raised) deliver(mailbox, listener);
      const std::function<void()>* task = raised ? nullptr : mailbox.task();
      if (task != nullptr) {
        (*task)();
        mailbox.end_task();
      }
    } catch (...) {
      if (!raised) raised = std::current_exception();
      mailbox.close();
    }
  };
  {
    const nb::gil_scoped_release released;
    std::thread worker([&] {
      try {
        ThreadPool pool(threads);
        work(mailbox, {&pool, &mailbox}, mailbox);
      } catch (...) {
        failure = std::current_exception();
      }
      mailbox.end();
    });
    while (!mailbox.wait()) listen(false);
    worker.join();
    listen(true);
  }
  if (raised) std::rethrow_exception(raised);
  if (failure) std::rethrow_exception(failure);
}

void run_call(std::size_t threads, const nb::object& listener,
              const Work& work) {
  run_call(threads, listener,
           AskingWork([&](job::Events& events, const Context& context,
                          CallingThread&) { work(events, context); }));
}

void require_done(bool is_done) {
  if (!is_done) throw std::runtime_error("the call was stopped");
}

}  // namespace sbog::python
