// SPDX-License-Identifier: Apache-2.0
// In `sbog-torch`: LibTorch is here; see libtorch.h.
#include "libtorch.h"

#include <torch/version.h>

namespace sbog::cli {

void remember_arguments(char** /*argv*/) {}

void need_libtorch() {}

const char* linked_libtorch() { return TORCH_VERSION; }

}  // namespace sbog::cli
