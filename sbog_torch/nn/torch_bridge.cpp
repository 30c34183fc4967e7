// SPDX-License-Identifier: Apache-2.0
// Copies between our tensors and LibTorch's; see torch_bridge.h.
#include "sbog_torch/nn/torch_bridge.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sbog/base/errors.h"

// There when LibTorch came with OpenBLAS. Its idle threads would otherwise ask
// the kernel for work all the time.
extern "C" __attribute__((weak)) void openblas_set_num_threads(int count);
extern "C" __attribute__((weak)) char* openblas_get_config();

namespace sbog::nn {
namespace {

torch::Tensor copy_of(std::span<const float> values,
                      const std::vector<std::int64_t>& shape,
                      torch::ScalarType type) {
  torch::Tensor tensor = torch::empty(shape, torch::kFloat32);
  std::copy(values.begin(), values.end(), tensor.data_ptr<float>());
  return tensor.to(type);
}

void copy_out(const torch::Tensor& tensor, const std::string& name,
              std::span<float> out) {
  if (static_cast<std::size_t>(tensor.numel()) != out.size()) {
    throw InvalidArgument("from_tensors: " + name + " must have " +
                          std::to_string(out.size()) + " elements");
  }
  const torch::Tensor flat =
      tensor.detach().to(torch::kFloat32).contiguous().reshape({-1});
  std::copy_n(flat.data_ptr<float>(), out.size(), out.data());
}

}  // namespace

void use_one_torch_thread() {
  static const bool is_serial = [] {
    if (openblas_set_num_threads != nullptr) openblas_set_num_threads(1);
    return true;
  }();
  static_cast<void>(is_serial);
  if (torch::get_num_threads() != 1) torch::set_num_threads(1);
}

bool is_blas_thread_safe() {
  if (openblas_get_config == nullptr) return true;
  const std::string_view config = openblas_get_config();
  return config.find("SINGLE_THREADED") == std::string_view::npos;
}

TensorMap to_tensors(const ParameterSet& set, torch::ScalarType type,
                     bool requires_gradient) {
  TensorMap tensors;
  for (const Parameter& entry : set.entries()) {
    const std::vector<std::int64_t> shape(entry.shape.begin(),
                                          entry.shape.end());
    torch::Tensor tensor =
        copy_of(set.flat().subspan(entry.offset, entry.size), shape, type);
    tensors[entry.name] = tensor.set_requires_grad(requires_gradient);
  }
  return tensors;
}

void from_tensors(const TensorMap& tensors, ParameterSet& set) {
  for (const Parameter& entry : set.entries()) {
    const auto found = tensors.find(entry.name);
    if (found == tensors.end()) {
      throw InvalidArgument("from_tensors: there is no tensor " + entry.name);
    }
    copy_out(found->second, entry.name, set.values(entry.name));
  }
}

ParameterSet gradients_of(const TensorMap& tensors, const ParameterSet& like) {
  ParameterSet gradients = like.zeros();
  for (const auto& [name, tensor] : tensors) {
    if (!tensor.grad().defined()) continue;
    copy_out(tensor.grad(), name, gradients.values(name));
  }
  return gradients;
}

torch::Tensor to_tensor(MatrixView<const float> matrix,
                        torch::ScalarType type) {
  const auto rows = static_cast<std::int64_t>(matrix.rows());
  const auto cols = static_cast<std::int64_t>(matrix.cols());
  torch::Tensor tensor = torch::empty({rows, cols}, torch::kFloat32);
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    std::copy_n(matrix.row(i).data(), matrix.cols(),
                tensor.data_ptr<float>() + i * matrix.cols());
  }
  return tensor.to(type);
}

Matrix<float> to_matrix(const torch::Tensor& tensor) {
  if (tensor.dim() != 2) {
    throw InvalidArgument("to_matrix: the tensor must have rank 2");
  }
  Matrix<float> matrix(static_cast<std::size_t>(tensor.size(0)),
                       static_cast<std::size_t>(tensor.size(1)));
  copy_out(tensor, "the tensor", matrix.elements());
  return matrix;
}

}  // namespace sbog::nn
