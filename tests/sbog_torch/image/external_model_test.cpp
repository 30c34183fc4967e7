// SPDX-License-Identifier: Apache-2.0
// Models of encoders from elsewhere: banks, anchors, folders and decoders.
#include "sbog_torch/image/external_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/script.h>

#include <cmath>
#include <filesystem>

#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog/data/npy.h"
#include "sbog_torch/image/encoder_support.h"

namespace sbog::image {
namespace external_model_test {

using sbog::testing_support::TemporaryFolder;
using ::testing::HasSubstr;
using testing_support::double_normals;
using testing_support::small_shapes;

constexpr std::size_t kWidth = 6;

// Features that tell the classes apart: a bump at the class, and noise.
Matrix<float> bumps(const ImageSet& images, std::size_t width) {
  const torch::Tensor noise =
      double_normals({static_cast<std::int64_t>(images.count()),
                      static_cast<std::int64_t>(width)},
                     3)
          .to(torch::kFloat32)
          .contiguous();
  Matrix<float> rows(images.count(), width);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t k = 0; k < width; ++k) {
      rows(i, k) = 0.1F * noise.data_ptr<float>()[i * width + k];
    }
    rows(i, static_cast<std::size_t>(images.labels[i]) % width) += 2.0F;
  }
  return rows;
}

// A linear program over the pixels.
std::string write_script(const TemporaryFolder& folder,
                         const ImageShape& shape) {
  torch::jit::Module module("encoder");
  module.register_parameter(
      "weight",
      double_normals({static_cast<std::int64_t>(kWidth),
                      static_cast<std::int64_t>(shape.size())},
                     4)
          .to(torch::kFloat32),
      false);
  module.define(
      "def forward(self, x):\n"
      "    return torch.matmul(x.flatten(1) - 0.5, self.weight.t())\n");
  module.save(folder.file("e.pt"));
  return folder.file("e.pt");
}

ExternalOptions options_of(const std::string& encoder) {
  nn::use_one_torch_thread();
  ExternalOptions options;
  options.encoder = encoder;
  options.per_class = 5;
  options.held_out = 0.25;
  return options;
}

DecoderTraining quick(DecoderKind kind) {
  DecoderTraining training;
  training.kind = kind;
  training.cvae.epochs = training.flow.epochs = 1;
  training.cvae.width = training.flow.width = 4;
  training.cvae.hidden = training.flow.hidden = 8;
  training.flow.steps = 2;
  return training;
}

template <typename Error>
void expect_refused(const ImageSet& images, const ExternalOptions& options,
                    const char* hint) {
  try {
    make_external_model(images, options);
    FAIL() << hint;
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(hint));
  }
}

TEST(ExternalModel, features_become_a_bank_with_the_means_as_anchors) {
  const TemporaryFolder folder;
  const ImageSet images = small_shapes(64);
  const Matrix<float> rows = bumps(images, 8);
  write_npy(folder.file("f.npy"), rows.view());
  const ImageModel model =
      *make_external_model(images, options_of(folder.file("f.npy"))).model;
  EXPECT_FALSE(model.encoder);
  EXPECT_FALSE(model.embed);
  EXPECT_EQ(model.accuracy, 1.0);
  ASSERT_EQ(model.bank.latents.rows(), 40u);
  Matrix<double> sums(8, 8);
  for (std::size_t i = 0; i < 40; ++i) {
    const auto source = static_cast<std::size_t>(model.bank.sources[i]);
    EXPECT_EQ(images.labels[source], model.bank.labels[i]);
    double square = 0.0;
    for (const float value : rows.row(source)) square += double{value} * value;
    for (std::size_t k = 0; k < 8; ++k) {
      EXPECT_NEAR(model.bank.latents(i, k), rows(source, k) / std::sqrt(square),
                  1e-6);
      sums(static_cast<std::size_t>(model.bank.labels[i]), k) +=
          model.bank.latents(i, k);
    }
  }
  for (std::size_t c = 0; c < 8; ++c) {
    double square = 0.0;
    for (const double value : sums.row(c)) square += value * value;
    for (std::size_t k = 0; k < 8; ++k) {
      EXPECT_NEAR(model.anchors(c, k), sums(c, k) / std::sqrt(square), 1e-6);
    }
  }
}

TEST(ExternalModel, a_script_is_kept_in_the_folder_and_encodes_as_before) {
  const TemporaryFolder folder;
  const ImageSet images = small_shapes(64);
  const std::string path = write_script(folder, images.shape);
  const ImageModel model = *make_external_model(images, options_of(path)).model;
  EXPECT_EQ(model.bank.latents.cols(), kWidth);
  save_image_model(folder.file("m"), model);
  std::filesystem::remove(path);
  EXPECT_TRUE(has_image_model(folder.file("m")));
  const ImageModel read = load_image_model(folder.file("m"));
  EXPECT_NO_THROW(require_same_images(read, images, "x"));
  EXPECT_EQ(read.accuracy, model.accuracy);
  EXPECT_EQ(read.class_names, model.class_names);
  EXPECT_EQ(read.bank.sources, model.bank.sources);
  const torch::Tensor some =
      double_normals({3, 1, 12, 12}, 5).to(torch::kFloat32).sigmoid();
  EXPECT_TRUE(torch::equal(model.embed(some), read.embed(some)));
}

TEST(ExternalModel, decoders_are_trained_on_its_latents) {
  const TemporaryFolder folder;
  const ImageSet images = small_shapes(64);
  write_npy(folder.file("f.npy"), bumps(images, kWidth).view());
  const std::string script = write_script(folder, images.shape);
  for (const std::string& encoder : {script, folder.file("f.npy")}) {
    const ImageModel model =
        *make_external_model(images, options_of(encoder)).model;
    for (const DecoderKind kind :
         {DecoderKind::kCvae, DecoderKind::kFlow, DecoderKind::kMix}) {
      const DecoderResult result = train_decoder(model, images, quick(kind));
      ASSERT_EQ(result.status, SolveStatus::kDone) << to_string(kind);
      EXPECT_EQ(result.decoder->latent_width(), kWidth);
      EXPECT_EQ(result.decoder->shape(), images.shape);
    }
  }
}

TEST(ExternalModel, anchors_may_come_from_a_file) {
  const TemporaryFolder folder;
  const ImageSet images = small_shapes(64);
  write_npy(folder.file("f.npy"), bumps(images, 8).view());
  Matrix<float> anchors(8, 8);
  for (std::size_t c = 0; c < 8; ++c) anchors(c, (c + 1) % 8) = 3.0F;
  write_npy(folder.file("a.npy"), anchors.view());
  ExternalOptions options = options_of(folder.file("f.npy"));
  options.anchors = folder.file("a.npy");
  const ImageModel model = *make_external_model(images, options).model;
  EXPECT_EQ(model.anchors(0, 1), 1.0F);
  EXPECT_EQ(model.accuracy, 0.0);  // every class points to its neighbour
}

TEST(ExternalModel, what_does_not_fit_is_refused_in_one_sentence) {
  const TemporaryFolder folder;
  const ImageSet images = small_shapes(64);
  write_npy(folder.file("f.npy"), bumps(images, 8).view());
  write_npy(folder.file("short.npy"), bumps(small_shapes(56), 8).view());
  write_npy(folder.file("narrow.npy"), bumps(small_shapes(8), 7).view());
  expect_refused<InvalidArgument>(images, options_of(folder.file("short.npy")),
                                  "one row per image is expected (64), got 56");
  ExternalOptions options = options_of(folder.file("f.npy"));
  options.anchors = folder.file("narrow.npy");
  expect_refused<InvalidArgument>(images, options, "(8 x 8), got 8 x 7");
  options.anchors = folder.file("short.npy");
  expect_refused<InvalidArgument>(images, options, "(8 x 8), got 56 x 8");
  expect_refused<IoError>(images, options_of(folder.file("none.pt")),
                          "there is no such file");
  expect_refused<IoError>(images, options_of(write_script(folder, {1, 3, 3})),
                          "fails on an input of");
  ImageSet more = images.clone();
  more.class_names.push_back("nobody");
  expect_refused<InvalidArgument>(more, options_of(folder.file("f.npy")),
                                  "class 8 have no mean direction");
}

TEST(ExternalModel, damaged_folders_are_refused) {
  const TemporaryFolder folder;
  const ImageSet images = small_shapes(64);
  const ImageModel model =
      *make_external_model(images,
                           options_of(write_script(folder, images.shape)))
           .model;
  for (const char* name :
       {"external.safetensors", "encoder.pt", "bank.safetensors"}) {
    save_image_model(folder.file("m"), model);
    const std::string path = folder.file("m/") + name;
    std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
    EXPECT_THROW(load_image_model(folder.file("m")), IoError) << name;
  }
}

TEST(ExternalModel, names_tell_scripts_from_features) {
  EXPECT_TRUE(is_script_name("a/b.pt"));
  EXPECT_TRUE(is_script_name("b.pth"));
  EXPECT_TRUE(is_script_name("b.ts"));
  EXPECT_FALSE(is_script_name("b.npy"));
  EXPECT_FALSE(is_script_name("b.safetensors:pt"));
}

}  // namespace external_model_test
}  // namespace sbog::image
