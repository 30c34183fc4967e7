// SPDX-License-Identifier: Apache-2.0
// The subcommands. Each adds itself to the application; when chosen, its
// callback runs the job and stores the exit code.
#pragma once

#include <CLI/CLI.hpp>

#include "console.h"

namespace sbog::cli {

void add_generate(CLI::App& app, const CommonOptions& common, int& exit_code);
void add_detect(CLI::App& app, const CommonOptions& common, int& exit_code);
void add_train(CLI::App& app, const CommonOptions& common, int& exit_code);
void add_demo(CLI::App& app, const CommonOptions& common, int& exit_code);
void add_doctor(CLI::App& app, const CommonOptions& common, int& exit_code);
void add_completion(CLI::App& app, const CommonOptions& common, int& exit_code);
void add_man(CLI::App& app, const CommonOptions& common, int& exit_code);

}  // namespace sbog::cli
