// SPDX-License-Identifier: Apache-2.0
// Detectors of either kind read as one.
#include "sbog_torch/job/image_scorer.h"

#include <gtest/gtest.h>

#include <optional>

#include "sbog/base/errors.h"
#include "sbog_torch/image/detector.h"
#include "sbog_torch/image/detector_scores.h"
#include "sbog_torch/image/latent_detector.h"
#include "sbog_torch/image/tensors.h"
#include "sbog_torch/job/small_images.h"

namespace sbog::torch_jobs {
namespace image_scorer_test {

using namespace testing_support;

image::Detector small_detector() {
  nn::use_one_torch_thread();
  image::EncoderOptions network = image::options_for(small_images());
  network.widths = {4, 6};
  network.latent = 8;
  return {network, 1};
}

TEST(ImageScorer, a_file_scores_as_the_network_in_it) {
  const TemporaryFolder folder;
  image::Detector detector = small_detector();
  detector.threshold = 1.5;
  detector.score = image::logit_score("msp");
  detector.save(folder.file("d"));
  const ImageScorer scorer = load_image_scorer(folder.file("d"));
  EXPECT_EQ(scorer.score, "msp");
  EXPECT_EQ(scorer.threshold, 1.5);
  EXPECT_EQ(scorer.class_names.size(), 8u);
  const ImageSet images = small_images();
  const ImageVerdicts found = scorer.run(images, {});
  const torch::Tensor logits = detector.logits(image::to_tensor(images));
  EXPECT_EQ(found.scores, image::logit_scores(detector.score, logits));
  for (std::size_t i = 0; i < found.classes.size(); ++i) {
    EXPECT_EQ(found.classes[i],
              logits[static_cast<std::int64_t>(i)].argmax().item<int>());
  }
}

TEST(ImageScorer, a_folder_scores_as_the_detector_on_latents_in_it) {
  const TemporaryFolder folder;
  image::ImageModel model = image::load_image_model(small_model());
  detect::PointDetectorOptions options;
  options.scores = {detect::PointScore::kMean};
  const ImageSet images = small_images();
  const Matrix<float> calibration = image::embed_with(model, images);
  detect::PointDetector points = *detect::train_point_detector(
      image::labelled_bank(model), calibration, options);
  const image::LatentDetector detector(std::move(model), std::move(points));
  detector.save(folder.file("d"));
  const ImageScorer scorer = load_image_scorer(folder.file("d"));
  EXPECT_EQ(scorer.score, "mean");
  EXPECT_EQ(scorer.threshold, -detector.points().threshold(0.95));
  const auto expected = detector.judge(images);
  const ImageVerdicts found = scorer.run(images, {});
  for (std::size_t i = 0; i < images.count(); ++i) {
    EXPECT_EQ(found.scores[i], -expected->scores[i]);
    EXPECT_EQ(found.classes[i], static_cast<int>(expected->classes[i]));
  }
}

TEST(ImageScorer, a_detector_without_a_threshold_is_refused) {
  const TemporaryFolder folder;
  small_detector().save(folder.file("d"));
  EXPECT_THROW(load_image_scorer(folder.file("d")), IoError);
  EXPECT_THROW(load_image_scorer(folder.file("absent")), IoError);
}

}  // namespace image_scorer_test
}  // namespace sbog::torch_jobs
