// SPDX-License-Identifier: Apache-2.0
// A linear layer whose rows do not see each other.
#pragma once

#include <torch/torch.h>

namespace sbog::nn {

/// x W' + b of N x inputs rows; bias may be undefined. Where a gradient is
/// asked for, one product for all rows. Otherwise row by row: BLAS may round a
/// row by where it stands among the others, and what is said of a point must
/// not depend on the points beside it.
torch::Tensor linear_rows(const torch::Tensor& x, const torch::Tensor& weight,
                          const torch::Tensor& bias = {});

}  // namespace sbog::nn
