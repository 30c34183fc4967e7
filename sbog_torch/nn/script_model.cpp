// SPDX-License-Identifier: Apache-2.0
// See script_model.h.
#include "sbog_torch/nn/script_model.h"

#include <algorithm>
#include <filesystem>

#include "sbog/base/errors.h"

namespace sbog::nn {
namespace {

constexpr std::size_t kLongestShown = 200;

std::string shape_text(const torch::Tensor& tensor) {
  std::string text;
  for (const std::int64_t extent : tensor.sizes()) {
    text += (text.empty() ? "" : " x ") + std::to_string(extent);
  }
  return text;
}

// What LibTorch says: a header, the place in the program, and at the end the
// error itself, maybe with a backtrace behind it.
std::string reason_of(const std::string& text) {
  const std::string mark = "RuntimeError: ";
  const std::size_t at = text.rfind(mark);
  const std::string words =
      at == std::string::npos ? text : text.substr(at + mark.size());
  return words.substr(0, std::min(words.find('\n'), kLongestShown));
}

}  // namespace

torch::jit::Module load_script(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) {
    throw IoError(path, "there is no such file");
  }
  try {
    torch::jit::Module module = torch::jit::load(path, torch::kCPU);
    module.eval();
    for (torch::Tensor parameter : module.parameters()) {
      parameter.set_requires_grad(false);
    }
    return module;
  } catch (const std::exception&) {
    throw IoError(path, "this is not a TorchScript file that can be loaded");
  }
}

torch::Tensor run_script(torch::jit::Module& module, const torch::Tensor& input,
                         const std::string& what) {
  torch::jit::IValue out;
  try {
    out = module.forward({input});
  } catch (const std::exception& error) {
    throw InvalidArgument(what + " fails on an input of " + shape_text(input) +
                          ": " + reason_of(error.what()));
  }
  if (out.isTensor()) return out.toTensor();
  throw InvalidArgument(what + " must give a tensor");
}

}  // namespace sbog::nn
