// SPDX-License-Identifier: Apache-2.0
// Training of a model of images; see image_jobs.h.
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "exit_code.h"
#include "image_jobs.h"
#include "linked/image_models.h"
#include "sbog/base/errors.h"
#include "sbog_torch/nn/torch_bridge.h"

namespace sbog::cli {
namespace {

namespace fs = std::filesystem;

// What is said about a training besides its model.
struct TrainingFacts {
  std::size_t images = 0;
  ImageShape shape;
  double seconds = 0.0;
};

// An unfinished training is gone on with only if that is asked for, and a
// finished model is never overwritten.
void look_at_folder(const TrainImageArguments& a, const std::string& checkpoint,
                    const Console& console) {
  if (fs::exists(checkpoint) && !a.is_resumed) {
    throw InvalidArgument(checkpoint +
                          " is left of an interrupted training: add --resume "
                          "to go on with it, or remove it");
  }
  if (!fs::exists(a.out)) {
    if (a.is_resumed) {
      console.note("there is no " + a.out + ": training begins afresh");
    }
    return;
  }
  if (!fs::is_directory(a.out)) throw IoError(a.out, "is not a folder");
  if (!fs::is_empty(a.out) && !a.is_resumed) {
    throw IoError(a.out, "holds other files; choose an empty folder");
  }
}

void print_result(const image::ImageModel& model, const TrainImageArguments& a,
                  const TrainingFacts& facts, const CommonOptions& common) {
  if (common.is_json) {
    nlohmann::ordered_json json;
    json["model"] = a.out;
    json["images"] = facts.images;
    json["shape"] = {facts.shape.channels, facts.shape.height,
                     facts.shape.width};
    json["classes"] = model.anchors.rows();
    json["latent"] = model.bank.latents.cols();
    json["bank"] = model.bank.latents.rows();
    json["encoder"] = model.encoder ? "trained"
                      : model.embed ? "script"
                                    : "features";
    json["epochs"] = model.epochs;
    json["robust"] = model.is_robust;
    json["decoder"] = a.model.decoder;
    json["accuracy"] = model.accuracy;
    json["seconds"] = facts.seconds;
    std::printf("%s\n", json.dump(2).c_str());
    return;
  }
  std::printf(
      "%s: %s on %s images of %zu classes, %s (%s)\n"
      "accuracy on images that were %s: %.1f %%\n"
      "bank: %s latents of %zu numbers; decoder: %s\n",
      a.out.c_str(),
      model.encoder ? "trained" : ("made from " + a.encoder).c_str(),
      with_commas(facts.images).c_str(), model.anchors.rows(),
      to_string(facts.shape).c_str(), duration(facts.seconds).c_str(),
      model.encoder ? "not trained on" : "kept apart", 100.0 * model.accuracy,
      with_commas(model.bank.latents.rows()).c_str(), model.bank.latents.cols(),
      a.model.decoder.c_str());
}

image::ExternalOptions external_of(const TrainImageArguments& a,
                                   std::uint64_t seed) {
  image::ExternalOptions options;
  options.encoder = a.encoder;
  if (a.model.anchors != "means") options.anchors = a.model.anchors;
  options.per_class = a.model.per_class;
  options.held_out = a.model.held_out;
  options.seed = seed;
  return options;
}

int interrupted(const Console& console) {
  console.note("interrupted; go on with the same command and --resume");
  return kNotReached;
}

}  // namespace

int train_image(const TrainImageArguments& a, const CommonOptions& common) {
  nn::use_one_torch_thread();
  const auto start = std::chrono::steady_clock::now();
  const Console console(common.is_quiet);
  const std::string checkpoint =
      (fs::path(a.out) / "encoder.checkpoint").string();
  look_at_folder(a, checkpoint, console);
  const ImageSet images = load_known_classes(a.input, console);
  const image::ImageTraining training =
      training_of(a.model, images.count(), common.seed, checkpoint);
  const image::DecoderTraining decoder =
      decoder_training_of(a.model, images.count(), common.seed);
  std::optional<image::ImageModel> model;
  if (image::has_image_model(a.out)) {
    model = image::load_image_model(a.out);
    require_same_images(*model, images, a.out);
  } else {
    if (a.encoder.empty()) {
      fs::create_directories(a.out);
      model = train_model(images, training, common);
    } else {
      // An encoder that is refused leaves no folder behind.
      model = take_external_model(images, external_of(a, common.seed), common);
    }
    if (!model) return is_interrupted() ? interrupted(console) : kNotReached;
    save_image_model(a.out, *model);
  }
  if (!train_decoder_file(*model, images, decoder, image::decoder_path(a.out),
                          common)) {
    return interrupted(console);
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  print_result(*model, a, {images.count(), images.shape, seconds}, common);
  return kDone;
}

}  // namespace sbog::cli
