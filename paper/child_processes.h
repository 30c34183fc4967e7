// SPDX-License-Identifier: Apache-2.0
// Several programs run at once, so many at a time; all of them are ended when
// the work is given up.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace sbog::paper {

/// How a child ended.
struct ChildEnd {
  std::size_t index = 0;  ///< among the commands
  bool is_success = false;
  std::string reason;  ///< one sentence without a full stop; empty on success
};

/// Runs each command (program and arguments), at most `jobs` at a time, in
/// order of index. Standard output of a child is dropped; the first line of its
/// standard error becomes the reason when it fails. `on_end` is told of every
/// child that ended and, with null, now and then in between; it returns false
/// to give up: then the running children are killed. Returns whether all were
/// run. Throws IoError when a program cannot be started and InvalidArgument
/// for an empty command or no jobs; no child is left running either way.
bool run_children(const std::vector<std::vector<std::string>>& commands,
                  std::size_t jobs,
                  const std::function<bool(const ChildEnd*)>& on_end);

/// Asks the system to end this process when its parent ends, so that a killed
/// run leaves nothing behind. Does nothing where the system cannot.
void end_with_parent();

}  // namespace sbog::paper
