// SPDX-License-Identifier: Apache-2.0
// Adam and its schedule; see adam.h.
#include "sbog/nn/adam.h"

#include <cmath>
#include <numbers>

#include "sbog/base/errors.h"
#include "sbog/nn/flush_denormals.h"

namespace sbog::nn {

AdamState make_adam_state(std::size_t size) {
  return {std::vector<float>(size), std::vector<float>(size), 0};
}

void adam_step(const AdamOptions& options, std::span<const float> gradients,
               AdamState& state, std::span<float> parameters) {
  if (gradients.size() != parameters.size() ||
      state.first.size() != parameters.size() ||
      state.second.size() != parameters.size()) {
    throw InvalidArgument(
        "adam_step: gradients, state and parameters must have the same size");
  }
  const FlushDenormals flush;
  ++state.steps;
  const double steps = static_cast<double>(state.steps);
  const double step =
      options.learning_rate / (1.0 - std::pow(options.beta1, steps));
  const double root = std::sqrt(1.0 - std::pow(options.beta2, steps));
  const double kept = options.is_decoupled
                          ? 1.0 - options.learning_rate * options.weight_decay
                          : 1.0;
  const double pull = options.is_decoupled ? 0.0 : options.weight_decay;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const double value = parameters[i];
    const double gradient = gradients[i] + pull * value;
    const double first =
        options.beta1 * state.first[i] + (1.0 - options.beta1) * gradient;
    const double second = options.beta2 * state.second[i] +
                          (1.0 - options.beta2) * gradient * gradient;
    state.first[i] = static_cast<float>(first);
    state.second[i] = static_cast<float>(second);
    parameters[i] = static_cast<float>(
        kept * value -
        step * first / (std::sqrt(second) / root + options.epsilon));
  }
}

double cosine_rate(double rate, std::size_t epoch, std::size_t epochs,
                   double floor_share) {
  const double lowest = rate * floor_share;
  const double turn = std::numbers::pi * static_cast<double>(epoch) /
                      static_cast<double>(epochs);
  return lowest + (rate - lowest) * (1.0 + std::cos(turn)) / 2.0;
}

}  // namespace sbog::nn
