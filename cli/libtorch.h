// SPDX-License-Identifier: Apache-2.0
// Loading LibTorch takes most of a second, so `sbog` does without it and hands
// the few jobs that need it to `sbog-torch`, the same tool linked with it.
#pragma once

namespace sbog::cli {

/// Comes before all else. `sbog` keeps what it was called with; the strings
/// stay the caller's.
void prepare_program(char** argv);

/// Returns in `sbog-torch`. In `sbog` it becomes that program, with the same
/// arguments; throws IoError when there is none beside it.
void need_libtorch();

/// The release of LibTorch in `sbog-torch`, such as "1.13.1"; "" in `sbog`.
const char* linked_libtorch();

}  // namespace sbog::cli
