// SPDX-License-Identifier: Apache-2.0
// Terms of outlier exposure; see outlier_loss.h.
#include "sbog_torch/image/outlier_loss.h"

#include <string>

#include "sbog/base/errors.h"

namespace sbog::image {

const char* to_string(OutlierLoss loss) {
  switch (loss) {
    case OutlierLoss::kEnergy:
      return "energy";
    case OutlierLoss::kUniform:
      return "uniform";
    case OutlierLoss::kHinge:
      return "hinge";
  }
  return "unknown";
}

OutlierLoss outlier_loss(std::string_view name) {
  for (const OutlierLoss loss :
       {OutlierLoss::kEnergy, OutlierLoss::kUniform, OutlierLoss::kHinge}) {
    if (name == to_string(loss)) return loss;
  }
  throw InvalidArgument(
      "outlier loss: energy, uniform or hinge is expected, got " +
      std::string(name));
}

torch::Tensor log_sum_exp(const torch::Tensor& logits) {
  return torch::logsumexp(logits, /*dim=*/1);
}

torch::Tensor energy_term(const torch::Tensor& inside,
                          const torch::Tensor& outside,
                          const torch::Tensor& weight,
                          const torch::Tensor& bias) {
  const torch::Tensor energies = torch::cat({inside, outside}).unsqueeze(1);
  const torch::Tensor kinds =
      torch::cat({torch::ones({inside.size(0)}, torch::kInt64),
                  torch::zeros({outside.size(0)}, torch::kInt64)});
  return torch::nn::functional::cross_entropy(
      torch::linear(energies, weight, bias), kinds);
}

void set_border(const torch::Tensor& weight, const torch::Tensor& bias,
                double at) {
  const torch::NoGradGuard no_gradients;
  torch::Tensor moved = bias;  // shares the memory
  moved.copy_(-weight.flatten() * at);
}

torch::Tensor uniform_term(const torch::Tensor& outlier_logits) {
  return (log_sum_exp(outlier_logits) - outlier_logits.mean(1)).mean();
}

torch::Tensor hinge_term(const torch::Tensor& inside,
                         const torch::Tensor& outside, double inner_margin,
                         double outer_margin) {
  return torch::relu(-inside - inner_margin).square().mean() +
         torch::relu(outer_margin + outside).square().mean();
}

void check_outlier_term(const char* operation, double weight,
                        const HingeMargins& margins) {
  require(operation, weight >= 0.0 && weight < 1e6,
          "a weight of 0 or more is expected");
  require(operation, margins.inner < margins.outer,
          "an inner margin below the outer one is expected");
}

torch::Tensor outlier_term(OutlierLoss loss, const torch::Tensor& inside,
                           const torch::Tensor& outside,
                           const nn::TensorMap& phi,
                           const HingeMargins& margins) {
  if (loss == OutlierLoss::kUniform) return uniform_term(outside);
  const torch::Tensor in = log_sum_exp(inside);
  const torch::Tensor out = log_sum_exp(outside);
  if (loss == OutlierLoss::kHinge) {
    return hinge_term(in, out, margins.inner, margins.outer);
  }
  return energy_term(in, out, phi.at("phi.weight"), phi.at("phi.bias"));
}

}  // namespace sbog::image
