// SPDX-License-Identifier: Apache-2.0
// Another program, started without a shell in a process group of its own: with
// a time limit, what it prints kept in a file of limited size, and killed with
// its children at the end, whatever they do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sbog {

/// The words of a command line: parted by white space; 'text' and "text" keep
/// spaces, a backslash keeps the next character (not within '...'). Nothing
/// else of a shell is known. Throws InvalidArgument for a quote without an end.
std::vector<std::string> split_words(std::string_view text);

/// What to start, and its limits.
struct ChildOptions {
  std::vector<std::string> words;  ///< program (found by PATH) and arguments
  std::string log;                 ///< gets what it prints, anew; empty: none
  std::size_t log_limit = std::size_t{1} << 20;  ///< bytes kept of the output
  double timeout_seconds = 600.0;
  /// Asked many times a second; true kills the program. May be empty.
  std::function<bool()> is_stopped;
};

/// How a program ended.
enum class ChildEnd {
  kExited,    ///< by itself, with `code`
  kSignal,    ///< by the signal `code`
  kTimedOut,  ///< killed at the time limit
  kStopped,   ///< killed because is_stopped() said so
};

/// What came of it.
struct ChildResult {
  ChildEnd end = ChildEnd::kExited;
  int code = 0;
  double seconds = 0.0;
  std::uint64_t printed = 0;  ///< bytes on both of its outputs
  std::string last_line;      ///< the last line it printed, at most 200 bytes
};

/// Runs a program to its end with an empty standard input. Its process group is
/// killed when it has ended, too, so that nothing it started there outlives
/// it; a program that leaves its group on purpose is not followed. Throws
/// InvalidArgument without words, IoError when it cannot be started or the log
/// cannot be written.
ChildResult run_child(const ChildOptions& options);

}  // namespace sbog
