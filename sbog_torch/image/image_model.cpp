// SPDX-License-Identifier: Apache-2.0
// Training and files of image models; see image_model.h.
#include "sbog_torch/image/image_model.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "sbog/base/checksum.h"
#include "sbog/base/errors.h"
#include "sbog/nn/checkpoint.h"
#include "sbog_torch/image/decoder_problem.h"
#include "sbog_torch/image/detail/model_notes.h"
#include "sbog_torch/image/embedding.h"
#include "sbog_torch/image/external_model.h"
#include "sbog_torch/image/tensors.h"

namespace sbog::image {
namespace {

namespace fs = std::filesystem;

std::string encoder_path(const std::string& folder) {
  return (fs::path(folder) / "encoder.safetensors").string();
}

std::string bank_path(const std::string& folder) {
  return (fs::path(folder) / "bank.safetensors").string();
}

EncoderOptions encoder_options(const ImageSet& train,
                               const ImageTraining& training) {
  EncoderOptions options = options_for(train);
  options.widths = training.widths;
  options.latent = training.latent;
  return options;
}

double accuracy_of(const ImageModel& model, const ImageSet& images) {
  const EmbeddingResult embedded = embed_images(model.embed, images);
  return accuracy(nearest_anchors(embedded.latents, model.anchors),
                  images.labels);
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
  detail::require_classes(images, "train_image_model");
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
  ImageModel model;
  model.embed = aligned.model.encoder.embedding();
  model.encoder = std::move(aligned.model.encoder);
  model.anchors = std::move(aligned.model.anchors);
  model.class_names = detail::names_of(images);
  model.shape = images.shape;
  model.bank = build_feature_bank(model.embed, train, training.bank).bank;
  detail::name_sources(split.train, model.bank);
  model.images = checksum_of(images);
  model.accuracy = accuracy_of(model, take(images, split.held_out));
  model.epochs = training.alignment.epochs;
  model.is_robust = training.alignment.robust.has_value();
  model.held_out = training.held_out;
  model.split_seed = training.alignment.seed;
  result.model = std::move(model);
  return result;
}

void save_image_model(const std::string& folder, const ImageModel& model) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw IoError(folder, "cannot be made: " + error.message());
  save_feature_bank(bank_path(folder), model.bank);
  // Last, so that a folder with an encoder is complete.
  if (model.encoder) {
    save_encoder(encoder_path(folder),
                 {*model.encoder, model.anchors.clone(), model.class_names},
                 detail::model_notes(model));
  } else {
    save_external_model(folder, model);
  }
}

bool has_image_model(const std::string& folder) {
  return fs::exists(encoder_path(folder)) || is_external_model(folder);
}

ImageModel load_image_model(const std::string& folder) {
  const std::string path = encoder_path(folder);
  if (!has_image_model(folder)) {
    throw IoError(folder,
                  "this is no folder of an image model: there is no "
                  "encoder.safetensors or external.safetensors in it");
  }
  ImageModel model;
  if (is_external_model(folder)) {
    model = load_external_model(folder);
  } else {
    AlignedEncoder aligned = load_encoder(path);
    model.shape = aligned.encoder.options().shape;
    model.embed = aligned.encoder.embedding();
    model.encoder = std::move(aligned.encoder);
    model.anchors = std::move(aligned.anchors);
    model.class_names = std::move(aligned.class_names);
    detail::read_model_notes(nn::read_metadata(path), path, model);
  }
  model.bank = load_feature_bank(bank_path(folder));
  if (model.bank.latents.cols() != model.anchors.cols() ||
      model.bank.counts.size() != model.anchors.rows()) {
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

ImageSplit split_of(const ImageModel& model, const ImageSet& images,
                    const std::string& name) {
  require_same_images(model, images, name);
  if (model.held_out == 0.0) {
    throw InvalidArgument(name +
                          ": the model does not say which images it was not "
                          "trained on; train it again");
  }
  ImageSplit split = split_by_class(images, model.held_out, model.split_seed);
  for (const std::int64_t source : model.bank.sources) {
    if (std::ranges::binary_search(split.held_out,
                                   static_cast<std::size_t>(source))) {
      throw InvalidArgument(name + ": image " + std::to_string(source) +
                            " is in the bank, but was to be kept apart");
    }
  }
  return split;
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
  // Those of the bank may be of cropped and flipped images.
  const Matrix<float> points = model.embed
                                   ? embed_images(model.embed, chosen).latents
                                   : model.bank.latents.clone();
  const torch::Tensor latents = nn::to_tensor(points.view(), torch::kFloat32);
  if (training.kind == DecoderKind::kMix) {
    result.decoder = std::make_unique<MixDecoder>(
        MixBank{pixels, latents, to_labels(chosen)}, training.mix);
    return result;
  }
  const DecoderProblem problem{pixels, latents, model.embed};
  if (training.kind == DecoderKind::kFlow) {
    FlowHistory history;
    result.decoder = std::make_unique<FlowDecoder>(
        train_flow(problem, training.flow, context, &history));
    result.status = history.status;
  } else {
    CvaeHistory history;
    CvaeOptions options = training.cvae;
    if (!model.embed) options.consistency_weight = 0.0;
    result.decoder = std::make_unique<CvaeDecoder>(
        train_cvae(problem, options, context, &history));
    result.status = history.status;
  }
  if (result.status != SolveStatus::kDone) result.decoder.reset();
  return result;
}

}  // namespace sbog::image
