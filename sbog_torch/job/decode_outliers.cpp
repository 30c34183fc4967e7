// SPDX-License-Identifier: Apache-2.0
// See decode_outliers.h.
#include "sbog_torch/job/decode_outliers.h"

#include <algorithm>
#include <string>

#include "sbog_torch/image/decoder_quality.h"
#include "sbog_torch/image/embedding.h"
#include "sbog_torch/image/faithful_decoding.h"
#include "sbog_torch/image/tensors.h"

namespace sbog::torch_jobs {
namespace {

using image::ImageModel;
using image::LatentOutliers;

// Ids of decoded bank latents begin here, apart from those of outliers.
constexpr std::uint64_t kInsideIds = std::uint64_t{1} << 40;
// Real images to hold the distances of outliers against, at most.
constexpr std::size_t kUnseen = 500;

// The first `count` of each value of a list of classes, as rows.
std::vector<std::size_t> first_of_each(const std::vector<std::int64_t>& classes,
                                       std::size_t count) {
  std::vector<std::size_t> rows;
  std::size_t in_class = 0;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    in_class = i > 0 && classes[i] == classes[i - 1] ? in_class + 1 : 0;
    if (in_class < count) rows.push_back(i);
  }
  return rows;
}

template <typename T>
std::vector<T> at_rows(const std::vector<T>& values,
                       const std::vector<std::size_t>& rows) {
  std::vector<T> taken;
  for (const std::size_t row : rows) taken.push_back(values[row]);
  return taken;
}

Matrix<float> rows_of(MatrixView<const float> matrix,
                      const std::vector<std::size_t>& rows) {
  Matrix<float> taken(rows.size(), matrix.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::ranges::copy(matrix.row(rows[i]), taken.row(i).begin());
  }
  return taken;
}

torch::Tensor to_float(MatrixView<const float> matrix) {
  return nn::to_tensor(matrix, torch::kFloat32);
}

torch::Tensor classes_tensor(const std::vector<std::int64_t>& classes) {
  return torch::tensor(classes, torch::kInt64);
}

// Rows of the whole set that some rows of the bank stand for.
std::vector<std::size_t> images_of(const ImageModel& model,
                                   const std::vector<std::size_t>& bank_rows) {
  std::vector<std::size_t> rows;
  for (const std::size_t row : bank_rows) {
    rows.push_back(static_cast<std::size_t>(model.bank.sources[row]));
  }
  return rows;
}

// Decoded latents as 8-bit images with their classes.
ImageSet draw_images(const DecodingTools& tools, const LatentsToDecode& asked,
                     const DecodingOptions& options) {
  const ImageModel& model = tools.model;
  image::DecoderSources sources;
  const bool has_sources = options.variation != Variation::kFresh;
  if (has_sources) {
    sources = {
        image::to_tensor(tools.images, images_of(model, asked.bank_rows)),
        to_float(rows_of(model.bank.latents, asked.bank_rows)),
        options.variation == Variation::kDetail};
  }
  ImageSet decoded = image::to_images(image::decode_faithfully(
      tools.decoder, model.embed,
      {to_float(asked.latents), classes_tensor(asked.classes), asked.ids,
       has_sources ? &sources : nullptr},
      options.rounds));
  decoded.labels.assign(asked.classes.begin(), asked.classes.end());
  decoded.class_names = model.class_names;
  return decoded;
}

// Scores of latents within their classes.
std::vector<double> class_scores(const LatentScorer& scorer,
                                 MatrixView<const float> latents,
                                 const std::vector<std::int64_t>& classes) {
  std::vector<double> scores;
  std::size_t first = 0;
  while (first < classes.size()) {
    std::size_t end = first;
    while (end < classes.size() && classes[end] == classes[first]) ++end;
    const std::vector<double> found =
        scorer.score(classes[first], latents.subrows(first, end - first));
    scores.insert(scores.end(), found.begin(), found.end());
    first = end;
  }
  return scores;
}

// Rows of images that the model kept apart, spread over them.
std::vector<std::size_t> some_unseen(const ImageModel& model,
                                     const ImageSet& images) {
  if (!(model.held_out > 0.0)) return {};
  const std::vector<std::size_t> all =
      split_by_class(images, model.held_out, model.split_seed).held_out;
  const std::size_t step = std::max<std::size_t>(1, all.size() / kUnseen);
  std::vector<std::size_t> some;
  for (std::size_t i = 0; i < all.size() && some.size() < kUnseen; i += step) {
    some.push_back(all[i]);
  }
  return some;
}

}  // namespace

DecodedImages decode_latents(const DecodingTools& tools,
                             const LatentsToDecode& asked,
                             const DecodingOptions& options) {
  const ImageModel& model = tools.model;
  DecodedImages decoded;
  decoded.images = draw_images(tools, asked, options);
  decoded.sources = take(tools.images, images_of(model, asked.bank_rows));
  decoded.class_energy =
      class_scores(tools.scorer, asked.latents, asked.classes);
  if (!model.embed) return decoded;
  decoded.energy = class_scores(
      tools.scorer, image::embed_images(model.embed, decoded.images).latents,
      asked.classes);
  decoded.consistency = image::consistencies(
      model.embed, image::to_tensor(decoded.images), to_float(asked.latents));
  return decoded;
}

void measure_decoded(const DecodingTools& tools, const DecodingOptions& options,
                     DecodedOutliers& decoded) {
  const ImageModel& model = tools.model;
  // As many of each class as there are outliers of it, at most.
  const std::size_t count = std::max<std::size_t>(
      1, decoded.images.count() /
             std::max<std::size_t>(1, model.class_names.size()));
  const std::vector<std::size_t> rows = first_of_each(model.bank.labels, count);
  const Matrix<float> latents = rows_of(model.bank.latents, rows);
  std::vector<std::uint64_t> ids;
  for (const std::size_t row : rows) ids.push_back(kInsideIds + row);
  decoded.inside = draw_images(
      tools, {latents, at_rows(model.bank.labels, rows), rows, ids}, options);
  const std::vector<std::size_t> trained(model.bank.sources.begin(),
                                         model.bank.sources.end());
  const torch::Tensor known = image::to_tensor(tools.images, trained);
  const image::NearestImages nearest =
      image::nearest_images(image::to_tensor(decoded.images), known);
  for (const std::size_t row : nearest.rows) {
    decoded.nearest.push_back(model.bank.sources[row]);
  }
  decoded.distance = nearest.distances;
  const std::vector<std::size_t> unseen = some_unseen(model, tools.images);
  if (unseen.empty()) return;
  decoded.unseen_distance =
      image::nearest_images(image::to_tensor(tools.images, unseen), known)
          .distances;
}

DecodedOutliers decode_outliers(const DecodingTools& tools,
                                const LatentOutliers& outliers,
                                const DecodingOptions& options) {
  DecodedOutliers decoded;
  decoded.rows = first_of_each(outliers.classes, options.per_class);
  const Matrix<float> latents = rows_of(outliers.latents, decoded.rows);
  static_cast<DecodedImages&>(decoded) =
      decode_latents(tools,
                     {latents,
                      at_rows(outliers.classes, decoded.rows),
                      at_rows(outliers.bank_rows, decoded.rows),
                      {decoded.rows.begin(), decoded.rows.end()}},
                     options);
  measure_decoded(tools, options, decoded);
  return decoded;
}

}  // namespace sbog::torch_jobs
