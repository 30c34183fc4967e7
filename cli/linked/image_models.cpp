// SPDX-License-Identifier: Apache-2.0
// Training for image_models.h.
#include "linked/image_models.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace sbog::cli {
namespace {

image::AnchorOptions anchors_of(const std::string& text, std::uint64_t seed) {
  image::AnchorOptions options;
  options.seed = seed;
  if (text == "orthonormal") return options;
  options.kind = text == "simplex" ? image::AnchorKind::kSimplex
                                   : image::AnchorKind::kFile;
  if (options.kind == image::AnchorKind::kFile) options.file = text;
  return options;
}

image::RobustAlignmentOptions robust_of(const RobustArguments& a) {
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
std::size_t batch_for(const ImageModelArguments& a, std::size_t images,
                      std::size_t most) {
  constexpr std::size_t kSteps = 50;
  return a.batch > 0 ? a.batch
                     : std::clamp<std::size_t>(images / kSteps, 16, most);
}

}  // namespace

image::ImageTraining training_of(const ImageModelArguments& a,
                                 std::size_t images, std::uint64_t seed,
                                 const std::string& checkpoint) {
  image::ImageTraining training;
  training.widths = a.widths;
  training.latent = a.latent;
  training.anchors = anchors_of(a.anchors, seed);
  training.alignment.epochs = a.epochs;
  training.alignment.batch = batch_for(a, images, 128);
  training.alignment.seed = seed;
  training.alignment.checkpoint = checkpoint;
  if (a.robust.is_asked) training.alignment.robust = robust_of(a.robust);
  training.bank.per_class = a.per_class;
  training.held_out = a.held_out;
  check_options(training.alignment);
  return training;
}

image::DecoderTraining decoder_training_of(const ImageModelArguments& a,
                                           std::size_t images,
                                           std::uint64_t seed) {
  image::DecoderTraining training;
  training.kind = image::decoder_kind(a.decoder);
  training.cvae.seed = training.flow.seed = training.mix.seed = seed;
  training.cvae.batch = training.flow.batch = batch_for(a, images, 64);
  if (a.decoder_epochs) {
    training.cvae.epochs = training.flow.epochs = *a.decoder_epochs;
  }
  return training;
}

std::optional<image::ImageModel> train_model(const ImageSet& images,
                                             const image::ImageTraining& how,
                                             const CommonOptions& common) {
  image::ImageModelResult result;
  {
    ProgressLine line("training the encoder", common.is_quiet);
    result = train_image_model(images, how, {nullptr, &line});
  }
  if (result.status == SolveStatus::kNotConverged) {
    Console(common.is_quiet)
        .warn(
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
    const CommonOptions& common) {
  ProgressLine line("embedding", common.is_quiet);
  return make_external_model(images, how, {nullptr, &line}).model;
}

std::unique_ptr<image::Decoder> train_decoder_file(
    const image::ImageModel& model, const ImageSet& images,
    const image::DecoderTraining& how, const std::string& path,
    const CommonOptions& common) {
  image::DecoderResult result;
  {
    ProgressLine line("training the decoder", common.is_quiet);
    result = train_decoder(model, images, how, {nullptr, &line});
  }
  if (result.decoder && how.kind != image::DecoderKind::kNone) {
    result.decoder->save(path);
  }
  return std::move(result.decoder);
}

}  // namespace sbog::cli
