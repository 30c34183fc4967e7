// SPDX-License-Identifier: Apache-2.0
// Detectors on the pixels of images, trained with the decoded outliers of a
// run; see jobs.h.
#include <filesystem>
#include <optional>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/base/stopwatch.h"
#include "sbog/image/read_images.h"
#include "sbog/job/files.h"
#include "sbog/job/image_input.h"
#include "sbog_torch/image/detector_scores.h"
#include "sbog_torch/image/detector_training.h"
#include "sbog_torch/image/image_model.h"
#include "sbog_torch/image/tensors.h"
#include "sbog_torch/job/jobs.h"

namespace sbog::torch_jobs {
namespace {

namespace fs = std::filesystem;
using image::Detector;
using image::ImageModel;
using image::LabelledImages;

constexpr double kHeldOut = 0.1;

// What a run of generate_image left for a detector.
struct RunImages {
  ImageSet outliers;
  ImageSet inside;  // decoded latents of the bank
};

ImageSet read_decoded(const std::string& run, const std::string& name,
                      const ImageShape& shape) {
  const std::string path = (fs::path(run) / "decoded" / name).string();
  if (!fs::exists(path)) {
    throw IoError(run,
                  "this is no run on images with decoded outliers: there "
                  "is no decoded/" +
                      name + " (points alone are for --score head)");
  }
  // What the run wrote: channels first, whatever the extents look like.
  ReadImagesOptions options;
  options.layout = PixelLayout::kChannelsFirst;
  options.range = PixelRange::kByte;
  ImageSet images = read_images(path, options);
  if (images.shape != shape) {
    throw IoError(path, "images of " + to_string(shape) +
                            " are expected, these are " +
                            to_string(images.shape));
  }
  return images;
}

LabelledImages labelled(const ImageSet& images) {
  return {image::to_tensor(images), image::to_labels(images)};
}

image::ClassifierOptions classifier_options(
    const job::ImageDetectorOptions& o) {
  image::ClassifierOptions options;
  if (o.epochs) options.epochs = *o.epochs;
  options.seed = o.seed;
  check_options(options);
  return options;
}

image::ExposureOptions exposure_options(const job::ImageDetectorOptions& o) {
  const job::ImageDetectorSettings& s = o.settings;
  image::ExposureOptions options;
  if (s.exposure_epochs) options.epochs = *s.exposure_epochs;
  if (s.weight) options.weight = *s.weight;
  if (!s.loss.empty()) options.loss = image::outlier_loss(s.loss);
  options.seed = o.seed;
  check_options(options);
  return options;
}

// The encoder of a model, whose logits are the cosines to its anchors.
Detector aligned_detector(const ImageModel& model, const std::string& folder) {
  if (!model.encoder) {
    throw InvalidArgument(folder +
                          ": its encoder comes from elsewhere and cannot go on "
                          "to learn; choose --score knn, soe or head");
  }
  return {*model.encoder, model.anchors, image::AlignmentOptions{}.temperature};
}

// The images of a training, real ones and those of a run.
struct DetectorImages {
  LabelledImages train;
  LabelledImages held_out;
  std::size_t classes = 0;
  std::optional<RunImages> run;
};

// The network before any outliers. Nothing when stopped.
std::optional<Detector> first_stage(const job::ImageDetectorOptions& o,
                                    const std::optional<ImageModel>& model,
                                    const DetectorImages& images,
                                    job::Events& events) {
  if (model) return aligned_detector(*model, o.settings.model);
  image::DetectorHistory history;
  job::Stage stage(events, {}, "training the classifier");
  Detector detector =
      train_classifier(images.train, images.classes, classifier_options(o),
                       stage.context(), &history);
  if (history.status != SolveStatus::kDone) return std::nullopt;
  return detector;
}

// Both stages. Nothing when stopped.
std::optional<Detector> train_stages(const job::ImageDetectorOptions& o,
                                     const std::optional<ImageModel>& model,
                                     const DetectorImages& images,
                                     job::Events& events,
                                     job::ImageDetectorResult& result) {
  std::optional<Detector> detector = first_stage(o, model, images, events);
  if (!detector) return std::nullopt;
  image::DetectorHistory history;
  detector->score = image::logit_score(o.settings.score);
  result.accuracy_before = image::classifier_accuracy(
      detector->logits(images.held_out.images), images.held_out.classes);
  if (!images.run) return detector;
  image::ExposureProblem problem{images.train,
                                 image::to_tensor(images.run->outliers),
                                 labelled(images.run->inside)};
  result.outliers = images.run->outliers.count();
  {
    job::Stage stage(events, {}, "showing it outliers");
    detector = expose(*detector, problem, exposure_options(o), stage.context(),
                      &history);
  }
  if (history.status != SolveStatus::kDone) return std::nullopt;
  result.artifact_auroc =
      artifact_auroc(*detector, images.held_out.images, problem.decoded.images);
  return detector;
}

}  // namespace

job::ImageDetectorResult train_image_detector(
    const job::ImageDetectorOptions& o, job::Events& events,
    const Context& context) {
  const job::ImageDetectorSettings& s = o.settings;
  if (!job::is_on_pixels(s.score)) {
    return train_latent_detector(o, events, context);
  }
  nn::use_one_torch_thread();
  const Stopwatch watch;
  job::check_writable(o.out);
  exposure_options(o);  // refused before the work
  const ImageSet all =
      job::load_known_classes(o.data, s.labels, s.input, events);
  DetectorImages images;
  if (!s.outliers.empty()) {
    images.run =
        RunImages{read_decoded(s.outliers, "images.npy", all.shape),
                  read_decoded(s.outliers, "inside-images.npy", all.shape)};
  }
  std::optional<ImageModel> model;
  if (!s.model.empty()) model = image::load_image_model(s.model);
  const ImageSplit split =
      model ? split_of(*model, all, s.model)
            : split_by_class(all, s.held_out.value_or(kHeldOut), o.seed);
  images.train = labelled(take(all, split.train));
  images.held_out = labelled(take(all, split.held_out));
  images.classes = class_count(all);
  job::ImageDetectorResult result;
  result.options = o;
  result.images = split.train.size();
  result.held_out = split.held_out.size();
  result.classes = images.classes;
  std::optional<Detector> detector =
      train_stages(o, model, images, events, result);
  if (!detector || events.is_stopped()) {
    return stopped_unwritten(std::move(result), events);
  }
  const torch::Tensor logits = detector->logits(images.held_out.images);
  result.accuracy = image::classifier_accuracy(logits, images.held_out.classes);
  result.threshold = image::score_threshold(
      image::logit_scores(detector->score, logits), o.level);
  detector->threshold = result.threshold;
  detector->class_names = all.class_names;
  detector->save(o.out);
  result.seconds = watch.seconds();
  return result;
}

}  // namespace sbog::torch_jobs
