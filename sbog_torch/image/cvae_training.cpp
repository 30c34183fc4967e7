// SPDX-License-Identifier: Apache-2.0
// Training of the autoencoder; see cvae_training.h.
#include "sbog_torch/image/cvae_training.h"

#include <algorithm>
#include <cmath>

#include "sbog/base/errors.h"
#include "sbog_torch/image/detail/cvae_network.h"
#include "sbog_torch/image/detail/in_chunks.h"
#include "sbog_torch/image/draws.h"

namespace sbog::image {
namespace {

// Sums of one term over an epoch.
struct Mean {
  double sum = 0.0;
  double count = 0.0;
  void add(double value) {
    sum += value;
    count += 1.0;
  }
  double take() {
    const double mean = count > 0.0 ? sum / count : 0.0;
    *this = {};
    return mean;
  }
};

class CvaeTrainer {
 public:
  CvaeTrainer(const DecoderProblem& problem, const CvaeOptions& options)
      : problem_(problem),
        options_(options),
        plan_(decoder_plan(problem, options)),
        decoder_({image_shape(problem),
                  static_cast<std::size_t>(problem.latents.size(1)),
                  options.noise, options.width, options.hidden},
                 options.seed),
        adam_(nn::make_adam_state(decoder_.parameters().size())) {}

  CvaeDecoder run(const Context& context, CvaeHistory& told) {
    told.status =
        detail::run_epochs(plan_, context, [&](const detail::EpochStep& at) {
          step(at, context);
          if (at.step + 1 == detail::steps_per_epoch(plan_)) tell(told);
        });
    return std::move(decoder_);
  }

 private:
  double steps() const {
    return static_cast<double>(detail::steps_per_epoch(plan_) * plan_.epochs);
  }

  // Spread evenly: the batches in which the share, added up, passes a whole
  // number.
  bool is_perturbed(const detail::EpochStep& at) const {
    if (options_.consistency_weight == 0.0) return false;
    const auto before = static_cast<double>(at.total);
    const double share = options_.perturbed_share;
    return std::floor((before + 1.0) * share) > std::floor(before * share);
  }

  void step(const detail::EpochStep& at, const Context& context) {
    const bool is_moved = is_perturbed(at);
    const detail::BatchGradients found = detail::batch_gradients(
        decoder_.parameters(), at.rows, context,
        [&](const nn::TensorMap& weights, std::span<const std::size_t> part) {
          return is_moved ? perturbed_loss(weights, part, at)
                          : whole_loss(weights, part, at);
        });
    if (is_moved) {
      perturbed_gap_.add(found.told[0]);
    } else {
      error_.add(found.told[0]);
      gradient_.add(found.told[1]);
      divergence_.add(found.told[2]);
      if (found.told.size() > 3) gap_.add(found.told[3]);
    }
    detail::cosine_adam_step(plan_, at, options_.optimiser, found.gradients,
                             adam_, decoder_.parameters());
  }

  // Tells error, gradient difference, divergence and, with an encoder, gap.
  detail::PartLoss whole_loss(const nn::TensorMap& weights,
                              std::span<const std::size_t> rows,
                              const detail::EpochStep& at) const {
    const torch::Tensor x = detail::take_rows(problem_.images, rows);
    const torch::Tensor z = detail::take_rows(problem_.latents, rows);
    const auto q = detail::infer(weights, x, z);
    const torch::Tensor draw =
        draw_normals(epoch_streams(rows, at.epoch), options_.noise,
                     options_.seed, Purpose::kPosterior);
    const torch::Tensor made =
        detail::generate(weights, decoder_.network_shape(),
                         q.mean + (0.5 * q.log_variance).exp() * draw, z);
    const torch::Tensor error = (made - x).abs().mean();
    const torch::Tensor gradient = detail::gradient_difference(made, x);
    const torch::Tensor divergence = detail::divergence(q);
    std::vector<double> told = {error.item<double>(), gradient.item<double>(),
                                divergence.item<double>()};
    const double grown = options_.warm_up > 0.0
                             ? std::min(1.0, static_cast<double>(at.total) /
                                                 (options_.warm_up * steps()))
                             : 1.0;
    torch::Tensor loss = error + options_.gradient_weight * gradient +
                         options_.beta * grown * divergence;
    if (options_.consistency_weight > 0.0) {
      const torch::Tensor gap = detail::cosine_gap(problem_.embed(made), z);
      told.push_back(gap.item<double>());
      loss = loss + options_.consistency_weight * gap;
    }
    return {loss, std::move(told)};
  }

  // Tells the gap.
  detail::PartLoss perturbed_loss(const nn::TensorMap& weights,
                                  std::span<const std::size_t> rows,
                                  const detail::EpochStep& at) const {
    const auto streams = epoch_streams(rows, at.epoch);
    const torch::Tensor z = detail::take_rows(problem_.latents, rows);
    const double scale =
        options_.perturbation / std::sqrt(static_cast<double>(z.size(1)));
    const torch::Tensor moved =
        z + scale * draw_normals(streams, static_cast<std::size_t>(z.size(1)),
                                 options_.seed, Purpose::kPerturbation);
    const torch::Tensor v = moved / moved.norm(2, 1, true);
    torch::Tensor noise = draw_normals(streams, options_.noise, options_.seed,
                                       Purpose::kFreshNoise);
    // Points are decoded with fresh noise, or with that of a source image.
    if (at.total % 2 == 0) {
      const torch::NoGradGuard no_gradients;
      const torch::Tensor x = detail::take_rows(problem_.images, rows);
      noise = detail::infer(weights, x, z).mean;
    }
    const torch::Tensor made =
        detail::generate(weights, decoder_.network_shape(), noise, v);
    const torch::Tensor gap = detail::cosine_gap(problem_.embed(made), v);
    return {options_.consistency_weight * gap, {gap.item<double>()}};
  }

  void tell(CvaeHistory& told) {
    told.errors.push_back(error_.take());
    told.gradients.push_back(gradient_.take());
    told.gaps.push_back(gap_.take());
    told.perturbed_gaps.push_back(perturbed_gap_.take());
    told.divergences.push_back(divergence_.take());
  }

  const DecoderProblem& problem_;
  CvaeOptions options_;
  detail::EpochPlan plan_;
  CvaeDecoder decoder_;
  nn::AdamState adam_;
  Mean error_, gradient_, gap_, perturbed_gap_, divergence_;
};

}  // namespace

void check_options(const CvaeOptions& options) {
  const auto is_weight = [](double x) { return x >= 0.0 && x < 1e6; };
  check_training("cvae", options);
  require("cvae",
          is_weight(options.gradient_weight) &&
              is_weight(options.consistency_weight) && is_weight(options.beta),
          "weights of 0 or more are expected");
  require("cvae",
          options.warm_up >= 0.0 && options.warm_up <= 1.0 &&
              options.perturbed_share >= 0.0 && options.perturbed_share < 1.0,
          "a warm-up from 0 to 1 and a share of perturbed batches below 1 are "
          "expected");
  require("cvae", is_weight(options.perturbation),
          "a perturbation of 0 or more is expected");
}

CvaeDecoder train_cvae(const DecoderProblem& problem,
                       const CvaeOptions& options, const Context& context,
                       CvaeHistory* history) {
  check_options(options);
  check_problem(problem, "cvae");
  require("cvae", options.consistency_weight == 0.0 || problem.embed,
          "an encoder is expected for a consistency weight above 0");
  CvaeHistory local;
  CvaeHistory& told = history == nullptr ? local : *history;
  told = {};
  return CvaeTrainer(problem, options).run(context, told);
}

}  // namespace sbog::image
