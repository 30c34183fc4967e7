// SPDX-License-Identifier: Apache-2.0
// Detectors on pixels: what is written, and a stop that writes nothing.
#include <gtest/gtest.h>

#include <filesystem>

#include "sbog/base/errors.h"
#include "sbog_torch/image/detector.h"
#include "sbog_torch/job/small_images.h"

namespace sbog::torch_jobs {
namespace train_image_detector_test {

using namespace testing_support;

job::ImageDetectorOptions pixel_options(const std::string& out) {
  job::ImageDetectorOptions options;
  options.data = "demo:shapes";
  options.out = out;
  options.epochs = 1;
  options.settings.input = small_input();
  options.settings.held_out = 0.25;
  options.seed = 3;
  return options;
}

TEST(TrainImageDetector, a_classifier_is_written_with_its_threshold) {
  const TemporaryFolder folder;
  RecordedEvents events;
  const job::ImageDetectorResult result = torch_jobs::train_image_detector(
      pixel_options(folder.file("d")), events, {});
  EXPECT_EQ(result.status, job::Status::kDone);
  EXPECT_EQ(result.images, 120u);
  EXPECT_EQ(result.held_out, 40u);
  EXPECT_EQ(result.outliers, 0u);
  EXPECT_EQ(result.accuracy, result.accuracy_before);
  const image::Detector detector = image::Detector::load(folder.file("d"));
  EXPECT_EQ(detector.threshold, result.threshold);
  EXPECT_EQ(detector.classes(), result.classes);
}

TEST(TrainImageDetector, the_encoder_of_a_model_is_a_detector_of_what_it_saw) {
  const TemporaryFolder folder;
  RecordedEvents events;
  job::ImageDetectorOptions options = pixel_options(folder.file("d"));
  options.epochs.reset();
  options.settings.held_out.reset();
  options.settings.model = small_model();
  const job::ImageDetectorResult result =
      torch_jobs::train_image_detector(options, events, {});
  EXPECT_EQ(result.held_out, 40u);  // what the model kept apart
  EXPECT_EQ(result.accuracy, image::load_image_model(small_model()).accuracy);
  EXPECT_TRUE(events.stages.empty());
}

TEST(TrainImageDetector, a_stop_writes_nothing) {
  const TemporaryFolder folder;
  RecordedEvents events;
  events.stop_after = 1;
  EXPECT_EQ(torch_jobs::train_image_detector(pixel_options(folder.file("d")),
                                             events, {})
                .status,
            job::Status::kStopped);
  EXPECT_TRUE(folder.is_empty());
}

TEST(TrainImageDetector, a_run_without_images_is_refused_before_the_work) {
  const TemporaryFolder folder;
  RecordedEvents events;
  job::ImageDetectorOptions options = pixel_options(folder.file("d"));
  options.settings.outliers = folder.file("absent");
  EXPECT_THROW(torch_jobs::train_image_detector(options, events, {}), IoError);
  options.settings.outliers.clear();
  options.settings.loss = "magic";
  EXPECT_THROW(torch_jobs::train_image_detector(options, events, {}),
               InvalidArgument);
  EXPECT_TRUE(events.stages.empty());
}

}  // namespace train_image_detector_test
}  // namespace sbog::torch_jobs
