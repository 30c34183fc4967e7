// SPDX-License-Identifier: Apache-2.0
// Whether the program that links LibTorch is there and starts.
#pragma once

#include <string>

namespace sbog::cli {

/// What became of the attempt.
struct TorchProgram {
  std::string version;  ///< of LibTorch, as sbog-torch says it
  std::string fault;    ///< one sentence; empty: it starts
};

/// Starts the sbog-torch that lies beside this program and asks for its
/// version; loading LibTorch is most of what it does then.
TorchProgram try_torch_program();

}  // namespace sbog::cli
