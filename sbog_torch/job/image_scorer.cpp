// SPDX-License-Identifier: Apache-2.0
// See image_scorer.h.
#include "sbog_torch/job/image_scorer.h"

#include <filesystem>
#include <memory>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog_torch/image/detector_scores.h"
#include "sbog_torch/image/latent_detector.h"
#include "sbog_torch/image/tensors.h"

namespace sbog::torch_jobs {
namespace {

std::vector<std::int32_t> largest(const torch::Tensor& logits) {
  const torch::Tensor best = logits.argmax(1).to(torch::kInt32).contiguous();
  const std::int32_t* first = best.data_ptr<std::int32_t>();
  return {first, first + best.numel()};
}

ImageScorer scorer_of(image::Detector loaded) {
  const auto detector = std::make_shared<image::Detector>(std::move(loaded));
  ImageScorer scorer;
  scorer.score = to_string(detector->score);
  scorer.shape = detector->shape();
  scorer.class_names = detector->class_names;
  scorer.class_names.resize(detector->classes());
  scorer.threshold = detector->threshold.value();
  scorer.run = [detector](const ImageSet& images, const Context&) {
    const torch::Tensor logits = detector->logits(image::to_tensor(images));
    return ImageVerdicts{logit_scores(detector->score, logits),
                         largest(logits)};
  };
  return scorer;
}

ImageScorer scorer_of(image::LatentDetector loaded) {
  const auto detector =
      std::make_shared<image::LatentDetector>(std::move(loaded));
  ImageScorer scorer;
  scorer.score = to_string(detector->options().score);
  scorer.shape = detector->shape();
  scorer.class_names = detector->model().class_names;
  scorer.threshold = detector->threshold.value();
  scorer.run = [detector](const ImageSet& images, const Context& context) {
    const Matrix<float> latents = detector->embed(images);
    return ImageVerdicts{detector->scores(latents.view(), context),
                         detector->predict(latents.view())};
  };
  return scorer;
}

template <typename Detector>
ImageScorer load_scorer(const std::string& path) {
  Detector detector = Detector::load(path);
  if (!detector.threshold) throw IoError(path, "it has no threshold");
  return scorer_of(std::move(detector));
}

}  // namespace

ImageScorer load_image_scorer(const std::string& path) {
  return std::filesystem::is_directory(path)
             ? load_scorer<image::LatentDetector>(path)
             : load_scorer<image::Detector>(path);
}

}  // namespace sbog::torch_jobs
