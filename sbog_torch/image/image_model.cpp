// SPDX-License-Identifier: Apache-2.0
// Training and files of image models; see image_model.h.
#include "sbog_torch/image/image_model.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "sbog/base/checksum.h"
#include "sbog/base/errors.h"
#include "sbog_torch/image/decoder_problem.h"
#include "sbog_torch/image/embedding.h"
#include "sbog_torch/image/tensors.h"
#include "sbog_torch/nn/checkpoint.h"

namespace sbog::image {
namespace {

namespace fs = std::filesystem;

std::string encoder_path(const std::string& folder) {
  return (fs::path(folder) / "encoder.safetensors").string();
}

std::string bank_path(const std::string& folder) {
  return (fs::path(folder) / "bank.safetensors").string();
}

void check_classes(const ImageSet& images) {
  check_images(images, "train_image_model");
  if (images.labels.empty() || class_count(images) < 2) {
    throw InvalidArgument(
        "train_image_model: images of at least two classes are expected; name "
        "their labels");
  }
}

EncoderOptions encoder_options(const ImageSet& train,
                               const ImageTraining& training) {
  EncoderOptions options = options_for(train);
  options.widths = training.widths;
  options.latent = training.latent;
  return options;
}

// Rows of a part of the set become rows of the set.
void name_sources(const std::vector<std::size_t>& rows, FeatureBank& bank) {
  for (std::int64_t& source : bank.sources) {
    source = static_cast<std::int64_t>(rows[static_cast<std::size_t>(source)]);
  }
}

std::vector<std::string> names_of(const ImageSet& images) {
  std::vector<std::string> names = images.class_names;
  names.resize(class_count(images));
  return names;
}

double accuracy_of(const AlignedEncoder& aligned, const ImageSet& images) {
  const EmbeddingResult embedded =
      embed_images(aligned.encoder.embedding(), images);
  return accuracy(nearest_anchors(embedded.latents, aligned.anchors),
                  images.labels);
}

std::string text_of(double value) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.17g", value);
  return buffer;
}

std::string note_of(const std::map<std::string, std::string>& notes,
                    const std::string& key, const std::string& path) {
  const auto found = notes.find(key);
  if (found == notes.end()) {
    throw IoError(path, "there is no metadata entry " + key +
                            ", which an image model has");
  }
  return found->second;
}

std::vector<std::size_t> bank_rows(const FeatureBank& bank) {
  return {bank.sources.begin(), bank.sources.end()};
}

}  // namespace

std::uint64_t checksum_of(const ImageSet& images) {
  Checksum sum;
  const std::uint64_t shape[] = {images.count(), images.shape.channels,
                                 images.shape.height, images.shape.width};
  sum.update(shape, sizeof shape);
  if (images.pixels.size() > 0) {
    sum.update(images.pixels.data(), images.pixels.size());
  }
  if (!images.labels.empty()) {
    sum.update(images.labels.data(),
               images.labels.size() * sizeof(std::int32_t));
  }
  return sum.digest();
}

ImageModelResult train_image_model(const ImageSet& images,
                                   const ImageTraining& training,
                                   const Context& context) {
  check_classes(images);
  const ImageSplit split =
      split_by_class(images, training.held_out, training.alignment.seed);
  const ImageSet train = take(images, split.train);
  const Matrix<float> anchors =
      make_anchors(training.anchors, class_count(images), training.latent);
  AlignmentResult aligned =
      align_encoder(train, encoder_options(train, training), anchors,
                    training.alignment, context);
  ImageModelResult result;
  result.status = aligned.status;
  result.epochs = std::move(aligned.epochs);
  if (result.status != SolveStatus::kDone) return result;
  aligned.model.class_names = names_of(images);
  const Embed embed = aligned.model.encoder.embedding();
  FeatureBankResult bank = build_feature_bank(embed, train, training.bank);
  name_sources(split.train, bank.bank);
  const double held_out =
      accuracy_of(aligned.model, take(images, split.held_out));
  result.model = ImageModel{
      std::move(aligned.model),  std::move(bank.bank),
      checksum_of(images),       held_out,
      training.alignment.epochs, training.alignment.robust.has_value()};
  return result;
}

void save_image_model(const std::string& folder, const ImageModel& model) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw IoError(folder, "cannot be made: " + error.message());
  save_feature_bank(bank_path(folder), model.bank);
  // Last, so that a folder with an encoder is complete.
  save_encoder(encoder_path(folder), model.aligned,
               {{"images", checksum_hex(model.images)},
                {"accuracy", text_of(model.accuracy)},
                {"epochs", std::to_string(model.epochs)},
                {"robust", model.is_robust ? "1" : "0"}});
}

ImageModel load_image_model(const std::string& folder) {
  const std::string path = encoder_path(folder);
  if (!fs::exists(path)) {
    throw IoError(folder,
                  "this is no folder of an image model: there is no "
                  "encoder.safetensors in it");
  }
  ImageModel model{load_encoder(path), load_feature_bank(bank_path(folder))};
  const auto notes = nn::read_metadata(path);
  model.images =
      std::strtoull(note_of(notes, "images", path).c_str(), nullptr, 16);
  model.accuracy =
      std::strtod(note_of(notes, "accuracy", path).c_str(), nullptr);
  model.epochs =
      std::strtoull(note_of(notes, "epochs", path).c_str(), nullptr, 10);
  model.is_robust = note_of(notes, "robust", path) == "1";
  if (model.bank.latents.cols() != model.aligned.encoder.options().latent ||
      model.bank.counts.size() != model.aligned.anchors.rows()) {
    throw IoError(bank_path(folder), "the bank is of another encoder");
  }
  return model;
}

std::string decoder_path(const std::string& folder) {
  return (fs::path(folder) / "decoder.safetensors").string();
}

void require_same_images(const ImageModel& model, const ImageSet& images,
                         const std::string& name) {
  if (model.images == checksum_of(images)) return;
  throw InvalidArgument(name +
                        ": the model was trained on other images; its bank "
                        "points to images that are not here");
}

DecoderResult train_decoder(const ImageModel& model, const ImageSet& images,
                            const DecoderTraining& training,
                            const Context& context) {
  DecoderResult result;
  if (training.kind == DecoderKind::kNone) {
    result.decoder = make_none_decoder(model.bank.latents.cols());
    return result;
  }
  const ImageSet chosen = take(images, bank_rows(model.bank));
  const torch::Tensor pixels = to_tensor(chosen);
  const Embed embed = model.aligned.encoder.embedding();
  // Not those of the bank, which may be of cropped and flipped images.
  const torch::Tensor latents = nn::to_tensor(
      embed_images(embed, chosen).latents.view(), torch::kFloat32);
  if (training.kind == DecoderKind::kMix) {
    result.decoder = std::make_unique<MixDecoder>(
        MixBank{pixels, latents, to_labels(chosen)}, training.mix);
    return result;
  }
  const DecoderProblem problem{pixels, latents, embed};
  if (training.kind == DecoderKind::kFlow) {
    FlowHistory history;
    result.decoder = std::make_unique<FlowDecoder>(
        train_flow(problem, training.flow, context, &history));
    result.status = history.status;
  } else {
    CvaeHistory history;
    result.decoder = std::make_unique<CvaeDecoder>(
        train_cvae(problem, training.cvae, context, &history));
    result.status = history.status;
  }
  if (result.status != SolveStatus::kDone) result.decoder.reset();
  return result;
}

}  // namespace sbog::image
