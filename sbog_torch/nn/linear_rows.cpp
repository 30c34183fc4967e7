// SPDX-License-Identifier: Apache-2.0
// Rows one by one; see linear_rows.h.
#include "sbog_torch/nn/linear_rows.h"

#include <vector>

namespace sbog::nn {

torch::Tensor linear_rows(const torch::Tensor& x, const torch::Tensor& weight,
                          const torch::Tensor& bias) {
  const bool is_trained = torch::GradMode::is_enabled() &&
                          (x.requires_grad() || weight.requires_grad() ||
                           (bias.defined() && bias.requires_grad()));
  if (is_trained || x.size(0) < 2) return torch::linear(x, weight, bias);
  std::vector<torch::Tensor> rows;
  rows.reserve(static_cast<std::size_t>(x.size(0)));
  for (std::int64_t i = 0; i < x.size(0); ++i) {
    rows.push_back(torch::linear(x.narrow(0, i, 1), weight, bias));
  }
  return torch::cat(rows);
}

}  // namespace sbog::nn
