// SPDX-License-Identifier: Apache-2.0
// Terminal output; see console.h.
#include "console.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "sbog/base/errors.h"

namespace sbog::cli {
namespace {

std::atomic<bool> interrupted{false};

void on_interrupt(int /*signal*/) {
  if (interrupted.exchange(true)) std::_Exit(130);
}

bool has_color() {
  return isatty(STDERR_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
}

}  // namespace

void Console::note(const std::string& text) const {
  if (!is_quiet_) std::fprintf(stderr, "%s\n", text.c_str());
}

void Console::warn(const std::string& text) const {
  if (is_quiet_) return;
  const char* word = has_color() ? "\033[33mwarning:\033[0m" : "warning:";
  std::fprintf(stderr, "%s %s\n", word, text.c_str());
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

bool ProgressLine::on_progress(std::uint64_t done, std::uint64_t total) {
  if (is_interrupted()) return false;
  if (is_quiet_) return true;
  const std::chrono::duration<double> since = Clock::now() - start_;
  const auto line = text_.next(done, total, since.count());
  if (!line) return true;
  std::fprintf(stderr, is_terminal_ ? "\r\033[K%s" : "%s\n", line->c_str());
  has_line_ = true;
  return true;
}

void catch_interrupt() { std::signal(SIGINT, on_interrupt); }

bool is_interrupted() { return interrupted.load(); }

}  // namespace sbog::cli
