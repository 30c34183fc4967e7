// SPDX-License-Identifier: Apache-2.0
// The job `train image`: what it writes, going on after a stop, and folders
// that it leaves alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "sbog/base/errors.h"
#include "sbog_torch/job/small_images.h"

namespace sbog::torch_jobs {
namespace train_image_test {

using namespace testing_support;
namespace fs = std::filesystem;

TEST(TrainImage, a_model_is_written_and_told_about) {
  const TemporaryFolder folder;
  RecordedEvents events;
  job::TrainImageOptions options = small_training(folder.file("m"));
  options.decoder = "mix";
  const job::TrainImageResult result = train_image(options, events, {});
  EXPECT_EQ(result.status, job::Status::kDone);
  EXPECT_EQ(result.images, 160u);
  EXPECT_EQ(result.classes, 8u);
  EXPECT_EQ(result.latent, 8u);
  EXPECT_EQ(result.bank, 120u);
  EXPECT_EQ(result.encoder, "trained");
  EXPECT_EQ(result.shape, (ImageShape{1, 12, 12}));
  EXPECT_EQ(events.stages, (std::vector<std::string>{"training the encoder",
                                                     "training the decoder"}));
  const image::ImageModel model = image::load_image_model(options.out);
  EXPECT_EQ(model.accuracy, result.accuracy);
  EXPECT_TRUE(fs::exists(image::decoder_path(options.out)));
  EXPECT_FALSE(fs::exists(folder.file("m/encoder.checkpoint")));
}

TEST(TrainImage, a_stopped_training_goes_on_to_the_same_encoder) {
  const TemporaryFolder folder;
  job::TrainImageOptions options = small_training(folder.file("m"));
  RecordedEvents stopped;
  stopped.stop_after = 10;  // in the second epoch
  EXPECT_EQ(train_image(options, stopped, {}).status, job::Status::kStopped);
  EXPECT_THAT(stopped.notes.back(), ::testing::HasSubstr("--resume"));
  EXPECT_TRUE(fs::exists(folder.file("m/encoder.checkpoint")));
  RecordedEvents events;
  EXPECT_THROW(train_image(options, events, {}), InvalidArgument);
  // As a killed process leaves one behind.
  const std::string left = folder.file("m/.sbog-0123456789abcdef.tmp");
  std::ofstream(left) << "half";
  options.resume = true;
  EXPECT_EQ(train_image(options, events, {}).status, job::Status::kDone);
  EXPECT_FALSE(fs::exists(left));
  EXPECT_EQ(read_bytes(folder.file("m/encoder.safetensors")),
            read_bytes(small_model() + "/encoder.safetensors"));
}

TEST(TrainImage, other_files_are_not_overwritten) {
  const TemporaryFolder folder;
  RecordedEvents events;
  std::ofstream(folder.file("note")) << "mine";
  EXPECT_THROW(train_image(small_training(folder.path().string()), events, {}),
               IoError);
  EXPECT_THROW(train_image(small_training(folder.file("note")), events, {}),
               IoError);
  EXPECT_EQ(read_bytes(folder.file("note")), "mine");
}

}  // namespace train_image_test
}  // namespace sbog::torch_jobs
