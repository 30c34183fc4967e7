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

using image::Decoder;
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

torch::Tensor rows_tensor(const Matrix<float>& matrix,
                          const std::vector<std::size_t>& rows) {
  Matrix<float> taken(rows.size(), matrix.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::ranges::copy(matrix.row(rows[i]), taken.row(i).begin());
  }
  return nn::to_tensor(taken.view(), torch::kFloat32);
}

torch::Tensor classes_tensor(const std::vector<std::int64_t>& classes) {
  return torch::tensor(classes, torch::kInt64);
}

// Latents of some rows, their classes, and the images they started from, which
// are rows of the bank.
struct RowsToDecode {
  const Matrix<float>& latents;
  const std::vector<std::int64_t>& classes;
  std::vector<std::size_t> rows;
  std::vector<std::size_t> bank_rows;
  std::uint64_t first_id;
};

// Decoded latents as 8-bit images with their classes.
ImageSet decode_rows(const Decoder& decoder, const ImageModel& model,
                     const ImageSet& images, const RowsToDecode& asked,
                     const DecodingOptions& options) {
  const std::vector<std::int64_t> labels = at_rows(asked.classes, asked.rows);
  std::vector<std::uint64_t> ids;
  for (const std::size_t row : asked.rows) ids.push_back(asked.first_id + row);
  image::DecoderSources sources;
  const bool has_sources = options.variation != Variation::kFresh;
  if (has_sources) {
    std::vector<std::size_t> of_images;
    for (const std::size_t row : asked.bank_rows) {
      of_images.push_back(static_cast<std::size_t>(model.bank.sources[row]));
    }
    sources = {image::to_tensor(images, of_images),
               rows_tensor(model.bank.latents, asked.bank_rows),
               options.variation == Variation::kDetail};
  }
  ImageSet decoded = image::to_images(image::decode_faithfully(
      decoder, model.embed,
      {rows_tensor(asked.latents, asked.rows), classes_tensor(labels), ids,
       has_sources ? &sources : nullptr},
      options.rounds));
  decoded.labels.assign(labels.begin(), labels.end());
  decoded.class_names = model.class_names;
  return decoded;
}

// Energies of latents against all bank latents of their class.
std::vector<double> class_energies(const image::FeatureBank& bank,
                                   const Matrix<float>& latents,
                                   const std::vector<std::int64_t>& classes,
                                   const EnergyOptions& options) {
  std::vector<double> energies(latents.rows());
  std::size_t first = 0;
  while (first < classes.size()) {
    std::size_t end = first;
    while (end < classes.size() && classes[end] == classes[first]) ++end;
    std::vector<std::size_t> atoms;
    for (std::size_t i = 0; i < bank.labels.size(); ++i) {
      if (bank.labels[i] == classes[first]) atoms.push_back(i);
    }
    const EnergyModel<float> model({bank.latents, {}, atoms}, options);
    Matrix<float> queries(end - first, latents.cols());
    for (std::size_t i = first; i < end; ++i) {
      std::ranges::copy(latents.row(i), queries.row(i - first).begin());
    }
    std::ranges::copy(model.evaluate(queries, {}, {}).energies,
                      energies.begin() + static_cast<std::ptrdiff_t>(first));
    first = end;
  }
  return energies;
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

DecodedOutliers decode_outliers(const Decoder& decoder, const ImageModel& model,
                                const ImageSet& images,
                                const LatentOutliers& outliers,
                                const DecodingOptions& options,
                                const EnergyOptions& energy) {
  DecodedOutliers decoded;
  decoded.rows = first_of_each(outliers.classes, options.per_class);
  decoded.images =
      decode_rows(decoder, model, images,
                  {outliers.latents, outliers.classes, decoded.rows,
                   at_rows(outliers.bank_rows, decoded.rows), 0},
                  options);
  std::vector<std::size_t> sources;
  for (const std::size_t row : decoded.rows) {
    sources.push_back(
        static_cast<std::size_t>(model.bank.sources[outliers.bank_rows[row]]));
  }
  decoded.sources = take(images, sources);
  // As many of each class as there are outliers of it, at most.
  const std::size_t inside = std::max<std::size_t>(
      1,
      decoded.rows.size() / std::max<std::size_t>(1, model.class_names.size()));
  const std::vector<std::size_t> rows =
      first_of_each(model.bank.labels, inside);
  decoded.inside = decode_rows(
      decoder, model, images,
      {model.bank.latents, model.bank.labels, rows, rows, kInsideIds}, options);
  const std::vector<std::int64_t> classes =
      at_rows(outliers.classes, decoded.rows);
  const torch::Tensor targets = rows_tensor(outliers.latents, decoded.rows);
  const torch::Tensor pixels = image::to_tensor(decoded.images);
  decoded.class_energy =
      class_energies(model.bank, nn::to_matrix(targets), classes, energy);
  if (model.embed) {
    decoded.energy = class_energies(
        model.bank, image::embed_images(model.embed, decoded.images).latents,
        classes, energy);
    decoded.consistency = image::consistencies(model.embed, pixels, targets);
  }
  const std::vector<std::size_t> trained(model.bank.sources.begin(),
                                         model.bank.sources.end());
  const torch::Tensor known = image::to_tensor(images, trained);
  const image::NearestImages nearest = image::nearest_images(pixels, known);
  for (const std::size_t row : nearest.rows) {
    decoded.nearest.push_back(model.bank.sources[row]);
  }
  decoded.distance = nearest.distances;
  const std::vector<std::size_t> unseen = some_unseen(model, images);
  if (!unseen.empty()) {
    decoded.unseen_distance =
        image::nearest_images(image::to_tensor(images, unseen), known)
            .distances;
  }
  return decoded;
}

}  // namespace sbog::torch_jobs
