// SPDX-License-Identifier: Apache-2.0
// Completion scripts of shells, made from the tree of commands, and what they
// have in common: a `case` over the command so far, and one over the option
// before the cursor.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "about/command_tree.h"
#include "sbog/job/files.h"

namespace sbog::cli {

/// To be sourced by bash, or put where bash-completion looks.
std::string bash_completion(const CommandFacts& root);
/// To be sourced by zsh after compinit, or put on its fpath as _sbog.
std::string zsh_completion(const CommandFacts& root);
/// To be sourced by fish, or put into its completions as sbog.fish.
std::string fish_completion(const CommandFacts& root);

/// Words with a space between them.
std::string joined(const std::vector<std::string>& words);

/// How the scripts write the place in the tree: " detect train", "" at the top.
std::string place_of(const CommandFacts& command);

using job::shell_quoted;

/// Patterns of all places below the top: ' score'|' detect'|...
std::string place_patterns(const CommandFacts& root);

/// One branch per option with a value: `pattern) action; return ;;` where the
/// pattern is place:option. Options of the top are known everywhere.
std::string value_branches(
    const CommandFacts& root,
    const std::function<std::string(const OptionFacts&)>& action);

/// Whether the command takes files that are not the value of an option.
bool takes_files(const CommandFacts& command);

}  // namespace sbog::cli
