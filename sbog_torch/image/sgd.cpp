// SPDX-License-Identifier: Apache-2.0
// Gradient descent; see sgd.h.
#include "sbog_torch/image/sgd.h"

#include <cmath>
#include <numbers>

#include "sbog/base/errors.h"

namespace sbog::image {

void check_options(const SgdOptions& options) {
  const auto is_size = [](double value) {
    return std::isfinite(value) && value >= 0.0;
  };
  if (!is_size(options.learning_rate) || !is_size(options.final_rate) ||
      !is_size(options.weight_decay)) {
    throw InvalidArgument(
        "SgdOptions: learning_rate, final_rate and weight_decay must be "
        "finite and not negative");
  }
  if (!(options.momentum >= 0.0 && options.momentum < 1.0)) {
    throw InvalidArgument("SgdOptions: momentum must lie in [0, 1)");
  }
}

double cosine_rate(const SgdOptions& options, std::size_t step,
                   std::size_t steps) {
  const double share = static_cast<double>(step) / static_cast<double>(steps);
  return options.final_rate + (options.learning_rate - options.final_rate) *
                                  0.5 *
                                  (1.0 + std::cos(std::numbers::pi * share));
}

Sgd::Sgd(const nn::TensorMap& parameters, const SgdOptions& options)
    : options_(options), parameters_(parameters) {
  check_options(options);
  for (const auto& [name, tensor] : parameters_) {
    velocities_[name] = torch::zeros_like(tensor.detach());
  }
}

void Sgd::step(double rate) {
  const torch::NoGradGuard no_gradient;
  for (auto& [name, parameter] : parameters_) {
    if (!parameter.grad().defined()) continue;
    torch::Tensor& velocity = velocities_.at(name);
    const torch::Tensor slope =
        parameter.grad().add(parameter, options_.weight_decay);
    velocity.mul_(options_.momentum).add_(slope);
    parameter.add_(velocity,
                   -rate * (options_.is_nesterov ? options_.momentum : 1.0));
    if (options_.is_nesterov) parameter.add_(slope, -rate);
  }
  clear_gradients();
}

void Sgd::clear_gradients() {
  for (auto& [name, parameter] : parameters_) {
    parameter.mutable_grad() = torch::Tensor();
  }
}

}  // namespace sbog::image
