// SPDX-License-Identifier: Apache-2.0
// In `sbog-torch`: LibTorch is here; see libtorch.h.
#include "libtorch.h"

#include <malloc.h>
#include <torch/version.h>

namespace sbog::cli {
namespace {

// Tensors of a few megabytes come and go with each training step. What they
// leave is kept for the next step: given back to the system and fetched again,
// page by page, it costs an eighth of the time.
void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the highest that is allowed
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

}  // namespace

void prepare_program(char** /*argv*/) { keep_freed_memory(); }

void need_libtorch() {}

const char* linked_libtorch() { return TORCH_VERSION; }

}  // namespace sbog::cli
