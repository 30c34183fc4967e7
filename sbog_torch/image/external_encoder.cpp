// SPDX-License-Identifier: Apache-2.0
// Features and TorchScript; see external_encoder.h.
#include "sbog_torch/image/external_encoder.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "sbog/base/errors.h"
#include "sbog/data/check_finite.h"
#include "sbog/data/dataset.h"
#include "sbog_torch/image/encoder.h"
#include "sbog_torch/image/tensors.h"
#include "sbog_torch/nn/script_model.h"

namespace sbog::image {
namespace {

// One pass; every fault is InvalidArgument.
torch::Tensor run_module(torch::jit::Module& module,
                         const ScriptOptions& options,
                         const torch::Tensor& images) {
  require_images(images, options.shape, "the TorchScript encoder");
  const torch::Tensor out =
      nn::run_script(module, images, "the TorchScript encoder");
  if (!out.is_floating_point() || out.dim() < 2 ||
      out.size(0) != images.size(0)) {
    throw InvalidArgument(
        "the TorchScript encoder must give a floating tensor with one row per "
        "image");
  }
  const torch::Tensor rows = out.flatten(1);
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
  const auto module =
      std::make_shared<torch::jit::Module>(nn::load_script(path));
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
