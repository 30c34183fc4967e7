// SPDX-License-Identifier: Apache-2.0
// The run folder under the names of the tool.
#pragma once

#include "sbog/run/run_folder.h"
