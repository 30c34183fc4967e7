// SPDX-License-Identifier: Apache-2.0
// See session.h.
#include "session.h"

#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "sbog/base/byte_text.h"

namespace sbog::cli {
namespace {

constexpr int kSignalled = 128;  // what shells add to the number of a signal
constexpr suseconds_t kPatience = 700000;  // microseconds

std::atomic<job::Events*> listening{nullptr};
std::atomic<int> interrupt{0};
std::atomic<bool> ends_quietly{false};

// What may be called in a handler: no buffers, no locks.
[[noreturn]] void end_at_once() {
  constexpr std::string_view kWords =
      "sbog: interrupted; where the command has --resume, it goes on from what "
      "is on disk\n";
  if (!ends_quietly) {
    // Nothing could be done about a failure.
    (void)!::write(STDERR_FILENO, kWords.data(), kWords.size());
  }
  std::_Exit(kSignalled + interrupt.load());
}

void on_interrupt(int signal) {
  int none = 0;
  if (!interrupt.compare_exchange_strong(none, signal)) end_at_once();
  job::Events* events = listening.load();
  if (events == nullptr) end_at_once();
  events->stop();
  const itimerval once{{0, 0}, {0, kPatience}};
  ::setitimer(ITIMER_REAL, &once, nullptr);
}

void on_impatience(int /*signal*/) { end_at_once(); }

bool has_color() {
  return isatty(STDERR_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
}

}  // namespace

void Console::note(const std::string& text) const {
  if (!is_quiet_) std::fprintf(stderr, "%s\n", shown_text(text).c_str());
}

void Console::warn(const std::string& text) const {
  if (is_quiet_) return;
  const char* word = has_color() ? "\033[33mwarning:\033[0m" : "warning:";
  std::fprintf(stderr, "%s %s\n", word, shown_text(text).c_str());
}

ProgressLine::ProgressLine(std::string verb, bool is_quiet)
    : is_quiet_(is_quiet),
      is_terminal_(isatty(STDERR_FILENO) != 0),
      start_(Clock::now()),
      text_(std::move(verb),
            is_terminal_ ? ProgressPlace::kTerminal : ProgressPlace::kLog) {}

ProgressLine::~ProgressLine() {
  if (has_line_ && is_terminal_) std::fprintf(stderr, "\r\033[K");
}

void ProgressLine::show(std::uint64_t done, std::uint64_t total) {
  if (is_quiet_) return;
  const std::chrono::duration<double> since = Clock::now() - start_;
  const auto line = text_.next(done, total, since.count());
  if (!line) return;
  std::fprintf(stderr, is_terminal_ ? "\r\033[K%s" : "%s\n", line->c_str());
  has_line_ = true;
}

void stop_on_interrupt(job::Events& events, bool is_quiet) {
  ends_quietly.store(is_quiet);
  listening.store(&events);
  std::signal(SIGALRM, on_impatience);
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
}

int stopped_exit_code() {
  const int signal = interrupt.load();
  return kSignalled + (signal == 0 ? SIGINT : signal);
}

void forget_interrupt() { listening.store(nullptr); }

const OptionTable<CommonOptions>& common_option_table() {
  using O = CommonOptions;
  static const OptionTable<O> kTable = [] {
    OptionTable<O> table;
    table.add("threads", &O::threads, "Number of worker threads; 0: all cores")
        .basic()
        .also("n_jobs");
    table.add("seed", &O::seed, "Seed of everything that is drawn")
        .basic()
        .also("random_state");
    table
        .add("quiet", &O::quiet,
             "Print no notes, no warnings and no progress line")
        .basic()
        .flag();
    table.add("json", &O::json, "Print the result as JSON on standard output")
        .basic()
        .flag();
    table
        .add("config", &O::config,
             "TOML file with options, a section for each command; the command "
             "line wins")
        .basic()
        .value("FILE");
    return table;
  }();
  return kTable;
}

void ConsoleEvents::on_note(const std::string& sentence) {
  Console(is_quiet_).note(sentence);
}

void ConsoleEvents::on_warning(const std::string& sentence) {
  Console(is_quiet_).warn(sentence);
}

void ConsoleEvents::on_stage(const std::string& verb) {
  line_ = std::make_unique<ProgressLine>(verb, is_quiet_);
}

void ConsoleEvents::on_stage_end() { line_.reset(); }

bool ConsoleEvents::on_progress(std::uint64_t done, std::uint64_t total) {
  if (line_) line_->show(done, total);
  return true;
}

}  // namespace sbog::cli
