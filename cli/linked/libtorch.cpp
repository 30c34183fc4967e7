// SPDX-License-Identifier: Apache-2.0
// In `sbog-torch`: LibTorch is here; see libtorch.h.
#include "libtorch.h"

namespace sbog::cli {

void remember_arguments(char** /*argv*/) {}

void need_libtorch() {}

}  // namespace sbog::cli
