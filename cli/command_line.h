// SPDX-License-Identifier: Apache-2.0
// The command line of a Command, by CLI11.
#pragma once

#include <CLI/CLI.hpp>

#include "command.h"

namespace sbog::cli {

/// How much help shows.
enum class HelpDepth { kBasic, kAll };

/// Adds the command below `app`. When it is called, its exit code is stored.
void add_command(CLI::App& app, const Command& command, HelpDepth depth,
                 const CommonOptions& common, int& exit_code);

}  // namespace sbog::cli
