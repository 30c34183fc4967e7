// SPDX-License-Identifier: Apache-2.0
// From our named tensors to those of LibTorch and back.
#pragma once

#include <torch/torch.h>

#include <map>
#include <string>

#include "sbog/base/matrix.h"
#include "sbog/nn/parameter_set.h"

namespace sbog::nn {

/// LibTorch computes with one thread from here on: its operations on small
/// tensors gain nothing from two, and equal bits need an equal thread count.
/// Holds for the calling thread; a thread of a pool calls it for itself.
void use_one_torch_thread();

/// Whether LibTorch may multiply matrices on several threads at once. An
/// OpenBLAS that was built for one thread may not: it gives two callers the
/// same work space, and now and then one of them gets wrong numbers (seen with
/// Debian's libopenblas0-serial 0.3.21 in 1 of 1,000 products).
bool is_blas_thread_safe();

/// Tensors of a set by name, copied and converted to `type`.
using TensorMap = std::map<std::string, torch::Tensor>;
TensorMap to_tensors(const ParameterSet& set, torch::ScalarType type,
                     bool requires_gradient);

/// Copies tensors of the same names into `set`, rounded to float. Throws
/// InvalidArgument when a tensor is missing or has another size.
void from_tensors(const TensorMap& tensors, ParameterSet& set);

/// The gradients of the tensors as a set of the same shape as `like`; zero
/// where a tensor has none.
ParameterSet gradients_of(const TensorMap& tensors, const ParameterSet& like);

/// A copy of a matrix, and the reverse for a tensor of rank 2.
torch::Tensor to_tensor(MatrixView<const float> matrix, torch::ScalarType type);
Matrix<float> to_matrix(const torch::Tensor& tensor);

}  // namespace sbog::nn
