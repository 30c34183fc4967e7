// SPDX-License-Identifier: Apache-2.0
// Chunks, first weights and epochs; see in_chunks.h.
#include "sbog_torch/image/detail/in_chunks.h"

#include <algorithm>
#include <string_view>

namespace sbog::image::detail {

torch::Tensor in_chunks(
    const std::vector<torch::Tensor>& inputs,
    const std::function<torch::Tensor(const std::vector<torch::Tensor>&)>&
        compute) {
  const std::int64_t count = inputs.front().size(0);
  std::vector<torch::Tensor> found;
  for (std::int64_t first = 0; first < count; first += kChunk) {
    const std::int64_t here = std::min(kChunk, count - first);
    std::vector<torch::Tensor> rows;
    for (const torch::Tensor& input : inputs) {
      torch::Tensor part = input.narrow(0, first, here);
      if (here < kChunk) {
        std::vector<std::int64_t> repeats(static_cast<std::size_t>(part.dim()),
                                          1);
        repeats[0] = kChunk - here;
        part = torch::cat({part, part.narrow(0, 0, 1).repeat(repeats)});
      }
      rows.push_back(part.contiguous());
    }
    found.push_back(compute(rows).narrow(0, 0, here));
  }
  return torch::cat(found);
}

void initialise_all(nn::ParameterSet& parameters, std::uint64_t seed) {
  constexpr std::string_view kWeight = ".weight";
  for (const nn::Parameter& entry : parameters.entries()) {
    if (!entry.name.ends_with(kWeight)) continue;
    if (entry.shape.size() == 1) {
      std::ranges::fill(parameters.values(entry.name), 1.0F);
      continue;
    }
    nn::initialise_layer(
        parameters, entry.name.substr(0, entry.name.size() - kWeight.size()),
        seed);
  }
}

std::size_t steps_per_epoch(const EpochPlan& plan) {
  return plan.rows / std::min(plan.batch, plan.rows);
}

SolveStatus run_epochs(const EpochPlan& plan, const Context& context,
                       const std::function<void(const EpochStep&)>& step) {
  const std::size_t steps = steps_per_epoch(plan);
  const std::size_t batch = std::min(plan.batch, plan.rows);
  ProgressCounter progress(context.observer, plan.epochs * steps);
  EpochStep at;
  for (at.epoch = 0; at.epoch < plan.epochs; ++at.epoch) {
    const auto order = draw_order(plan.rows, plan.seed, plan.order, at.epoch);
    for (at.step = 0; at.step < steps; ++at.step, ++at.total) {
      at.rows = std::span(order).subspan(at.step * batch, batch);
      step(at);
      if (!progress.add(1) && at.total + 1 < plan.epochs * steps) {
        return SolveStatus::kCancelled;
      }
    }
  }
  return SolveStatus::kDone;
}

BatchGradients batch_gradients(
    const nn::ParameterSet& parameters, std::span<const std::size_t> rows,
    const Context& context,
    const std::function<PartLoss(const nn::TensorMap& weights,
                                 std::span<const std::size_t> part)>& loss) {
  std::vector<BatchGradients> parts((rows.size() + kPartRows - 1) / kPartRows);
  const Context threads{nn::is_blas_thread_safe() ? context.pool : nullptr,
                        context.observer};
  parallel_for(threads, parts.size(), [&](std::size_t k, std::size_t) {
    nn::use_one_torch_thread();
    const std::size_t first = k * kPartRows;
    const auto part =
        rows.subspan(first, std::min(kPartRows, rows.size() - first));
    const double share =
        static_cast<double>(part.size()) / static_cast<double>(rows.size());
    const nn::TensorMap weights =
        nn::to_tensors(parameters, torch::kFloat32, true);
    PartLoss found = loss(weights, part);
    (share * found.loss).backward();
    for (double& value : found.told) value *= share;
    parts[k] = {nn::gradients_of(weights, parameters), std::move(found.told)};
  });
  BatchGradients sum = std::move(parts.front());
  for (std::size_t k = 1; k < parts.size(); ++k) {
    std::ranges::transform(parts[k].gradients.flat(), sum.gradients.flat(),
                           sum.gradients.flat().begin(), std::plus<>());
    std::ranges::transform(parts[k].told, sum.told, sum.told.begin(),
                           std::plus<>());
  }
  return sum;
}

void cosine_adam_step(const EpochPlan& plan, const EpochStep& at,
                      nn::AdamOptions adam, const nn::ParameterSet& gradients,
                      nn::AdamState& state, nn::ParameterSet& parameters) {
  adam.learning_rate = nn::cosine_rate(
      adam.learning_rate, at.total, steps_per_epoch(plan) * plan.epochs, 0.01);
  nn::adam_step(adam, gradients.flat(), state, parameters.flat());
}

torch::Tensor take_rows(const torch::Tensor& tensor,
                        std::span<const std::size_t> rows) {
  torch::Tensor index =
      torch::empty({static_cast<std::int64_t>(rows.size())}, torch::kInt64);
  std::copy(rows.begin(), rows.end(), index.data_ptr<std::int64_t>());
  return tensor.index_select(0, index);
}

}  // namespace sbog::image::detail
