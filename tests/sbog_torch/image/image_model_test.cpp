// SPDX-License-Identifier: Apache-2.0
// Models of images: training, files, decoders from their banks.
#include "sbog_torch/image/image_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog_torch/image/embedding.h"
#include "sbog_torch/image/encoder_support.h"

namespace sbog::image {
namespace image_model_test {

using sbog::testing_support::TemporaryFolder;
using ::testing::HasSubstr;
using testing_support::small_shapes;

ImageTraining quick_training() {
  nn::use_one_torch_thread();
  ImageTraining training;
  training.widths = {4, 6};
  training.latent = 8;
  training.alignment.epochs = 2;
  training.alignment.batch = 32;
  training.bank.per_class = 6;
  training.held_out = 0.25;
  return training;
}

TEST(ImageModel, the_bank_is_of_the_images_that_were_trained_on) {
  const ImageSet images = small_shapes(96);
  const ImageModelResult result = train_image_model(images, quick_training());
  ASSERT_EQ(result.status, SolveStatus::kDone);
  ASSERT_TRUE(result.model);
  EXPECT_EQ(result.epochs.size(), 2u);
  const FeatureBank& bank = result.model->bank;
  EXPECT_EQ(bank.latents.rows(), 48u);
  const ImageSplit split = split_by_class(images, 0.25, 1);
  const std::set<std::size_t> train(split.train.begin(), split.train.end());
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < bank.sources.size(); ++i) {
    rows.push_back(static_cast<std::size_t>(bank.sources[i]));
    EXPECT_TRUE(train.contains(rows.back()));
    EXPECT_EQ(images.labels[rows.back()], bank.labels[i]);
  }
  // The latents are those of these images.
  const EmbeddingResult again =
      embed_images(result.model->embed, take(images, rows));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t k = 0; k < 8; ++k) {
      EXPECT_NEAR(again.latents(i, k), bank.latents(i, k), 1e-5);
    }
  }
  EXPECT_GE(result.model->accuracy, 0.0);
  EXPECT_LE(result.model->accuracy, 1.0);
}

TEST(ImageModel, a_folder_keeps_everything_and_the_same_seed_the_same_bytes) {
  const TemporaryFolder folder;
  const ImageSet images = small_shapes(96);
  ImageTraining training = quick_training();
  training.alignment.robust.emplace();
  const ImageModel model = *train_image_model(images, training).model;
  save_image_model(folder.file("a"), model);
  save_image_model(folder.file("b"),
                   *train_image_model(images, training).model);
  for (const char* name : {"encoder.safetensors", "bank.safetensors"}) {
    EXPECT_EQ(sbog::testing_support::read_bytes(folder.file("a/") + name),
              sbog::testing_support::read_bytes(folder.file("b/") + name));
  }
  const ImageModel read = load_image_model(folder.file("a"));
  EXPECT_EQ(read.images, checksum_of(images));
  EXPECT_EQ(read.accuracy, model.accuracy);
  EXPECT_EQ(read.epochs, 2u);
  EXPECT_TRUE(read.is_robust);
  EXPECT_EQ(read.bank.sources, model.bank.sources);
  EXPECT_EQ(read.class_names, images.class_names);
  EXPECT_NO_THROW(require_same_images(read, images, "x"));
  EXPECT_THROW(require_same_images(read, small_shapes(88), "x"),
               InvalidArgument);
}

TEST(ImageModel, a_folder_knows_what_was_kept_apart) {
  const TemporaryFolder folder;
  const ImageSet images = small_shapes(96);
  save_image_model(folder.file("a"),
                   *train_image_model(images, quick_training()).model);
  ImageModel read = load_image_model(folder.file("a"));
  const ImageSplit split = split_of(read, images, "x");
  const ImageSplit wanted = split_by_class(images, 0.25, 1);
  EXPECT_EQ(split.train, wanted.train);
  EXPECT_EQ(split.held_out, wanted.held_out);
  EXPECT_THROW(split_of(read, small_shapes(88), "x"), InvalidArgument);
  const auto message = [&] {
    try {
      split_of(read, images, "x");
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  read.bank.sources[0] = static_cast<std::int64_t>(wanted.held_out[0]);
  EXPECT_THAT(message(), HasSubstr("kept apart"));
  read.held_out = 0.0;  // a folder from before
  EXPECT_THAT(message(), HasSubstr("train it again"));
}

TEST(ImageModel, folders_that_do_not_fit_get_one_sentence) {
  const TemporaryFolder folder;
  EXPECT_THROW(load_image_model(folder.file("none")), IoError);
  const ImageSet images = small_shapes(96);
  ImageTraining training = quick_training();
  training.alignment.epochs = 1;
  save_image_model(folder.file("a"),
                   *train_image_model(images, training).model);
  training.latent = 9;
  save_image_model(folder.file("b"),
                   *train_image_model(images, training).model);
  std::filesystem::copy_file(folder.file("b/bank.safetensors"),
                             folder.file("a/bank.safetensors"),
                             std::filesystem::copy_options::overwrite_existing);
  try {
    load_image_model(folder.file("a"));
    FAIL() << "read";
  } catch (const IoError& error) {
    EXPECT_THAT(error.what(), HasSubstr("of another encoder"));
  }
}

TEST(ImageModel, images_without_classes_are_refused) {
  ImageSet images = small_shapes(32);
  images.labels.clear();
  EXPECT_THROW(train_image_model(images, quick_training()), InvalidArgument);
}

TEST(ImageModel, every_kind_of_decoder_comes_from_the_bank) {
  const ImageSet images = small_shapes(96);
  const ImageModel model = *train_image_model(images, quick_training()).model;
  DecoderTraining training;
  training.cvae.epochs = training.flow.epochs = 1;
  training.cvae.width = 4;
  training.cvae.hidden = training.flow.hidden = 8;
  training.flow.width = 4;
  training.flow.steps = 2;
  for (const DecoderKind kind : {DecoderKind::kCvae, DecoderKind::kFlow,
                                 DecoderKind::kMix, DecoderKind::kNone}) {
    training.kind = kind;
    const DecoderResult result = train_decoder(model, images, training);
    ASSERT_EQ(result.status, SolveStatus::kDone) << to_string(kind);
    EXPECT_EQ(result.decoder->kind(), kind);
    EXPECT_EQ(result.decoder->latent_width(), 8u);
    if (kind != DecoderKind::kNone) {
      EXPECT_EQ(result.decoder->shape(), images.shape);
    }
  }
}

}  // namespace image_model_test
}  // namespace sbog::image
