// SPDX-License-Identifier: Apache-2.0
// How help, man page and completion speak of an option.
#pragma once

#include <string>

#include "sbog/base/option_table.h"

namespace sbog::cli {

/// What its value is called: FILE, N, X, NAME; empty for a flag.
std::string value_word(const OptionInfo& option);

/// " {a, b} (default: a)" behind the help sentence.
std::string option_notes(const OptionInfo& option);

}  // namespace sbog::cli
