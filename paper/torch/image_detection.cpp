// SPDX-License-Identifier: Apache-2.0
// Scores of benches; see image_detection.h.
#include "paper/torch/image_detection.h"

#include <algorithm>
#include <string>
#include <vector>

#include "paper/torch/latent_head_training.h"
#include "sbog_torch/image/detector_scores.h"
#include "sbog_torch/image/embedding.h"
#include "sbog_torch/image/tensors.h"
#include "sbog_torch/nn/torch_bridge.h"

namespace sbog::paper {
namespace {

constexpr std::size_t kNeighbours = 50;
constexpr double kEpsilon = 0.05;
constexpr std::size_t kEmbedBatch = 256;

// Scores of all sets of a bench, high for known images.
struct BenchScores {
  std::vector<double> inside;
  std::vector<std::vector<double>> outside;
};

Json quality_json(const image::DetectionQuality& quality) {
  return {{"fpr95", quality.fpr95},
          {"fpr95_closest", quality.fpr95_closest},
          {"auroc", quality.auroc},
          {"aupr", quality.aupr}};
}

Json quality_of(const BenchScores& scores, const ImageBench& bench) {
  Json mean = quality_json({});
  Json outside = Json::object();
  const auto count = static_cast<double>(bench.outside.size());
  for (std::size_t i = 0; i < bench.outside.size(); ++i) {
    const Json quality = quality_json(
        image::detection_quality(scores.inside, scores.outside[i]));
    outside[bench.outside[i].first] = quality;
    for (const auto& [field, value] : quality.items()) {
      mean[field] = mean[field].get<double>() + value.get<double>() / count;
    }
  }
  return {{"outside", outside}, {"mean", mean}};
}

// Something of each set of a bench, the known images first.
template <typename Of>
auto of_each(const ImageBench& bench, const Of& of) {
  std::vector<decltype(of(bench.test))> all;
  all.push_back(of(bench.test));
  for (const auto& [name, images] : bench.outside) all.push_back(of(images));
  return all;
}

template <typename Values, typename Score>
Json scored(const std::vector<Values>& values, const ImageBench& bench,
            const Score& score) {
  BenchScores scores{score(values[0]), {}};
  for (std::size_t i = 1; i < values.size(); ++i) {
    scores.outside.push_back(score(values[i]));
  }
  return quality_of(scores, bench);
}

Matrix<float> embed_all(const image::Embed& embed, const ImageSet& images,
                        const Context& context) {
  return image::embed_images(embed, images, kEmbedBatch,
                             {context.pool, nullptr})
      .latents;
}

std::vector<Matrix<float>> latents_of(const image::Embed& embed,
                                      const ImageBench& bench,
                                      const Context& context) {
  return of_each(bench, [&](const ImageSet& images) {
    return embed_all(embed, images, context);
  });
}

Json scored_logits(const std::vector<torch::Tensor>& logits,
                   const ImageBench& bench) {
  Json result = scored(logits, bench, image::lse_scores);
  result["msp"] = scored(logits, bench, image::msp_scores);
  return result;
}

}  // namespace

Json detection_by_logits(const image::Detector& detector,
                         const ImageBench& bench) {
  return scored_logits(
      of_each(bench,
              [&](const ImageSet& images) {
                return detector.logits(image::to_tensor(images));
              }),
      bench);
}

Json detection_by_latents(const image::Embed& embed,
                          const std::vector<std::int64_t>& bank_rows,
                          const ImageBench& bench, const Context& context) {
  const auto latents = latents_of(embed, bench, context);
  const std::vector<std::size_t> rows(bank_rows.begin(), bank_rows.end());
  const Matrix<float> bank = embed_all(embed, take(bench.train, rows), context);
  return {{"k-NN", scored(latents, bench,
                          [&](const Matrix<float>& queries) {
                            return image::knn_scores(
                                bank, queries,
                                std::min(kNeighbours, bank.rows()), context);
                          })},
          {"SOE", scored(latents, bench, [&](const Matrix<float>& queries) {
             return image::soe_scores(bank, queries, kEpsilon, context);
           })}};
}

Json detection_by_head(const image::ImageModel& model,
                       MatrixView<const float> outliers,
                       const ImageBench& bench, std::uint64_t seed,
                       const Context& context) {
  image::LatentHeadOptions options;
  options.seed = seed;
  const image::LatentHead head = image::train_latent_head(
      {model.anchors, model.bank.latents, model.bank.labels, outliers}, options,
      {context.pool, nullptr});
  std::vector<torch::Tensor> logits;
  const auto latents = latents_of(model.embed, bench, context);
  for (const Matrix<float>& rows : latents) {
    logits.push_back(
        image::head_logits(head, nn::to_tensor(rows.view(), torch::kFloat32)));
  }
  Json result = scored_logits(logits, bench);
  result["accuracy_before"] = image::accuracy(
      image::nearest_anchors(latents[0], model.anchors), bench.test.labels);
  result["accuracy"] =
      image::classifier_accuracy(logits[0], image::to_labels(bench.test));
  return result;
}

}  // namespace sbog::paper
