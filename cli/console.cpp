// SPDX-License-Identifier: Apache-2.0
// Terminal output; see console.h.
#include "console.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
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

double seconds_between(std::chrono::steady_clock::time_point a,
                       std::chrono::steady_clock::time_point b) {
  return std::chrono::duration<double>(b - a).count();
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
    : verb_(std::move(verb)),
      is_quiet_(is_quiet),
      is_terminal_(isatty(STDERR_FILENO) != 0),
      start_(Clock::now()),
      last_(start_) {}

ProgressLine::~ProgressLine() {
  if (has_line_ && is_terminal_) std::fprintf(stderr, "\r\033[K");
}

bool ProgressLine::on_progress(std::uint64_t done, std::uint64_t total) {
  if (is_interrupted()) return false;
  const Clock::time_point now = Clock::now();
  // A job of several passes starts again from 0, a resumed one above it.
  if (done < last_done_ || last_done_ == 0) {
    start_ = now;
    first_done_ = done;
  }
  last_done_ = done;
  const double elapsed = seconds_between(start_, now);
  const double pause = is_terminal_ ? 0.2 : 10.0;
  if (is_quiet_ || elapsed < 2.0 || done == first_done_ ||
      seconds_between(last_, now) < pause) {
    return true;
  }
  last_ = now;
  const double share = static_cast<double>(done) / static_cast<double>(total);
  const double rate = static_cast<double>(done - first_done_) / elapsed;
  const std::string left = duration(static_cast<double>(total - done) / rate);
  std::fprintf(stderr, "%s%s %3.0f %%, %s left%s",
               is_terminal_ ? "\r\033[K" : "", verb_.c_str(), 100.0 * share,
               left.c_str(), is_terminal_ ? "" : "\n");
  has_line_ = true;
  return true;
}

void catch_interrupt() { std::signal(SIGINT, on_interrupt); }

bool is_interrupted() { return interrupted.load(); }

std::string with_commas(std::uint64_t value) {
  const std::string digits = std::to_string(value);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string duration(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::lround(seconds));
  if (whole < 60) return std::to_string(whole) + " s";
  if (whole < 3600) {
    return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) +
           " s";
  }
  return std::to_string(whole / 3600) + " h " +
         std::to_string(whole % 3600 / 60) + " min";
}

void check_writable(const std::string& path) {
  if (path.empty()) return;
  const std::filesystem::path folder =
      std::filesystem::absolute(path).parent_path();
  if (!std::filesystem::is_directory(folder)) {
    throw IoError(path, "cannot be written: its folder does not exist");
  }
  if (std::filesystem::is_directory(path)) {
    throw IoError(path, "cannot be written: it is a folder");
  }
}

}  // namespace sbog::cli
