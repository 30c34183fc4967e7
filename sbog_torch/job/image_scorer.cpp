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

// Scores of points are high for unusual ones, those of images the other way
// round.
ImageScorer scorer_of(image::LatentDetector loaded) {
  const auto detector =
      std::make_shared<image::LatentDetector>(std::move(loaded));
  const detect::PointDetectorState& state = detector->points().state();
  ImageScorer scorer;
  scorer.score = detector->score();
  scorer.shape = detector->model().shape;
  scorer.class_names = detector->model().class_names;
  scorer.threshold_at = [detector](double level) {
    return -detector->points().threshold(level);
  };
  scorer.threshold = scorer.threshold_at(state.options.level);
  scorer.run = [detector, &state](const ImageSet& images,
                                  const Context& context) {
    const auto found = detector->judge(images, {context.pool, nullptr});
    ImageVerdicts verdicts;
    for (std::size_t i = 0; i < images.count(); ++i) {
      verdicts.scores.push_back(-found->scores[i]);
      verdicts.classes.push_back(static_cast<std::int32_t>(
          state.bank.class_labels[found->classes[i]]));
    }
    return verdicts;
  };
  return scorer;
}

image::Detector load_on_pixels(const std::string& path) {
  image::Detector detector = image::Detector::load(path);
  if (!detector.threshold) throw IoError(path, "it has no threshold");
  return detector;
}

}  // namespace

ImageScorer load_image_scorer(const std::string& path) {
  return std::filesystem::is_directory(path)
             ? scorer_of(image::LatentDetector::load(path))
             : scorer_of(load_on_pixels(path));
}

}  // namespace sbog::torch_jobs
