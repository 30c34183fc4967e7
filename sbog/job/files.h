// SPDX-License-Identifier: Apache-2.0
// Small things that jobs share: checks of outputs before the work, numbers in
// sentences.
#pragma once

#include <string>

#include "sbog/base/progress_text.h"

namespace sbog::job {

/// Throws IoError when a file of that name cannot be made, before the work and
/// not after it; fine when empty.
void check_writable(const std::string& path);

using sbog::with_commas;

}  // namespace sbog::job
