// SPDX-License-Identifier: Apache-2.0
// TorchScript programs from elsewhere. Such a file is a program: load only
// files whose origin you trust.
#pragma once

#include <torch/script.h>

#include <string>

namespace sbog::nn {

/// The program of a file for the CPU, in evaluation mode; its parameters ask
/// for no gradients. Throws IoError, one sentence, when the file is missing or
/// is no TorchScript.
torch::jit::Module load_script(const std::string& path);

/// What forward gives for one tensor. Throws InvalidArgument, one sentence that
/// begins with `what`, when it fails or gives anything but a tensor.
torch::Tensor run_script(torch::jit::Module& module, const torch::Tensor& input,
                         const std::string& what);

}  // namespace sbog::nn
