// SPDX-License-Identifier: Apache-2.0
// From the words of a command line to a command and its options, by CLI11.
#pragma once

namespace sbog::cli {

/// Runs the command that the words name and returns the exit code. Prints help
/// and, for wrong use, one sentence.
int run_command_line(int argc, const char* const* argv);

}  // namespace sbog::cli
