// SPDX-License-Identifier: Apache-2.0
// The two stages of a detector; see detector_training.h.
#include "sbog_torch/image/detector_training.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog_torch/image/detail/cycled_images.h"
#include "sbog_torch/image/detail/epoch_means.h"
#include "sbog_torch/image/detail/in_chunks.h"
#include "sbog_torch/image/tensors.h"

namespace sbog::image {
namespace {

constexpr std::int64_t kBorderImages = 256;

void check_labelled(const LabelledImages& set, const ImageShape& shape,
                    std::size_t classes) {
  require_images(set.images, shape, "detector");
  require(
      "detector",
      set.images.scalar_type() == torch::kFloat32 && set.images.size(0) >= 2,
      "two float images or more are expected");
  require("detector",
          set.classes.defined() && set.classes.dim() == 1 &&
              set.classes.scalar_type() == torch::kInt64 &&
              set.classes.size(0) == set.images.size(0),
          "one class per image is expected");
  require("detector",
          set.classes.min().item<std::int64_t>() >= 0 &&
              set.classes.max().item<std::int64_t>() <
                  static_cast<std::int64_t>(classes),
          "classes from 0 to the number of classes - 1 are expected");
  require_finite(set.images, "detector: images");
}

EncoderOptions network_of(const torch::Tensor& images, std::size_t classes,
                          const std::vector<std::size_t>& widths) {
  EncoderOptions options;
  options.shape = {static_cast<std::size_t>(images.size(1)),
                   static_cast<std::size_t>(images.size(2)),
                   static_cast<std::size_t>(images.size(3))};
  options.widths = widths;
  options.latent = classes;
  for (std::int64_t c = 0; c < images.size(1); ++c) {
    const torch::Tensor plane = images.select(1, c).to(torch::kFloat64);
    const double deviation = plane.std(false).item<double>();
    options.mean.push_back(plane.mean().item<float>());
    options.deviation.push_back(deviation > 1e-5 ? static_cast<float>(deviation)
                                                 : 1.0F);
  }
  return options;
}

torch::Tensor cross_entropies(const torch::Tensor& logits,
                              const torch::Tensor& classes) {
  return torch::nn::functional::cross_entropy(
      logits, classes,
      torch::nn::functional::CrossEntropyFuncOptions().reduction(torch::kNone));
}

torch::Tensor varied(const LabelledImages& set, const detail::EpochStep& at,
                     const AugmentOptions& augment,
                     const ResampleOptions& resampling, std::uint64_t seed) {
  const auto streams = epoch_streams(at.rows, at.epoch);
  return resample(crop_and_flip(detail::take_rows(set.images, at.rows), streams,
                                augment, seed),
                  streams, resampling, seed, Purpose::kResample);
}

class Exposure {
 public:
  Exposure(const Detector& start, const ExposureProblem& problem,
           const ExposureOptions& options)
      : problem_(problem),
        options_(options),
        detector_(start.clone()),
        decoded_count_(decoded_per_step()),
        plan_{static_cast<std::size_t>(problem.images.images.size(0)),
              options.batch - decoded_count_, options.epochs, options.seed,
              Purpose::kOrder},
        outliers_(problem.outliers, {}, options.seed,
                  {Purpose::kOutlierOrder, Purpose::kOutlierAugment,
                   Purpose::kOutlierResample}) {
    detector_.threshold.reset();
    // Both kinds as likely to begin with, wherever the logits lie.
    set_border(detector_.phi().at("phi.weight"), detector_.phi().at("phi.bias"),
               0.5 * (mean_score(problem.images.images) +
                      mean_score(problem.outliers)));
    if (decoded_count_ > 0) {
      decoded_.emplace(problem.decoded.images, problem.decoded.classes,
                       options.seed,
                       detail::CyclePurposes{Purpose::kDecodedOrder,
                                             Purpose::kDecodedAugment,
                                             Purpose::kDecodedResample});
    }
  }

  Detector run(const Context& context, DetectorHistory& told) {
    nn::TensorMap trained = detector_.network().parameters();
    trained.insert(detector_.phi().begin(), detector_.phi().end());
    Sgd sgd(trained, options_.sgd);
    const std::size_t steps = detail::steps_per_epoch(plan_);
    detail::EpochMeans means(steps);
    told.status =
        detail::run_epochs(plan_, context, [&](const detail::EpochStep& at) {
          const Terms terms = forward(at);
          (terms.cross_entropy + options_.weight * terms.outlier).backward();
          sgd.step(cosine_rate(options_.sgd, at.total, steps * plan_.epochs));
          means.add(at, terms.cross_entropy, terms.outlier, told);
        });
    return std::move(detector_);
  }

 private:
  struct Terms {
    torch::Tensor cross_entropy;
    torch::Tensor outlier;
  };

  // Of a few images, spread over the list.
  double mean_score(const torch::Tensor& images) const {
    const std::int64_t step =
        std::max<std::int64_t>(1, images.size(0) / kBorderImages);
    const torch::Tensor some = images.slice(
        0, 0, std::min(images.size(0), step * kBorderImages), step);
    return log_sum_exp(detector_.logits(some)).mean().item<double>();
  }

  std::size_t decoded_per_step() const {
    if (!problem_.decoded.images.defined()) return 0;
    const double wanted =
        options_.decoded_share * static_cast<double>(options_.batch);
    return std::min(options_.batch - 1,
                    static_cast<std::size_t>(std::llround(wanted)));
  }

  // One pass of real, decoded and outlying images, in this order.
  Terms forward(const detail::EpochStep& at) {
    std::vector<torch::Tensor> parts = {
        varied(problem_.images, at, options_.augment, options_.resample,
               options_.seed)};
    std::vector<torch::Tensor> classes = {
        detail::take_rows(problem_.images.classes, at.rows)};
    const std::int64_t real = parts[0].size(0);
    std::int64_t made = 0;
    if (decoded_) {
      auto more =
          decoded_->next(decoded_count_, options_.augment, options_.resample);
      made = more.images.size(0);
      parts.push_back(std::move(more.images));
      classes.push_back(std::move(more.classes));
    }
    parts.push_back(
        outliers_.next(options_.outliers, options_.augment, options_.resample)
            .images);
    const torch::Tensor logits = detector_.train_logits(torch::cat(parts));
    const std::int64_t inside = real + made;
    const torch::Tensor each =
        cross_entropies(logits.narrow(0, 0, inside), torch::cat(classes));
    const double weight = options_.decoded_weight;
    torch::Tensor sum = each.narrow(0, 0, real).sum();
    if (made > 0) sum = sum + weight * each.narrow(0, real, made).sum();
    return {
        sum / (static_cast<double>(real) + weight * static_cast<double>(made)),
        outlier_term(options_.loss, logits.narrow(0, 0, inside),
                     logits.narrow(0, inside, logits.size(0) - inside),
                     detector_.phi(),
                     {options_.inner_margin, options_.outer_margin})};
  }

  const ExposureProblem& problem_;
  ExposureOptions options_;
  Detector detector_;
  std::size_t decoded_count_;
  detail::EpochPlan plan_;
  detail::CycledImages outliers_;
  std::optional<detail::CycledImages> decoded_;
};

}  // namespace

void check_options(const ClassifierOptions& options) {
  require("detector", options.epochs >= 1 && options.batch >= 2,
          "at least one epoch and two images per batch are expected");
  check_options(options.sgd);
  check_options(options.resample);
}

void check_options(const ExposureOptions& options) {
  require("detector",
          options.epochs >= 1 && options.batch >= 2 && options.outliers >= 1,
          "at least one epoch, two images and one outlier per batch are "
          "expected");
  check_outlier_term("detector", options.weight,
                     {options.inner_margin, options.outer_margin});
  require("detector",
          options.decoded_weight >= 0.0 && options.decoded_weight < 1e6,
          "a weight of decoded images of 0 or more is expected");
  require("detector",
          options.decoded_share >= 0.0 && options.decoded_share < 1.0,
          "a share of decoded images from 0 to below 1 is expected");
  check_options(options.sgd);
  check_options(options.resample);
}

Detector train_classifier(const LabelledImages& images, std::size_t classes,
                          const ClassifierOptions& options,
                          const Context& context, DetectorHistory* history) {
  check_options(options);
  require("detector",
          images.images.defined() && images.images.dim() == 4 &&
              images.images.size(0) >= 2,
          "images N x C x H x W are expected, N > 1");
  const EncoderOptions network =
      network_of(images.images, classes, options.widths);
  check_labelled(images, network.shape, classes);
  Detector detector(network, options.seed);
  Sgd sgd(detector.network().parameters(), options.sgd);
  const detail::EpochPlan plan{static_cast<std::size_t>(images.images.size(0)),
                               options.batch, options.epochs, options.seed,
                               Purpose::kOrder};
  const std::size_t steps = detail::steps_per_epoch(plan);
  DetectorHistory local;
  DetectorHistory& told = history == nullptr ? local : *history;
  told = {};
  detail::EpochMeans means(steps);
  told.status =
      detail::run_epochs(plan, context, [&](const detail::EpochStep& at) {
        const torch::Tensor logits = detector.train_logits(varied(
            images, at, options.augment, options.resample, options.seed));
        const torch::Tensor loss =
            cross_entropies(logits, detail::take_rows(images.classes, at.rows))
                .mean();
        loss.backward();
        sgd.step(cosine_rate(options.sgd, at.total, steps * plan.epochs));
        means.add(at, loss, {}, told);
      });
  return detector;
}

Detector expose(const Detector& start, const ExposureProblem& problem,
                const ExposureOptions& options, const Context& context,
                DetectorHistory* history) {
  check_options(options);
  check_labelled(problem.images, start.shape(), start.classes());
  if (problem.decoded.images.defined()) {
    check_labelled(problem.decoded, start.shape(), start.classes());
  }
  require_images(problem.outliers, start.shape(), "detector: outliers");
  require("detector",
          problem.outliers.scalar_type() == torch::kFloat32 &&
              problem.outliers.size(0) >= 1,
          "one float outlier or more is expected");
  require_finite(problem.outliers, "detector: outliers");
  DetectorHistory local;
  DetectorHistory& told = history == nullptr ? local : *history;
  told = {};
  return Exposure(start, problem, options).run(context, told);
}

}  // namespace sbog::image
