// SPDX-License-Identifier: Apache-2.0
// The man page, made from the tree of commands.
#pragma once

#include <string>

#include "about/command_tree.h"

namespace sbog::cli {

/// sbog(1) in the man macros of roff. It has no date: the same options give
/// the same bytes.
std::string man_page(const CommandFacts& root, const std::string& version);

}  // namespace sbog::cli
