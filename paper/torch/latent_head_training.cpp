// SPDX-License-Identifier: Apache-2.0
// The descent of heads on latents; see latent_head_training.h.
#include "paper/torch/latent_head_training.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sbog/base/errors.h"
#include "sbog/energy/reference_measure.h"
#include "sbog_torch/image/detail/cycled_images.h"
#include "sbog_torch/image/detail/epoch_means.h"
#include "sbog_torch/image/detail/in_chunks.h"
#include "sbog_torch/image/draws.h"
#include "sbog_torch/nn/linear_rows.h"

namespace sbog::image {
namespace {

void check_problem(const LatentHeadProblem& problem) {
  require("latent head",
          problem.anchors.rows() >= 2 && problem.latents.rows() >= 1,
          "anchors of two classes or more and some latents are expected");
  require("latent head", problem.classes.size() == problem.latents.rows(),
          "one class per latent is expected");
  const auto classes = static_cast<std::int64_t>(problem.anchors.rows());
  for (const std::int64_t label : problem.classes) {
    require("latent head", label >= 0 && label < classes,
            "classes with an anchor are expected");
  }
  const std::size_t width = problem.anchors.cols();
  require("latent head",
          problem.latents.cols() == width && (problem.outliers.rows() == 0 ||
                                              problem.outliers.cols() == width),
          "latents and outliers as wide as the anchors are expected");
  check_points(problem.anchors, GroundCost::kCosine, "latent head: anchors");
  check_points(problem.latents, GroundCost::kCosine, "latent head: latents");
  if (problem.outliers.rows() == 0) return;
  check_points(problem.outliers, GroundCost::kUnitCosine,
               "latent head: outliers");
}

torch::Tensor to_classes(std::span<const std::int64_t> labels) {
  torch::Tensor classes =
      torch::empty({static_cast<std::int64_t>(labels.size())}, torch::kInt64);
  std::ranges::copy(labels, classes.data_ptr<std::int64_t>());
  return classes;
}

class HeadTraining {
 public:
  HeadTraining(const LatentHeadProblem& problem,
               const LatentHeadOptions& options)
      : options_(options),
        latents_(nn::to_tensor(problem.latents, torch::kFloat32)),
        classes_(to_classes(problem.classes)),
        head_(start_head(problem.anchors, options.temperature)),
        plan_{problem.latents.rows(), options.batch, options.epochs,
              options.seed, Purpose::kHeadOrder} {
    if (problem.outliers.rows() > 0) {
      outliers_ = nn::to_tensor(problem.outliers, torch::kFloat32);
      outlier_order_.emplace(problem.outliers.rows(), options.seed,
                             Purpose::kHeadOutlierOrder);
      // Both kinds in equal weight, whatever their numbers.
      set_border(head_.at("phi.weight"), head_.at("phi.bias"),
                 0.5 * (mean_score(latents_) + mean_score(outliers_)));
    }
  }

  LatentHead run(const Context& context, DetectorHistory& told) {
    for (auto& [name, tensor] : head_) tensor.set_requires_grad(true);
    Sgd sgd(head_, options_.sgd);
    const std::size_t steps = detail::steps_per_epoch(plan_);
    const double slower = std::max(1.0, options_.weight);
    detail::EpochMeans means(steps);
    told.status =
        detail::run_epochs(plan_, context, [&](const detail::EpochStep& at) {
          const torch::Tensor inside =
              head_logits(head_, detail::take_rows(latents_, at.rows));
          const torch::Tensor cross_entropy =
              torch::nn::functional::cross_entropy(
                  inside, detail::take_rows(classes_, at.rows));
          torch::Tensor loss = cross_entropy;
          torch::Tensor outlier;
          if (outlier_order_) {
            outlier =
                outlier_term(options_.loss, inside, outlier_logits(), head_,
                             {options_.inner_margin, options_.outer_margin});
            loss = loss + options_.weight * outlier;
          }
          loss.backward();
          sgd.step(cosine_rate(options_.sgd, at.total, steps * plan_.epochs) /
                   slower);
          means.add(at, cross_entropy, outlier, told);
        });
    for (auto& [name, tensor] : head_) {
      tensor = tensor.detach();
      if (!tensor.isfinite().all().item<bool>()) {
        told.status = SolveStatus::kNotConverged;
      }
    }
    return std::move(head_);
  }

 private:
  double mean_score(const torch::Tensor& latents) const {
    return log_sum_exp(head_logits(head_, latents)).mean().item<double>();
  }

  torch::Tensor outlier_logits() {
    return head_logits(
        head_, detail::take_rows(outliers_,
                                 outlier_order_->next(options_.outliers).rows));
  }

  LatentHeadOptions options_;
  torch::Tensor latents_;
  torch::Tensor classes_;
  LatentHead head_;
  detail::EpochPlan plan_;
  torch::Tensor outliers_;                            // or undefined
  std::optional<detail::CycledOrder> outlier_order_;  // of outliers_
};

}  // namespace

torch::Tensor head_logits(const LatentHead& head,
                          const torch::Tensor& latents) {
  return nn::linear_rows(latents, head.at("head.weight"), head.at("head.bias"));
}

void check_options(const LatentHeadOptions& options) {
  require("latent head", options.temperature > 0.0 && options.temperature < 1e6,
          "a temperature above 0 is expected");
  require("latent head",
          options.epochs >= 1 && options.batch >= 1 && options.outliers >= 1,
          "at least one epoch, one latent and one outlier per batch are "
          "expected");
  check_outlier_term("latent head", options.weight,
                     {options.inner_margin, options.outer_margin});
  check_options(options.sgd);
}

LatentHead start_head(MatrixView<const float> anchors, double temperature) {
  const torch::Tensor weight =
      nn::to_tensor(anchors, torch::kFloat64) / temperature;
  return {{"head.weight", weight.to(torch::kFloat32)},
          {"head.bias", torch::zeros({weight.size(0)}, torch::kFloat32)},
          // High log-sum-exp is in-distribution from the first step on.
          {"phi.weight", torch::tensor({{-0.5F}, {0.5F}})},
          {"phi.bias", torch::zeros({2}, torch::kFloat32)}};
}

LatentHead train_latent_head(const LatentHeadProblem& problem,
                             const LatentHeadOptions& options,
                             const Context& context, DetectorHistory* history) {
  check_options(options);
  check_problem(problem);
  DetectorHistory local;
  DetectorHistory& told = history == nullptr ? local : *history;
  told = {};
  return HeadTraining(problem, options).run(context, told);
}

}  // namespace sbog::image
