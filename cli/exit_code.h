// SPDX-License-Identifier: Apache-2.0
// What the tool's exit status means.
#pragma once

namespace sbog::cli {

enum ExitCode : int {
  kDone = 0,
  kNotReached = 1,   ///< done, but an asked-for outcome was not reached
  kWrongUse = 2,     ///< options or values that make no sense
  kInputOutput = 3,  ///< a file that cannot be read or written
};

}  // namespace sbog::cli
