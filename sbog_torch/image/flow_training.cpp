// SPDX-License-Identifier: Apache-2.0
// Training of the rectified flow; see flow_training.h.
#include "sbog_torch/image/flow_training.h"

#include <algorithm>
#include <cmath>

#include "sbog/base/errors.h"
#include "sbog_torch/image/detail/flow_network.h"
#include "sbog_torch/image/detail/in_chunks.h"
#include "sbog_torch/image/draws.h"

namespace sbog::image {
namespace {

class FlowTrainer {
 public:
  FlowTrainer(const DecoderProblem& problem, const FlowOptions& options)
      : problem_(problem),
        options_(options),
        plan_(decoder_plan(problem, options)),
        decoder_({image_shape(problem),
                  static_cast<std::size_t>(problem.latents.size(1)),
                  options.width, options.hidden, options.steps},
                 options.seed),
        current_(decoder_.parameters()),
        adam_(nn::make_adam_state(current_.size())) {}

  FlowDecoder run(const Context& context, FlowHistory& told) {
    double sum = 0.0;
    const std::size_t steps = detail::steps_per_epoch(plan_);
    told.status =
        detail::run_epochs(plan_, context, [&](const detail::EpochStep& at) {
          sum += step(at, context);
          if (at.step + 1 < steps) return;
          told.errors.push_back(sum / static_cast<double>(steps));
          sum = 0.0;
        });
    return std::move(decoder_);
  }

 private:
  double step(const detail::EpochStep& at, const Context& context) {
    const detail::BatchGradients found = detail::batch_gradients(
        current_, at.rows, context,
        [&](const nn::TensorMap& weights, std::span<const std::size_t> part) {
          const torch::Tensor loss = part_loss(weights, part, at.epoch);
          return detail::PartLoss{loss, {loss.item<double>()}};
        });
    detail::cosine_adam_step(plan_, at, options_.optimiser, found.gradients,
                             adam_, current_);
    average(at.total);
    return found.told.front();
  }

  torch::Tensor part_loss(const nn::TensorMap& weights,
                          std::span<const std::size_t> rows,
                          std::size_t epoch) const {
    const auto streams = epoch_streams(rows, epoch);
    const torch::Tensor image =
        2.0 * detail::take_rows(problem_.images, rows) - 1.0;
    const torch::Tensor noise = draw_normals(streams, decoder_.shape().size(),
                                             options_.seed, Purpose::kFlowNoise)
                                    .reshape(image.sizes());
    const torch::Tensor times =
        draw_uniforms(streams, 1, options_.seed, Purpose::kFlowTime).flatten();
    const torch::Tensor t = times.reshape({-1, 1, 1, 1});
    const torch::Tensor found = detail::velocity(
        weights, decoder_.network_shape(), (1.0 - t) * noise + t * image, times,
        condition(rows, streams));
    return (found - (image - noise)).square().mean();
  }

  torch::Tensor condition(std::span<const std::size_t> rows,
                          std::span<const std::uint64_t> streams) const {
    const torch::Tensor z = detail::take_rows(problem_.latents, rows);
    const auto width = static_cast<std::size_t>(z.size(1));
    const double scale =
        options_.perturbation / std::sqrt(static_cast<double>(width));
    const torch::Tensor share =
        draw_uniforms(streams, 1, options_.seed, Purpose::kFreshNoise);
    const torch::Tensor moved =
        z +
        scale * share *
            draw_normals(streams, width, options_.seed, Purpose::kPerturbation);
    return moved / moved.norm(2, 1, true);
  }

  // A short memory at first, or the untrained weights would stay for long.
  void average(std::size_t step) {
    const double count = static_cast<double>(step);
    const double kept =
        std::min(options_.averaging, (1.0 + count) / (10.0 + count));
    const auto mean = decoder_.parameters().flat();
    const auto now = current_.flat();
    for (std::size_t i = 0; i < mean.size(); ++i) {
      mean[i] = static_cast<float>(kept * mean[i] + (1.0 - kept) * now[i]);
    }
  }

  const DecoderProblem& problem_;
  FlowOptions options_;
  detail::EpochPlan plan_;
  FlowDecoder decoder_;  // holds the running mean
  nn::ParameterSet current_;
  nn::AdamState adam_;
};

}  // namespace

void check_options(const FlowOptions& options) {
  check_training("flow", options);
  require("flow", options.perturbation >= 0.0 && options.perturbation < 1e6,
          "a perturbation of 0 or more is expected");
  require("flow", options.averaging >= 0.0 && options.averaging < 1.0,
          "averaging from 0 to below 1 is expected");
}

FlowDecoder train_flow(const DecoderProblem& problem,
                       const FlowOptions& options, const Context& context,
                       FlowHistory* history) {
  check_options(options);
  check_problem(problem, "flow");
  FlowHistory local;
  FlowHistory& told = history == nullptr ? local : *history;
  told = {};
  return FlowTrainer(problem, options).run(context, told);
}

}  // namespace sbog::image
