// SPDX-License-Identifier: Apache-2.0
// Training of a model of images; see jobs.h.
#include <filesystem>
#include <optional>

#include "sbog/base/atomic_file.h"
#include "sbog/base/errors.h"
#include "sbog/base/stopwatch.h"
#include "sbog/job/image_input.h"
#include "sbog_torch/job/image_training.h"
#include "sbog_torch/job/jobs.h"
#include "sbog_torch/nn/torch_bridge.h"

namespace sbog::torch_jobs {
namespace {

namespace fs = std::filesystem;

// An unfinished training is gone on with only if that is asked for, and a
// finished model is never overwritten.
void look_at_folder(const job::TrainImageOptions& o,
                    const std::string& checkpoint, job::Events& events) {
  if (fs::exists(checkpoint) && !o.resume) {
    throw InvalidArgument(checkpoint +
                          " is left of an interrupted training: add --resume "
                          "to go on with it, or remove it");
  }
  if (!fs::exists(o.out)) {
    if (o.resume) {
      events.on_note("there is no " + o.out + ": training begins afresh");
    }
    return;
  }
  if (!fs::is_directory(o.out)) throw IoError(o.out, "is not a folder");
  if (!fs::is_empty(o.out) && !o.resume) {
    throw IoError(o.out, "holds other files; choose an empty folder");
  }
}

image::ExternalOptions external_of(const job::TrainImageOptions& o) {
  image::ExternalOptions options;
  options.encoder = o.encoder;
  if (o.anchors != "means") options.anchors = o.anchors;
  options.per_class = o.model.per_class;
  options.held_out = o.model.held_out;
  options.seed = o.seed;
  return options;
}

// The model in the folder, or a new one that is written there. Nothing when
// stopped, or when the loss diverged.
std::optional<image::ImageModel> make_model(
    const job::TrainImageOptions& o, const ImageSet& images,
    const image::ImageTraining& training, job::Events& events,
    const Context& context) {
  if (image::has_image_model(o.out)) {
    image::ImageModel found = image::load_image_model(o.out);
    require_same_images(found, images, o.out);
    return found;
  }
  std::optional<image::ImageModel> model;
  if (o.encoder.empty()) {
    fs::create_directories(o.out);
    if (o.resume) remove_temporaries(o.out);  // of a process that was killed
    model = train_model(images, training, events, context);
  } else {
    // An encoder that is refused leaves no folder behind.
    model = take_external_model(images, external_of(o), events, context);
  }
  if (model) save_image_model(o.out, *model);
  return model;
}

job::TrainImageResult& stopped(job::TrainImageResult& result,
                               job::Events& events) {
  events.on_note("interrupted; go on with the same command and --resume");
  result.status = job::Status::kStopped;
  return result;
}

}  // namespace

job::TrainImageResult train_image(const job::TrainImageOptions& o,
                                  job::Events& events, const Context& context) {
  nn::use_one_torch_thread();
  const Stopwatch watch;
  const std::string checkpoint =
      (fs::path(o.out) / "encoder.checkpoint").string();
  look_at_folder(o, checkpoint, events);
  const ImageSet images =
      job::load_known_classes(o.data, o.labels, o.input, events);
  const TrainingSettings settings = settings_of(o);
  const image::ImageTraining training =
      training_of(settings, images.count(), checkpoint);
  const image::DecoderTraining decoder =
      decoder_training_of(settings, images.count());
  job::TrainImageResult result;
  result.options = o;
  const std::optional<image::ImageModel> model =
      make_model(o, images, training, events, context);
  if (!model && events.is_stopped()) return stopped(result, events);
  if (!model) {
    result.status = job::Status::kNotReached;
    return result;
  }
  if (!train_decoder_file(*model, images, decoder, image::decoder_path(o.out),
                          events, context)) {
    return stopped(result, events);
  }
  result.images = images.count();
  result.shape = images.shape;
  result.classes = model->anchors.rows();
  result.latent = model->bank.latents.cols();
  result.bank = model->bank.latents.rows();
  result.encoder = model->encoder ? "trained"
                   : model->embed ? "script"
                                  : "features";
  result.epochs = model->epochs;
  result.is_robust = model->is_robust;
  result.accuracy = model->accuracy;
  result.seconds = watch.seconds();
  return result;
}

}  // namespace sbog::torch_jobs
