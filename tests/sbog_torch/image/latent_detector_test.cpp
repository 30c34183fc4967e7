// SPDX-License-Identifier: Apache-2.0
// Detectors on latents: their scores in closed form and against the free
// functions, their folders, and what is refused.
#include "sbog_torch/image/latent_detector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/script.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "decoder_support.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog/base/thread_pool.h"
#include "sbog/image/shapes.h"
#include "sbog_torch/image/detector_scores.h"
#include "sbog_torch/image/embedding.h"
#include "sbog_torch/image/external_model.h"

namespace sbog::image {
namespace latent_detector_test {

using namespace testing_support;
using sbog::testing_support::read_bytes;
using sbog::testing_support::TemporaryFolder;
using ::testing::HasSubstr;

constexpr LatentScore kAll[] = {LatentScore::kKnn, LatentScore::kSoe,
                                LatentScore::kHead};

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

LatentDetector make_detector(LatentScore score, std::size_t latent = 8) {
  ImageModel model = make_model(latent);
  std::optional<LatentHead> head;
  if (score == LatentScore::kHead) {
    LatentHeadOptions options;
    options.epochs = 1;
    head = train_latent_head(
        {model.anchors, model.bank.latents, model.bank.labels}, options);
  }
  LatentDetectorOptions options;
  options.score = score;
  options.neighbours = 7;
  options.epsilon = 0.125;
  return {std::move(model), options, std::move(head)};
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

Matrix<float> at_angle(double angle) {
  Matrix<float> point(1, 2);
  point(0, 0) = static_cast<float>(std::cos(angle));
  point(0, 1) = static_cast<float>(std::sin(angle));
  return point;
}

TEST(LatentDetector, two_orthogonal_classes_have_closed_forms) {
  const LatentDetector first(plane(), {LatentScore::kKnn, 1, 0.05});
  const LatentDetector all(plane(), {LatentScore::kKnn, 50, 0.05});
  const LatentDetector soe(plane(), {LatentScore::kSoe, 50, 0.25});
  const LatentDetector head(plane(), {LatentScore::kHead},
                            start_head(plane().anchors));
  EXPECT_EQ(all.options().neighbours, 2u);  // at most the bank
  for (const double angle : {0.0, 0.5, 1.0, 1.5}) {
    const Matrix<float> z = at_angle(angle);
    const double x = std::cos(angle), y = std::sin(angle);
    EXPECT_NEAR(first.scores(z)[0], std::max(x, y) - 1.0, 1e-6);
    EXPECT_NEAR(all.scores(z)[0], std::min(x, y) - 1.0, 1e-6);
    EXPECT_NEAR(soe.scores(z)[0],
                0.25 * std::log(0.5 * std::exp((x - 1.0) / 0.25) +
                                0.5 * std::exp((y - 1.0) / 0.25)),
                1e-5);
    EXPECT_NEAR(head.scores(z)[0],
                std::log(std::exp(10.0 * x) + std::exp(10.0 * y)), 1e-5);
    for (const LatentDetector* detector : {&first, &soe, &head}) {
      EXPECT_EQ(detector->predict(z)[0], angle < 0.79 ? 0 : 1);
    }
  }
}

TEST(LatentDetector, scores_of_images_are_those_of_the_free_functions) {
  const ImageSet images = shapes(40, 100);
  ThreadPool pool(3);
  for (const LatentScore score : kAll) {
    SCOPED_TRACE(to_string(score));
    const LatentDetector detector = make_detector(score);
    const Matrix<float> latents = detector.embed(images);
    const Matrix<float>& bank = detector.model().bank.latents;
    const std::vector<double> found = detector.scores(images);
    EXPECT_EQ(found, detector.scores(images, {&pool, nullptr}));
    std::vector<std::int32_t> classes =
        nearest_anchors(latents, detector.model().anchors);
    if (score == LatentScore::kKnn) {
      EXPECT_EQ(found, knn_scores(bank, latents, 7));
    } else if (score == LatentScore::kSoe) {
      EXPECT_EQ(found, soe_scores(bank, latents, 0.125));
    } else {
      const torch::Tensor logits = head_logits(
          *detector.head(), nn::to_tensor(latents, torch::kFloat32));
      const std::vector<double> slow = lse_scores(logits);
      for (std::size_t i = 0; i < slow.size(); ++i) {
        EXPECT_NEAR(found[i], slow[i], 1e-5);
        classes[i] =
            logits[static_cast<std::int64_t>(i)].argmax().item<std::int32_t>();
      }
    }
    EXPECT_EQ(detector.predict(images), classes);
  }
}

TEST(LatentDetector, the_score_of_an_image_does_not_depend_on_the_others) {
  const ImageSet images = shapes(40, 100);
  const std::size_t rows[] = {33};
  for (const LatentScore score : kAll) {
    const LatentDetector detector = make_detector(score);
    EXPECT_EQ(detector.scores(take(images, rows))[0],
              detector.scores(images)[33])
        << to_string(score);
  }
}

TEST(LatentDetector, a_folder_gives_the_same_detector_back) {
  const ImageSet images = shapes(16, 100);
  for (const LatentScore score : kAll) {
    SCOPED_TRACE(to_string(score));
    const TemporaryFolder folder;
    LatentDetector detector = make_detector(score);
    detector.save(folder.file("a"));
    EXPECT_FALSE(LatentDetector::load(folder.file("a")).threshold);
    detector.threshold = -1.0 / 3.0;
    detector.save(folder.file("a"));
    const LatentDetector read = LatentDetector::load(folder.file("a"));
    EXPECT_EQ(read.threshold, detector.threshold);
    EXPECT_EQ(read.options().score, score);
    EXPECT_EQ(read.options().neighbours, 7u);
    EXPECT_EQ(read.options().epsilon, 0.125);
    EXPECT_EQ(read.head().has_value(), score == LatentScore::kHead);
    EXPECT_EQ(read.model().class_names, images.class_names);
    EXPECT_EQ(read.scores(images), detector.scores(images));
    EXPECT_EQ(read.predict(images), detector.predict(images));
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
  LatentDetector detector(*make_external_model(images, options).model, {});
  detector.save(folder.file("d"));
  std::filesystem::remove(options.encoder);
  EXPECT_EQ(LatentDetector::load(folder.file("d")).scores(images),
            detector.scores(images));
}

TEST(LatentDetector, folders_that_lie_or_are_cut_are_refused) {
  const TemporaryFolder folder;
  const std::string path = folder.file("d/detector.safetensors");
  make_detector(LatentScore::kHead).save(folder.file("d"));
  const std::string bytes = read_bytes(path);
  const auto message = [&](const std::string& content) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
    return message_of<IoError>([&] { LatentDetector::load(folder.file("d")); });
  };
  EXPECT_EQ(message(bytes), "");
  EXPECT_NE(message(bytes.substr(0, bytes.size() - 4)), "");
  EXPECT_NE(message(""), "");
  for (const auto& [from, to, hint] :
       {std::tuple<std::string, std::string, const char*>{
            "latent image detector 1", "latent image detector 9",
            "of this version"},
        {"\"score\":\"head\"", "\"score\":\"heat\"", "none of knn"},
        {"\"score\":\"head\"", "\"score\":\"knn\" ", ""},
        {"\"model\":\"", "\"modem\":\"", "another model"}}) {
    std::string changed = bytes;
    ASSERT_NE(changed.find(from), std::string::npos) << from;
    changed.replace(changed.find(from), from.size(), to);
    EXPECT_NE(message(changed), "") << to;
    EXPECT_THAT(message(changed), HasSubstr(hint)) << to;
  }
  // The file of a detector with wider latents, and a model that is gone.
  make_detector(LatentScore::kHead, 9).save(folder.file("wide"));
  EXPECT_THAT(message(read_bytes(folder.file("wide/detector.safetensors"))),
              HasSubstr("another model"));
  EXPECT_EQ(message(bytes), "");
  std::filesystem::remove(folder.file("d/encoder.safetensors"));
  EXPECT_NE(message(bytes), "");
  EXPECT_THROW(LatentDetector::load(folder.file("none")), IoError);
}

TEST(LatentDetector, what_does_not_fit_is_refused) {
  const auto refusal = [](ImageModel model,
                          const LatentDetectorOptions& options,
                          std::optional<LatentHead> head = std::nullopt) {
    return message_of<InvalidArgument>(
        [&] { LatentDetector(std::move(model), options, std::move(head)); });
  };
  ImageModel features = plane();
  features.embed = {};
  EXPECT_THAT(refusal(std::move(features), {}), HasSubstr("features"));
  EXPECT_NE(refusal(plane(), {LatentScore::kKnn, 0, 0.05}), "");
  EXPECT_NE(refusal(plane(), {LatentScore::kSoe, 50, 0.0}), "");
  EXPECT_NE(refusal(plane(), {LatentScore::kSoe, 50, INFINITY}), "");
  const LatentHead good = start_head(plane().anchors);
  EXPECT_NE(refusal(plane(), {LatentScore::kHead}), "");
  EXPECT_NE(refusal(plane(), {LatentScore::kKnn}, good), "");
  EXPECT_NE(refusal(plane(), {LatentScore::kHead},
                    start_head(orthonormal_anchors(2, 3, 1))),
            "");
  EXPECT_NE(refusal(plane(), {LatentScore::kHead},
                    start_head(orthonormal_anchors(1, 2, 1))),
            "");
  LatentHead infinite = good;
  infinite["head.bias"] = good.at("head.bias") + INFINITY;
  EXPECT_NE(refusal(plane(), {LatentScore::kHead}, infinite), "");
  EXPECT_EQ(refusal(plane(), {LatentScore::kHead}, good), "");
  ImageModel empty = plane();
  empty.bank.latents = Matrix<float>();
  EXPECT_NE(refusal(std::move(empty), {}), "");
  EXPECT_THROW(make_detector(LatentScore::kKnn).scores(make_shapes({})),
               InvalidArgument);
}

TEST(LatentDetector, scores_have_names) {
  for (const LatentScore score : kAll) {
    EXPECT_EQ(latent_score(to_string(score)), score);
  }
  EXPECT_THROW(latent_score("lse"), InvalidArgument);
}

}  // namespace latent_detector_test
}  // namespace sbog::image
