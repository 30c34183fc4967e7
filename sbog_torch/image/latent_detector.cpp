// SPDX-License-Identifier: Apache-2.0
// See latent_detector.h.
#include "sbog_torch/image/latent_detector.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/detect/point_detector_file.h"
#include "sbog_torch/image/detail/in_chunks.h"
#include "sbog_torch/image/embedding.h"

namespace sbog::image {
namespace {

std::string file_in(const std::string& folder) {
  return (std::filesystem::path(folder) / "detector.safetensors").string();
}

bool has_bank_of(const detect::PointDetector& points, const ImageModel& model) {
  const detect::LabelledBank bank = labelled_bank(model);
  const detect::LabelledBank& own = points.state().bank;
  return bank.classes == own.classes && bank.class_labels == own.class_labels &&
         std::ranges::equal(bank.points.elements(), own.points.elements());
}

}  // namespace

detect::LabelledBank labelled_bank(const ImageModel& model) {
  return detect::make_bank(model.bank.latents, model.bank.labels,
                           "the bank of the model");
}

Matrix<float> embed_with(const ImageModel& model, const ImageSet& images) {
  if (images.shape != model.shape) {
    throw InvalidArgument("latent detector: images of " +
                          to_string(model.shape) + " are expected, got " +
                          to_string(images.shape));
  }
  const Embed in_chunks = [&](const torch::Tensor& some) {
    return detail::in_chunks({some},
                             [&](const std::vector<torch::Tensor>& rows) {
                               return model.embed(rows[0]);
                             });
  };
  return embed_images(in_chunks, images).latents;
}

LatentDetector::LatentDetector(ImageModel model, detect::PointDetector points)
    : model_(std::move(model)), points_(std::move(points)) {
  if (!model_.embed) {
    throw InvalidArgument(
        "latent detector: the model knows features of its own images alone; an "
        "encoder that can embed new ones is expected");
  }
  if (!has_bank_of(points_, model_)) {
    throw InvalidArgument(
        "latent detector: its bank is that of another model than the one "
        "beside it");
  }
}

std::string LatentDetector::score() const {
  const auto& scores = points_.state().options.scores;
  return scores.size() == 1 ? to_string(scores[0]) : "sum";
}

std::optional<detect::PointVerdicts> LatentDetector::judge(
    const ImageSet& images, const Context& context) const {
  return points_.judge(embed_with(model_, images), context);
}

void LatentDetector::save(const std::string& folder) const {
  save_image_model(folder, model_);
  detect::write_point_detector(file_in(folder), points_);
}

LatentDetector LatentDetector::load(const std::string& folder) {
  const std::string path = file_in(folder);
  detect::PointDetector points = detect::read_point_detector(path);
  ImageModel model = load_image_model(folder);
  try {
    return {std::move(model), std::move(points)};
  } catch (const InvalidArgument& error) {
    throw IoError(path, error.what());
  }
}

}  // namespace sbog::image
