// SPDX-License-Identifier: Apache-2.0
// Scores and folders of detectors on latents; see latent_detector.h.
#include "sbog_torch/image/latent_detector.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <utility>

#include "sbog/base/checksum.h"
#include "sbog/base/errors.h"
#include "sbog/nn/checkpoint.h"
#include "sbog_torch/image/detail/in_chunks.h"
#include "sbog_torch/image/detector_scores.h"
#include "sbog_torch/image/embedding.h"
#include "sbog_torch/image/tensors.h"

namespace sbog::image {
namespace {

constexpr const char* kRole = "sbog latent image detector 1";
constexpr LatentScore kScores[] = {LatentScore::kKnn, LatentScore::kSoe,
                                   LatentScore::kHead};

std::string file_in(const std::string& folder) {
  return (std::filesystem::path(folder) / "detector.safetensors").string();
}

// Which bank and anchors the numbers of a detector belong to.
std::string mark_of(const ImageModel& model) {
  Checksum sum;
  for (const auto part :
       {model.bank.latents.elements(), model.anchors.elements()}) {
    if (!part.empty()) sum.update(part.data(), part.size_bytes());
  }
  return checksum_hex(sum.digest());
}

nn::ParameterSet empty_head(std::size_t classes, std::size_t width) {
  nn::ParameterSet head;
  head.add("head.weight", {classes, width});
  head.add("head.bias", {classes});
  head.add("phi.weight", {2, 1});
  head.add("phi.bias", {2});
  return head;
}

void check_head(const LatentHead& head, const ImageModel& model) {
  const nn::ParameterSet wanted =
      empty_head(model.anchors.rows(), model.anchors.cols());
  for (const nn::Parameter& entry : wanted.entries()) {
    const std::vector<std::int64_t> shape(entry.shape.begin(),
                                          entry.shape.end());
    const auto found = head.find(entry.name);
    if (head.size() != wanted.entries().size() || found == head.end() ||
        found->second.sizes() != at::IntArrayRef(shape)) {
      throw InvalidArgument(
          "latent detector: a head with one row per class, as wide as the "
          "latents, is expected");
    }
    require_finite(found->second, "latent detector: " + entry.name);
  }
}

// Scalars and head as they lie in the file; values are those of the detector.
nn::Checkpoint file_of(const LatentDetector& detector) {
  const LatentDetectorOptions& options = detector.options();
  nn::Checkpoint file;
  file.scalars["has_threshold"] = detector.threshold ? 1.0 : 0.0;
  file.scalars["threshold"] = detector.threshold.value_or(0.0);
  file.scalars["neighbours"] = static_cast<double>(options.neighbours);
  file.scalars["epsilon"] = options.epsilon;
  if (detector.head()) {
    file.parameters =
        empty_head(detector.classes(), detector.model().anchors.cols());
    nn::from_tensors(*detector.head(), file.parameters);
  }
  return file;
}

LatentDetectorOptions read_options(const nn::Checkpoint& file,
                                   LatentScore score, const std::string& path) {
  LatentDetectorOptions options;
  options.score = score;
  const double neighbours = file.scalars.at("neighbours");
  if (!(neighbours >= 1.0 && neighbours < 9e15 &&
        neighbours == std::floor(neighbours))) {
    throw IoError(path, "neighbours is not a whole number above 0");
  }
  options.neighbours = static_cast<std::size_t>(neighbours);
  options.epsilon = file.scalars.at("epsilon");
  return options;
}

std::string note_of(const std::map<std::string, std::string>& notes,
                    const std::string& key) {
  const auto found = notes.find(key);
  return found == notes.end() ? "" : found->second;
}

LatentScore read_score(const std::string& name, const std::string& path) {
  for (const LatentScore score : kScores) {
    if (name == to_string(score)) return score;
  }
  throw IoError(path, "the score is none of knn, soe and head");
}

}  // namespace

const char* to_string(LatentScore score) {
  switch (score) {
    case LatentScore::kKnn:
      return "knn";
    case LatentScore::kSoe:
      return "soe";
    case LatentScore::kHead:
      return "head";
  }
  return "unknown";
}

LatentScore latent_score(std::string_view name) {
  for (const LatentScore score : kScores) {
    if (name == to_string(score)) return score;
  }
  throw InvalidArgument("latent score: knn, soe or head is expected, got " +
                        std::string(name));
}

LatentDetector::LatentDetector(ImageModel model,
                               const LatentDetectorOptions& options,
                               std::optional<LatentHead> head)
    : model_(std::move(model)), options_(options), head_(std::move(head)) {
  if (!model_.embed) {
    throw InvalidArgument(
        "latent detector: the model knows features of its own images alone; an "
        "encoder that can embed new ones is expected");
  }
  if (options_.neighbours < 1 || !(options_.epsilon > 0.0) ||
      !std::isfinite(options_.epsilon)) {
    throw InvalidArgument(
        "latent detector: one neighbour or more and an epsilon above 0 are "
        "expected");
  }
  if (model_.bank.latents.rows() == 0 ||
      model_.bank.latents.cols() != model_.anchors.cols()) {
    throw InvalidArgument(
        "latent detector: a bank as wide as the anchors is expected");
  }
  if ((options_.score == LatentScore::kHead) != head_.has_value()) {
    throw InvalidArgument(
        "latent detector: a head is expected for the score head, and only "
        "there");
  }
  if (head_) check_head(*head_, model_);
  options_.neighbours =
      std::min(options_.neighbours, model_.bank.latents.rows());
}

Matrix<float> LatentDetector::embed(const ImageSet& images) const {
  if (images.shape != shape()) {
    throw InvalidArgument("latent detector: images of " + to_string(shape()) +
                          " are expected, got " + to_string(images.shape));
  }
  const Embed in_chunks = [&](const torch::Tensor& some) {
    return detail::in_chunks({some},
                             [&](const std::vector<torch::Tensor>& rows) {
                               return model_.embed(rows[0]);
                             });
  };
  return embed_images(in_chunks, images).latents;
}

std::vector<double> LatentDetector::scores(const ImageSet& images,
                                           const Context& context) const {
  return scores(embed(images).view(), context);
}

std::vector<double> LatentDetector::scores(MatrixView<const float> latents,
                                           const Context& context) const {
  if (latents.rows() == 0) return {};
  const MatrixView<const float> bank = model_.bank.latents.view();
  switch (options_.score) {
    case LatentScore::kKnn:
      return knn_scores(bank, latents, options_.neighbours, context);
    case LatentScore::kSoe:
      return soe_scores(bank, latents, options_.epsilon, context);
    case LatentScore::kHead:
      break;
  }
  return lse_scores(logits(latents));
}

std::vector<std::int32_t> LatentDetector::predict(
    const ImageSet& images) const {
  return predict(embed(images).view());
}

std::vector<std::int32_t> LatentDetector::predict(
    MatrixView<const float> latents) const {
  if (latents.rows() == 0) return {};
  if (!head_) return nearest_anchors(latents, model_.anchors);
  const torch::Tensor best =
      logits(latents).argmax(1).to(torch::kInt32).contiguous();
  const std::int32_t* first = best.data_ptr<std::int32_t>();
  return {first, first + best.numel()};
}

torch::Tensor LatentDetector::logits(MatrixView<const float> latents) const {
  const torch::NoGradGuard no_gradients;
  return detail::in_chunks({nn::to_tensor(latents, torch::kFloat32)},
                           [&](const std::vector<torch::Tensor>& rows) {
                             return head_logits(*head_, rows[0]);
                           });
}

void LatentDetector::save(const std::string& folder) const {
  save_image_model(folder, model_);
  nn::Checkpoint file = file_of(*this);
  file.metadata = {{"role", kRole},
                   {"score", to_string(options_.score)},
                   {"model", mark_of(model_)}};
  nn::save_checkpoint(file_in(folder), file);
}

LatentDetector LatentDetector::load(const std::string& folder) {
  const std::string path = file_in(folder);
  const auto notes = nn::read_metadata(path);
  if (note_of(notes, "role") != kRole) {
    throw IoError(path, "is not a detector on latents of this version");
  }
  const LatentScore score = read_score(note_of(notes, "score"), path);
  ImageModel model = load_image_model(folder);
  if (note_of(notes, "model") != mark_of(model)) {
    throw IoError(path, "was made with another model than the one beside it");
  }
  nn::Checkpoint file;
  for (const char* name :
       {"has_threshold", "threshold", "neighbours", "epsilon"}) {
    file.scalars[name] = 0.0;
  }
  if (score == LatentScore::kHead) {
    file.parameters = empty_head(model.anchors.rows(), model.anchors.cols());
  }
  nn::load_checkpoint(path, file);
  std::optional<LatentHead> head;
  if (score == LatentScore::kHead) {
    head = nn::to_tensors(file.parameters, torch::kFloat32, false);
  }
  const LatentDetectorOptions options = read_options(file, score, path);
  try {
    LatentDetector detector(std::move(model), options, std::move(head));
    if (file.scalars.at("has_threshold") != 0.0) {
      detector.threshold = file.scalars.at("threshold");
    }
    return detector;
  } catch (const InvalidArgument& error) {
    throw IoError(path, error.what());
  }
}

}  // namespace sbog::image
