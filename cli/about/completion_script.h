// SPDX-License-Identifier: Apache-2.0
// Completion scripts of shells, made from the tree of commands.
#pragma once

#include <string>

#include "about/command_tree.h"

namespace sbog::cli {

/// To be sourced by bash, or put where bash-completion looks.
std::string bash_completion(const CommandFacts& root);
/// To be sourced by zsh after compinit, or put on its fpath as _sbog.
std::string zsh_completion(const CommandFacts& root);
/// To be sourced by fish, or put into its completions as sbog.fish.
std::string fish_completion(const CommandFacts& root);

}  // namespace sbog::cli
