// SPDX-License-Identifier: Apache-2.0
// Detection on benches against the scores taken one by one.
#include "paper/torch/image_detection.h"

#include <gtest/gtest.h>

#include <utility>

#include "paper/torch/latent_head_training.h"
#include "sbog/image/companions.h"
#include "sbog/image/shapes.h"
#include "sbog_torch/image/detector_scores.h"
#include "sbog_torch/image/embedding.h"
#include "sbog_torch/image/tensors.h"
#include "sbog_torch/nn/torch_bridge.h"

namespace sbog::paper {
namespace image_detection_test {

ImageSet training_images() {
  ShapesOptions options;
  options.count = 60;
  options.first = 1000;
  options.height = options.width = 16;
  return make_shapes(options);
}

ImageBench small_bench() {
  ImageBench bench;
  bench.train = training_images();
  ShapesOptions options;
  options.count = 24;
  options.height = options.width = 16;
  bench.test = make_shapes(options);
  for (const Companion kind : {Companion::kNoise, Companion::kStripes}) {
    bench.outside.emplace_back(to_string(kind),
                               make_companion(kind, bench.test, 3));
  }
  return bench;
}

void expect_figures(const Json& found, const ImageBench& bench,
                    const std::vector<std::vector<double>>& scores) {
  double fpr_sum = 0.0;
  double auroc_sum = 0.0;
  for (std::size_t i = 0; i < bench.outside.size(); ++i) {
    const auto expected = image::detection_quality(scores[0], scores[i + 1]);
    const Json& figures = found["outside"][bench.outside[i].first];
    EXPECT_EQ(figures["fpr95"], expected.fpr95);
    EXPECT_EQ(figures["auroc"], expected.auroc);
    EXPECT_EQ(figures["aupr"], expected.aupr);
    fpr_sum += expected.fpr95;
    auroc_sum += expected.auroc;
  }
  EXPECT_NEAR(found["mean"]["fpr95"].get<double>(), fpr_sum / 2.0, 1e-15);
  EXPECT_NEAR(found["mean"]["auroc"].get<double>(), auroc_sum / 2.0, 1e-15);
}

template <typename Score>
std::vector<std::vector<double>> scores_of(const ImageBench& bench,
                                           const Score& score) {
  std::vector<std::vector<double>> all = {score(bench.test)};
  for (const auto& [name, images] : bench.outside) all.push_back(score(images));
  return all;
}

TEST(ImageDetection, logits_are_scored_by_log_sum_exp_and_by_probability) {
  const ImageBench bench = small_bench();
  const image::Detector detector({bench.test.shape, {4, 8}, 6}, 5);
  const Json found = detection_by_logits(detector, bench);
  const auto by = [&](auto score) {
    return scores_of(bench, [&](const ImageSet& images) {
      return score(detector.logits(image::to_tensor(images)));
    });
  };
  expect_figures(found, bench, by(image::lse_scores));
  expect_figures(found["msp"], bench, by(image::msp_scores));
}

image::ImageModel small_model() {
  image::ImageTraining training;
  training.widths = {4, 8};
  training.latent = 8;
  training.alignment.epochs = 1;
  return std::move(
      train_image_model(training_images(), training).model.value());
}

TEST(ImageDetection, latents_are_scored_against_the_bank) {
  const ImageBench bench = small_bench();
  const image::ImageModel model = small_model();
  const Matrix<float>& bank = model.bank.latents;
  const Json found =
      detection_by_latents(model.embed, model.bank.sources, bench, {});
  const auto by = [&](auto score) {
    return scores_of(bench, [&](const ImageSet& images) {
      return score(image::embed_images(model.embed, images).latents);
    });
  };
  expect_figures(found["k-NN"], bench, by([&](const Matrix<float>& queries) {
                   return image::knn_scores(bank, queries, 50);
                 }));
  expect_figures(found["SOE"], bench, by([&](const Matrix<float>& queries) {
                   return image::soe_scores(bank, queries, 0.05);
                 }));
}

TEST(ImageDetection, a_head_is_trained_with_the_outliers_it_is_given) {
  const ImageBench bench = small_bench();
  const image::ImageModel model = small_model();
  const Matrix<float> outliers =
      image::embed_images(model.embed, bench.outside[0].second).latents;
  for (const MatrixView<const float> shown :
       {MatrixView<const float>(), outliers.view()}) {
    image::LatentHeadOptions options;
    options.seed = 7;
    const image::LatentHead head = image::train_latent_head(
        {model.anchors, model.bank.latents, model.bank.labels, shown}, options);
    const auto logits = [&](const ImageSet& images) {
      const auto latents = image::embed_images(model.embed, images).latents;
      return image::head_logits(head,
                                nn::to_tensor(latents.view(), torch::kFloat32));
    };
    const auto by = [&](auto score) {
      return scores_of(
          bench, [&](const ImageSet& images) { return score(logits(images)); });
    };
    const Json found = detection_by_head(model, shown, bench, 7, {});
    expect_figures(found, bench, by(image::lse_scores));
    expect_figures(found["msp"], bench, by(image::msp_scores));
    const torch::Tensor right =
        logits(bench.test).argmax(1).eq(image::to_labels(bench.test));
    EXPECT_EQ(found["accuracy"],
              right.to(torch::kFloat64).mean().item<double>());
    EXPECT_EQ(found["accuracy_before"],
              image::accuracy(
                  image::nearest_anchors(
                      image::embed_images(model.embed, bench.test).latents,
                      model.anchors),
                  bench.test.labels));
  }
}

}  // namespace image_detection_test
}  // namespace sbog::paper
