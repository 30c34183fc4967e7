// SPDX-License-Identifier: Apache-2.0
// Detectors on latents: their verdicts, their folders, and what is refused.
#include "sbog_torch/image/latent_detector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/script.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "decoder_support.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog/base/thread_pool.h"
#include "sbog/image/shapes.h"
#include "sbog_torch/image/embedding.h"
#include "sbog_torch/image/external_model.h"

namespace sbog::image {
namespace latent_detector_test {

using namespace testing_support;
using sbog::testing_support::read_bytes;
using sbog::testing_support::TemporaryFolder;
using ::testing::HasSubstr;

using detect::PointScore;

ImageSet shapes(std::size_t count, std::size_t first = 0) {
  ShapesOptions options;
  options.count = count;
  options.first = first;
  options.height = options.width = 12;
  return make_shapes(options);
}

// An encoder that nobody trained: good enough to be looked at.
ImageModel make_model(std::size_t latent = 8) {
  nn::use_one_torch_thread();
  const ImageSet images = shapes(48);
  EncoderOptions options = options_for(images);
  options.widths = {4, 6};
  options.latent = latent;
  ImageModel model;
  model.encoder.emplace(options, 5);
  model.embed = model.encoder->embedding();
  model.shape = images.shape;
  model.anchors = orthonormal_anchors(8, latent, 1);
  model.class_names = images.class_names;
  model.bank = build_feature_bank(model.embed, images, {}).bank;
  model.images = checksum_of(images);
  return model;
}

detect::PointDetector make_points(const ImageModel& model,
                                  std::vector<PointScore> scores) {
  detect::PointDetectorOptions options;
  options.scores = std::move(scores);
  options.score.neighbours = 7;
  options.head.epochs = 1;
  options.head.least_steps = 1;
  options.head.outliers = 20;
  const Matrix<float> calibration = embed_with(model, shapes(40, 60));
  return *detect::train_point_detector(labelled_bank(model), calibration,
                                       options);
}

LatentDetector make_detector(std::vector<PointScore> scores,
                             std::size_t latent = 8) {
  ImageModel model = make_model(latent);
  detect::PointDetector points = make_points(model, std::move(scores));
  return {std::move(model), std::move(points)};
}

// Two classes on the axes of a plane, a point of each as the bank.
ImageModel plane() {
  ImageModel model;
  model.embed = linear_embed(64, 2);
  model.shape = {1, 8, 8};
  model.anchors = Matrix<float>(2, 2);
  model.anchors(0, 0) = model.anchors(1, 1) = 1.0F;
  model.class_names = {"right", "up"};
  model.bank.latents = model.anchors.clone();
  model.bank.labels = {0, 1};
  model.bank.sources = {0, 1};
  model.bank.counts = {1, 1};
  return model;
}

TEST(LatentDetector, verdicts_are_those_of_the_detector_on_latents) {
  const ImageSet images = shapes(40, 100);
  ThreadPool pool(3);
  const LatentDetector detector =
      make_detector({PointScore::kHead, PointScore::kRmd, PointScore::kSoe});
  EXPECT_EQ(detector.score(), "sum");
  const auto found = detector.judge(images);
  const auto expected =
      detector.points().judge(embed_with(detector.model(), images));
  EXPECT_EQ(found->scores, expected->scores);
  EXPECT_EQ(found->classes, expected->classes);
  EXPECT_EQ(detector.judge(images, {&pool, nullptr})->scores, found->scores);
  const std::size_t rows[] = {33};
  EXPECT_EQ(detector.judge(take(images, rows))->scores[0], found->scores[33]);
}

TEST(LatentDetector, the_bank_is_that_of_the_model) {
  const ImageModel model = make_model();
  const detect::LabelledBank bank = labelled_bank(model);
  EXPECT_EQ(bank.rows(), model.bank.latents.rows());
  for (std::size_t i = 0; i < bank.rows(); ++i) {
    EXPECT_EQ(bank.class_labels[bank.classes[i]], model.bank.labels[i]);
    for (std::size_t j = 0; j < bank.dim(); ++j) {
      EXPECT_NEAR(bank.points(i, j), model.bank.latents(i, j), 1e-6);
    }
  }
  ImageModel empty = plane();
  empty.bank.latents = Matrix<float>();
  EXPECT_THROW(labelled_bank(empty), InvalidArgument);
}

TEST(LatentDetector, a_folder_gives_the_same_detector_back) {
  const ImageSet images = shapes(16, 100);
  for (const PointScore score : {PointScore::kKnn, PointScore::kHead}) {
    SCOPED_TRACE(to_string(score));
    const TemporaryFolder folder;
    const LatentDetector detector = make_detector({score});
    detector.save(folder.file("a"));
    const LatentDetector read = LatentDetector::load(folder.file("a"));
    EXPECT_EQ(read.score(), to_string(score));
    EXPECT_EQ(read.points().threshold(0.9), detector.points().threshold(0.9));
    EXPECT_EQ(read.model().class_names, images.class_names);
    EXPECT_EQ(read.judge(images)->scores, detector.judge(images)->scores);
    read.save(folder.file("b"));
    EXPECT_EQ(read_bytes(folder.file("a/detector.safetensors")),
              read_bytes(folder.file("b/detector.safetensors")));
  }
}

// A linear program over the pixels.
std::string write_script(const TemporaryFolder& folder) {
  torch::jit::Module module("encoder");
  module.register_parameter("weight", normals({6, 144}, 4), false);
  module.define(
      "def forward(self, x):\n"
      "    return torch.matmul(x.flatten(1) - 0.5, self.weight.t())\n");
  module.save(folder.file("e.pt"));
  return folder.file("e.pt");
}

TEST(LatentDetector, an_encoder_from_elsewhere_comes_along_in_the_folder) {
  const TemporaryFolder folder;
  ExternalOptions options;
  options.encoder = write_script(folder);
  const ImageSet images = shapes(48);
  ImageModel model = *make_external_model(images, options).model;
  detect::PointDetectorOptions of_points;
  of_points.scores = {PointScore::kMean};
  const Matrix<float> calibration = embed_with(model, images);
  detect::PointDetector points = *detect::train_point_detector(
      labelled_bank(model), calibration, of_points);
  const LatentDetector detector(std::move(model), std::move(points));
  detector.save(folder.file("d"));
  std::filesystem::remove(options.encoder);
  EXPECT_EQ(LatentDetector::load(folder.file("d")).judge(images)->scores,
            detector.judge(images)->scores);
}

TEST(LatentDetector, folders_that_lie_or_are_cut_are_refused) {
  const TemporaryFolder folder;
  const std::string path = folder.file("d/detector.safetensors");
  make_detector({PointScore::kMean}).save(folder.file("d"));
  const std::string bytes = read_bytes(path);
  const auto message = [&](const std::string& content) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
    return message_of<IoError>([&] { LatentDetector::load(folder.file("d")); });
  };
  EXPECT_EQ(message(bytes), "");
  EXPECT_NE(message(bytes.substr(0, bytes.size() - 4)), "");
  EXPECT_NE(message(""), "");
  // The file of a detector with wider latents, and a model that is gone.
  make_detector({PointScore::kMean}, 9).save(folder.file("wide"));
  EXPECT_THAT(message(read_bytes(folder.file("wide/detector.safetensors"))),
              HasSubstr("another model"));
  EXPECT_EQ(message(bytes), "");
  std::filesystem::remove(folder.file("d/encoder.safetensors"));
  EXPECT_NE(message(bytes), "");
  EXPECT_THROW(LatentDetector::load(folder.file("none")), IoError);
}

TEST(LatentDetector, what_does_not_fit_is_refused) {
  const auto refusal = [](ImageModel model) {
    return message_of<InvalidArgument>([&] {
      LatentDetector(std::move(model),
                     make_points(make_model(), {PointScore::kMean}));
    });
  };
  EXPECT_EQ(refusal(make_model()), "");
  EXPECT_THAT(refusal(plane()), HasSubstr("another model"));
  ImageModel features = make_model();
  features.embed = {};
  EXPECT_THAT(refusal(std::move(features)), HasSubstr("features"));
  ImageModel relabelled = make_model();
  std::ranges::reverse(relabelled.bank.labels);
  EXPECT_THAT(refusal(std::move(relabelled)), HasSubstr("another model"));
  EXPECT_THROW((void)make_detector({PointScore::kMean}).judge(make_shapes({})),
               InvalidArgument);
}

}  // namespace latent_detector_test
}  // namespace sbog::image
