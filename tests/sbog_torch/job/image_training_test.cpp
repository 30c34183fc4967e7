// SPDX-License-Identifier: Apache-2.0
// Options of jobs as options of the library.
#include "sbog_torch/job/image_training.h"

#include <gtest/gtest.h>

#include "sbog/base/errors.h"
#include "sbog_torch/job/small_images.h"

namespace sbog::torch_jobs {
namespace image_training_test {

using namespace testing_support;

TEST(ImageTraining, both_jobs_mean_the_same_by_the_same_options) {
  const job::TrainImageOptions train = small_training("m");
  job::GenerateOptions generate;
  generate.images.model = train.model;
  generate.epochs = train.epochs;
  generate.sampler.seed = train.seed;
  generate.decoder = "none";
  const image::ImageTraining a = training_of(settings_of(train), 160, "c");
  const image::ImageTraining b = training_of(settings_of(generate), 160, "c");
  EXPECT_EQ(a.widths, b.widths);
  EXPECT_EQ(a.latent, b.latent);
  EXPECT_EQ(a.held_out, b.held_out);
  EXPECT_EQ(a.alignment.epochs, b.alignment.epochs);
  EXPECT_EQ(a.alignment.seed, b.alignment.seed);
  EXPECT_EQ(a.alignment.checkpoint, "c");
  EXPECT_EQ(a.anchors.kind, image::AnchorKind::kOrthonormal);
  EXPECT_FALSE(a.alignment.robust);
  EXPECT_EQ(settings_of(job::GenerateOptions{}).decoder, "cvae");
}

TEST(ImageTraining, a_batch_follows_from_the_number_of_images_unless_given) {
  TrainingSettings settings;
  const auto batch_of = [&](std::size_t images) {
    return training_of(settings, images, "").alignment.batch;
  };
  EXPECT_EQ(batch_of(160), 16u);
  EXPECT_EQ(batch_of(5000), 100u);
  EXPECT_EQ(batch_of(50000), 128u);
  settings.decoder = "cvae";
  EXPECT_EQ(decoder_training_of(settings, 50000).cvae.batch, 64u);
  settings.model.batch = 7;
  EXPECT_EQ(batch_of(5000), 7u);
}

TEST(ImageTraining, settings_of_robust_logits_and_anchors_arrive) {
  TrainingSettings settings;
  settings.model.robust = {true, "neighbour", 3, 0.2, 0.5, 0.0, "adversarial"};
  settings.anchors = "simplex";
  const image::ImageTraining training = training_of(settings, 160, "");
  ASSERT_TRUE(training.alignment.robust);
  EXPECT_EQ(training.alignment.robust->atoms, image::AtomKind::kNeighbour);
  EXPECT_EQ(training.alignment.robust->atom_count, 3u);
  EXPECT_EQ(training.alignment.robust->epsilon, 0.2);
  EXPECT_EQ(training.alignment.robust->kappa, 0.5);
  EXPECT_EQ(training.alignment.robust->warm_up, 0.0);
  EXPECT_EQ(training.alignment.robust->sign, RobustSign::kAdversarial);
  EXPECT_EQ(training.anchors.kind, image::AnchorKind::kSimplex);
  settings.anchors = "a.npy";
  EXPECT_EQ(training_of(settings, 160, "").anchors.file, "a.npy");
  settings.model.robust.kappa = -1.0;
  EXPECT_THROW(training_of(settings, 160, ""), InvalidArgument);
}

TEST(ImageTraining, a_decoder_has_the_kind_and_the_passes_that_are_asked_for) {
  TrainingSettings settings;
  settings.decoder = "flow";
  settings.decoder_epochs = 5;
  settings.seed = 9;
  const image::DecoderTraining training = decoder_training_of(settings, 160);
  EXPECT_EQ(training.kind, image::DecoderKind::kFlow);
  EXPECT_EQ(training.flow.epochs, 5u);
  EXPECT_EQ(training.flow.seed, 9u);
  settings.decoder = "magic";
  EXPECT_THROW(decoder_training_of(settings, 160), InvalidArgument);
}

}  // namespace image_training_test
}  // namespace sbog::torch_jobs
