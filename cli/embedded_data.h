// SPDX-License-Identifier: Apache-2.0
// Embedded data under the names of the tool.
#pragma once

#include "sbog/job/embedded_data.h"

namespace sbog::cli {

using job::embedded_array;
using job::is_embedded;
using job::load_array;

}  // namespace sbog::cli
