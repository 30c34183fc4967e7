// SPDX-License-Identifier: Apache-2.0
// See image_training.h.
#include "sbog_torch/job/image_training.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace sbog::torch_jobs {
namespace {

image::AnchorOptions anchors_of(const std::string& text, std::uint64_t seed) {
  image::AnchorOptions options;
  options.seed = seed;
  if (text.empty() || text == "orthonormal") return options;
  options.kind = text == "simplex" ? image::AnchorKind::kSimplex
                                   : image::AnchorKind::kFile;
  if (options.kind == image::AnchorKind::kFile) options.file = text;
  return options;
}

image::RobustAlignmentOptions robust_of(const job::RobustSettings& a) {
  image::RobustAlignmentOptions options;
  options.atoms = a.atoms == "input"       ? image::AtomKind::kInput
                  : a.atoms == "neighbour" ? image::AtomKind::kNeighbour
                                           : image::AtomKind::kLatent;
  options.atom_count = a.atom_count;
  options.epsilon = a.epsilon;
  options.kappa = a.kappa;
  options.warm_up = a.warm_up;
  options.sign =
      a.sign == "adversarial" ? RobustSign::kAdversarial : RobustSign::kPaper;
  return options;
}

// Small sets need small batches, or an epoch has hardly a step.
std::size_t batch_for(const TrainingSettings& a, std::size_t images,
                      std::size_t most) {
  constexpr std::size_t kSteps = 50;
  return a.model.batch > 0 ? a.model.batch
                           : std::clamp<std::size_t>(images / kSteps, 16, most);
}

}  // namespace

TrainingSettings settings_of(const job::TrainImageOptions& options) {
  return {options.model,   options.epochs,         options.anchors,
          options.decoder, options.decoder_epochs, options.seed};
}

TrainingSettings settings_of(const job::GenerateOptions& options) {
  return {options.images.model,
          options.epochs,
          options.class_anchors,
          options.decoder.empty() ? "cvae" : options.decoder,
          options.decoder_epochs,
          options.sampler.seed};
}

image::ImageTraining training_of(const TrainingSettings& a, std::size_t images,
                                 const std::string& checkpoint) {
  image::ImageTraining training;
  training.widths = a.model.widths;
  training.latent = a.model.latent;
  training.anchors = anchors_of(a.anchors, a.seed);
  training.alignment.epochs = a.epochs;
  training.alignment.batch = batch_for(a, images, 128);
  training.alignment.seed = a.seed;
  training.alignment.checkpoint = checkpoint;
  if (a.model.robust.robust) {
    training.alignment.robust = robust_of(a.model.robust);
  }
  training.bank.per_class = a.model.per_class;
  training.held_out = a.model.held_out;
  check_options(training.alignment);
  return training;
}

image::DecoderTraining decoder_training_of(const TrainingSettings& a,
                                           std::size_t images) {
  image::DecoderTraining training;
  training.kind = image::decoder_kind(a.decoder);
  training.cvae.seed = training.flow.seed = training.mix.seed = a.seed;
  training.cvae.batch = training.flow.batch = batch_for(a, images, 64);
  if (a.decoder_epochs) {
    training.cvae.epochs = training.flow.epochs = *a.decoder_epochs;
  }
  return training;
}

std::optional<image::ImageModel> train_model(const ImageSet& images,
                                             const image::ImageTraining& how,
                                             job::Events& events,
                                             const Context& context) {
  image::ImageModelResult result;
  {
    job::Stage stage(events, context, "training the encoder");
    result = train_image_model(images, how, stage.context());
  }
  if (result.status == SolveStatus::kNotConverged) {
    events.on_warning(
        "the loss of the encoder became infinite; train with another "
        "--seed or fewer --widths");
    std::filesystem::remove(how.alignment.checkpoint);
  }
  if (!result.model) return std::nullopt;
  std::filesystem::remove(how.alignment.checkpoint);
  return std::move(result.model);
}

std::optional<image::ImageModel> take_external_model(
    const ImageSet& images, const image::ExternalOptions& how,
    job::Events& events, const Context& context) {
  job::Stage stage(events, context, "embedding");
  return make_external_model(images, how, stage.context()).model;
}

std::unique_ptr<image::Decoder> train_decoder_file(
    const image::ImageModel& model, const ImageSet& images,
    const image::DecoderTraining& how, const std::string& path,
    job::Events& events, const Context& context) {
  image::DecoderResult result;
  {
    job::Stage stage(events, context, "training the decoder");
    result = train_decoder(model, images, how, stage.context());
  }
  if (result.decoder && how.kind != image::DecoderKind::kNone) {
    result.decoder->save(path);
  }
  return std::move(result.decoder);
}

}  // namespace sbog::torch_jobs
