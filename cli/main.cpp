// SPDX-License-Identifier: Apache-2.0
// The sbog tool.
#include <cstdio>
#include <exception>

#include "command.h"

int main(int argc, char** argv) {
  try {
    return sbog::cli::run_command_line(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "sbog: unexpected: %s\n", error.what());
    return sbog::cli::kInputOutput;
  }
}
