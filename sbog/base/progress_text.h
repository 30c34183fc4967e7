// SPDX-License-Identifier: Apache-2.0
// What a progress line says and when: nothing for two seconds, then the share
// that is done and, once there is a rate, the time left. Between two steps of a
// job that makes few the time is counted down.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace sbog {

/// Where the lines are read.
enum class ProgressPlace {
  kTerminal,  ///< redrawn often
  kLog        ///< now and then, and only what is new
};

/// The lines of one job; see the top of the file.
class ProgressText {
 public:
  /// `verb` begins the lines.
  ProgressText(std::string verb, ProgressPlace place);

  /// The line to show at `seconds` since the job was made, or nothing.
  std::optional<std::string> next(std::uint64_t done, std::uint64_t total,
                                  double seconds);

 private:
  std::string verb_;
  ProgressPlace place_;
  bool has_begun_ = false;
  double begin_ = 0.0;            // of this pass
  std::uint64_t first_done_ = 0;  // what a resumed job had done before
  std::uint64_t last_done_ = 0;
  double changed_at_ = 0.0;  // when last_done_ was new
  double shown_at_ = 0.0;
  std::optional<std::uint64_t> shown_done_;  // of this pass
};

}  // namespace sbog
