// SPDX-License-Identifier: Apache-2.0
// Detectors on the embeddings of a model: their folders, resolved numbers, and
// what is refused.
#include <gtest/gtest.h>

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

TEST(TrainLatentDetector, there_are_no_more_neighbours_than_the_bank_has) {
  const TemporaryFolder folder;
  RecordedEvents events;
  job::ImageDetectorOptions options = latent_options("knn", folder.file("d"));
  options.settings.neighbours = 999;
  const job::ImageDetectorResult result =
      train_latent_detector(options, events, {});
  EXPECT_EQ(result.bank, 120u);
  EXPECT_EQ(result.neighbours, 120u);
  EXPECT_EQ(result.held_out, 40u);
  EXPECT_FALSE(result.epsilon);
  EXPECT_FALSE(result.accuracy_before);
  EXPECT_EQ(image::LatentDetector::load(options.out).threshold,
            result.threshold);
}

TEST(TrainLatentDetector, threads_do_not_change_an_energy_threshold) {
  const TemporaryFolder folder;
  RecordedEvents events;
  ThreadPool pool(3);
  const job::ImageDetectorResult alone = train_latent_detector(
      latent_options("soe", folder.file("a")), events, {});
  const job::ImageDetectorResult together = train_latent_detector(
      latent_options("soe", folder.file("b")), events, {&pool, nullptr});
  EXPECT_EQ(alone.threshold, together.threshold);
  EXPECT_EQ(alone.epsilon, 0.05);
}

TEST(TrainLatentDetector, a_head_is_trained_and_a_stop_writes_nothing) {
  const TemporaryFolder folder;
  RecordedEvents stopped;
  stopped.stop_after = 1;
  job::ImageDetectorOptions options = latent_options("head", folder.file("d"));
  options.epochs = 2;
  EXPECT_EQ(train_latent_detector(options, stopped, {}).status,
            job::Status::kStopped);
  EXPECT_TRUE(folder.is_empty());
  RecordedEvents events;
  const job::ImageDetectorResult result =
      train_latent_detector(options, events, {});
  EXPECT_EQ(result.status, job::Status::kDone);
  EXPECT_TRUE(result.accuracy_before);
  EXPECT_EQ(events.stages, std::vector<std::string>{"training the head"});
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
