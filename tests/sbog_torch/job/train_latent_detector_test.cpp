// SPDX-License-Identifier: Apache-2.0
// Detectors on the embeddings of a model: their folders, resolved numbers, and
// what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "sbog/base/errors.h"
#include "sbog/base/thread_pool.h"
#include "sbog_torch/image/latent_detector.h"
#include "sbog_torch/job/small_images.h"

namespace sbog::torch_jobs {
namespace train_latent_detector_test {

using namespace testing_support;

job::ImageDetectorOptions latent_options(const std::string& score,
                                         const std::string& out) {
  job::ImageDetectorOptions options;
  options.data = "demo:shapes";
  options.out = out;
  options.settings.input = small_input();
  options.settings.score = score;
  options.settings.model = small_model();
  return options;
}

TEST(TrainLatentDetector, the_threshold_comes_from_images_kept_apart) {
  const TemporaryFolder folder;
  RecordedEvents events;
  job::ImageDetectorOptions options = latent_options("knn", folder.file("d"));
  options.settings.neighbours = 9;
  const job::ImageDetectorResult result =
      train_latent_detector(options, events, {});
  EXPECT_EQ(result.bank, 120u);
  EXPECT_EQ(result.neighbours, 9u);
  EXPECT_EQ(result.held_out, 40u);
  EXPECT_FALSE(result.epsilon);
  EXPECT_EQ(result.scores, std::vector<std::string>{"knn"});
  EXPECT_EQ(result.outliers, 0u);
  const image::LatentDetector read = image::LatentDetector::load(options.out);
  EXPECT_EQ(-read.points().threshold(0.95), result.threshold);
  EXPECT_EQ(read.points().state().held_out_scores.size(), 40u);
  EXPECT_EQ(read.points().class_name(0), read.model().class_names[0]);
  options.out = folder.file("e");
  options.settings.neighbours = 121;
  EXPECT_THROW(train_latent_detector(options, events, {}), InvalidArgument);
}

TEST(TrainLatentDetector, threads_do_not_change_a_threshold) {
  const TemporaryFolder folder;
  RecordedEvents events;
  ThreadPool pool(3);
  for (const char* score : {"soe", "sum"}) {
    job::ImageDetectorOptions options =
        latent_options(score, folder.file(std::string(score) + "-a"));
    options.epochs = 1;
    options.points.outliers_per_epoch = 50;
    const job::ImageDetectorResult alone =
        train_latent_detector(options, events, {});
    options.out = folder.file(std::string(score) + "-b");
    const job::ImageDetectorResult together =
        train_latent_detector(options, events, {&pool, nullptr});
    EXPECT_EQ(alone.threshold, together.threshold);
    EXPECT_EQ(alone.epsilon.has_value(), std::string(score) == "soe");
  }
}

TEST(TrainLatentDetector, a_head_makes_its_outliers_and_a_stop_writes_nothing) {
  const TemporaryFolder folder;
  RecordedEvents stopped;
  stopped.stop_after = 1;
  job::ImageDetectorOptions options = latent_options("head", folder.file("d"));
  options.epochs = 2;
  options.points.outliers_per_epoch = 50;
  EXPECT_EQ(train_latent_detector(options, stopped, {}).status,
            job::Status::kStopped);
  EXPECT_TRUE(folder.is_empty());
  RecordedEvents events;
  const job::ImageDetectorResult result =
      train_latent_detector(options, events, {});
  EXPECT_EQ(result.status, job::Status::kDone);
  EXPECT_TRUE(result.accuracy_before);
  EXPECT_GT(result.outliers, 0u);
  EXPECT_EQ(result.outliers % 50, 0u);
  EXPECT_EQ(events.stages, std::vector<std::string>{"training"});
}

TEST(TrainLatentDetector, too_few_images_for_a_level_are_told) {
  const TemporaryFolder folder;
  RecordedEvents events;
  job::ImageDetectorOptions options = latent_options("mean", folder.file("d"));
  options.level = 0.99;
  EXPECT_TRUE(std::isinf(train_latent_detector(options, events, {}).threshold));
  ASSERT_EQ(events.warnings.size(), 1u);
  EXPECT_NE(events.warnings[0].find("too few held-out"), std::string::npos);
}

TEST(TrainLatentDetector, other_images_and_used_folders_are_refused) {
  const TemporaryFolder folder;
  RecordedEvents events;
  job::ImageDetectorOptions other = latent_options("knn", folder.file("d"));
  other.settings.input.limit = 19;
  EXPECT_THROW(train_latent_detector(other, events, {}), InvalidArgument);
  EXPECT_THROW(
      train_latent_detector(latent_options("knn", small_model()), events, {}),
      IoError);
}

}  // namespace train_latent_detector_test
}  // namespace sbog::torch_jobs
