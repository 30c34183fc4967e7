// SPDX-License-Identifier: Apache-2.0
// Features and TorchScript; see external_encoder.h.
#include "sbog_torch/image/external_encoder.h"

#include <torch/script.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "sbog/base/errors.h"
#include "sbog/data/check_finite.h"
#include "sbog/data/dataset.h"
#include "sbog_torch/image/encoder.h"
#include "sbog_torch/image/tensors.h"

namespace sbog::image {
namespace {

// LibTorch appends a backtrace; the first line that says something is enough.
std::string first_line(const std::string& text) {
  return text.substr(0, std::min(text.find('\n'), std::size_t{200}));
}

torch::jit::Module load_module(const std::string& path) {
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

// One pass; every fault is InvalidArgument.
torch::Tensor run_module(torch::jit::Module& module,
                         const ScriptOptions& options,
                         const torch::Tensor& images) {
  require_images(images, options.shape, "the TorchScript encoder");
  torch::jit::IValue out;
  try {
    out = module.forward({images});
  } catch (const std::exception& error) {
    throw InvalidArgument("the TorchScript encoder fails on images of " +
                          to_string(options.shape) + ": " +
                          first_line(error.what()));
  }
  if (!out.isTensor() || !out.toTensor().is_floating_point() ||
      out.toTensor().dim() < 2 || out.toTensor().size(0) != images.size(0)) {
    throw InvalidArgument(
        "the TorchScript encoder must give a floating tensor with one row per "
        "image");
  }
  const torch::Tensor rows = out.toTensor().flatten(1);
  const auto width = static_cast<std::size_t>(rows.size(1));
  if (width == 0 || (options.latent != 0 && width != options.latent)) {
    throw InvalidArgument("the TorchScript encoder gives " +
                          std::to_string(width) + " numbers per image; " +
                          (options.latent != 0 ? std::to_string(options.latent)
                                               : std::string("some")) +
                          " are expected");
  }
  return unit_rows(rows);
}

}  // namespace

Matrix<float> read_features(const std::string& spec) {
  const Array array = read_array(spec);
  if (array.size() == 0) {
    throw InvalidArgument(spec + ": there are no features");
  }
  sbog::check_finite(array, spec);
  const LoadedMatrix<double> rows = sbog::to_matrix<double>(array);
  Matrix<float> out(rows.rows(), rows.cols());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const auto row = rows.view().row(i);
    // Divided by the largest first, so that no square overflows.
    double largest = 0.0;
    for (const double value : row) largest = std::max(largest, std::abs(value));
    if (!(largest > 0.0)) {
      throw InvalidArgument(spec + ": row " + std::to_string(i) +
                            " has length 0; a direction is expected");
    }
    double square = 0.0;
    for (const double value : row) square += std::pow(value / largest, 2);
    for (std::size_t j = 0; j < row.size(); ++j) {
      out(i, j) = static_cast<float>(row[j] / largest / std::sqrt(square));
    }
  }
  return out;
}

Embed load_script_encoder(const std::string& path,
                          const ScriptOptions& options) {
  const auto module = std::make_shared<torch::jit::Module>(load_module(path));
  const auto extent = [](std::size_t value) {
    return static_cast<std::int64_t>(value);
  };
  try {
    const torch::NoGradGuard no_gradient;
    const torch::Tensor grey =
        torch::full({2, extent(options.shape.channels),
                     extent(options.shape.height), extent(options.shape.width)},
                    0.5);
    require_finite(run_module(*module, options, grey),
                   "the TorchScript encoder on grey images");
  } catch (const InvalidArgument& error) {
    throw IoError(path, error.what());
  }
  return [module, options](const torch::Tensor& images) {
    return run_module(*module, options, images);
  };
}

}  // namespace sbog::image
