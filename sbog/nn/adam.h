// SPDX-License-Identifier: Apache-2.0
// Adam (Kingma, Ba, 2015) with the weight decay of the gradient or the
// decoupled one of AdamW (Loshchilov, Hutter, 2019), and the cosine schedule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sbog::nn {

/// Settings of Adam.
struct AdamOptions {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0.0;
  bool is_decoupled = false;  ///< AdamW
};

/// What Adam remembers between steps.
struct AdamState {
  std::vector<float> first;   ///< running mean of the gradient
  std::vector<float> second;  ///< and of its square
  std::uint64_t steps = 0;
};

/// A zero state for so many parameters.
AdamState make_adam_state(std::size_t size);

/// One step, in place. Throws InvalidArgument when the sizes differ.
void adam_step(const AdamOptions& options, std::span<const float> gradients,
               AdamState& state, std::span<float> parameters);

/// eta + (rate - eta) (1 + cos(pi epoch / epochs)) / 2 with eta =
/// floor_share x rate.
double cosine_rate(double rate, std::size_t epoch, std::size_t epochs,
                   double floor_share = 1e-6);

}  // namespace sbog::nn
