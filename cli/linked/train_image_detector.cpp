// SPDX-License-Identifier: Apache-2.0
// Detectors on the pixels of images, trained with the decoded outliers of a
// run; see image_jobs.h.
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "exit_code.h"
#include "image_jobs.h"
#include "linked/image_detectors.h"
#include "sbog/base/errors.h"
#include "sbog/image/read_images.h"
#include "sbog_torch/image/detector_scores.h"
#include "sbog_torch/image/detector_training.h"
#include "sbog_torch/image/image_model.h"
#include "sbog_torch/image/tensors.h"

namespace sbog::cli {
namespace {

namespace fs = std::filesystem;
using image::Detector;
using image::ImageModel;
using image::LabelledImages;

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
    const TrainImageDetectorArguments& a, std::uint64_t seed) {
  image::ClassifierOptions options;
  if (a.epochs) options.epochs = *a.epochs;
  options.seed = seed;
  check_options(options);
  return options;
}

image::ExposureOptions exposure_options(const TrainImageDetectorArguments& a,
                                        std::uint64_t seed) {
  image::ExposureOptions options;
  if (a.exposure_epochs) options.epochs = *a.exposure_epochs;
  if (a.weight) options.weight = *a.weight;
  options.loss = image::outlier_loss(a.loss);
  options.seed = seed;
  check_options(options);
  return options;
}

// What is said about a training besides its detector.
struct TrainingFacts {
  std::size_t images = 0;
  std::size_t held_out = 0;
  std::size_t outliers = 0;
  double accuracy_before = 0.0;
  double accuracy = 0.0;
  std::optional<double> artifact_auroc;
  double seconds = 0.0;
};

void print_training(const Detector& detector,
                    const TrainImageDetectorArguments& a,
                    const TrainingFacts& facts, const CommonOptions& common) {
  if (common.is_json) {
    nlohmann::ordered_json json;
    json["model"] = a.out;
    json["kind"] = "image";
    json["score"] = a.score;
    json["images"] = facts.images;
    json["held_out"] = facts.held_out;
    json["classes"] = detector.classes();
    json["outliers"] = facts.outliers;
    json["level"] = a.level;
    json["threshold"] = *detector.threshold;
    json["accuracy_before"] = facts.accuracy_before;
    json["accuracy"] = facts.accuracy;
    if (facts.artifact_auroc) json["artifact_auroc"] = *facts.artifact_auroc;
    json["seconds"] = facts.seconds;
    std::printf("%s\n", json.dump(2).c_str());
    return;
  }
  std::printf("%s: trained on %s images of %zu classes, %s outliers (%s)\n",
              a.out.c_str(), with_commas(facts.images).c_str(),
              detector.classes(), with_commas(facts.outliers).c_str(),
              duration(facts.seconds).c_str());
  std::printf(
      "accuracy on %s held-out images: %.1f %%, before the outliers %.1f %%\n",
      with_commas(facts.held_out).c_str(), 100.0 * facts.accuracy,
      100.0 * facts.accuracy_before);
  std::printf("threshold %.4g: %.0f %% of the held-out images lie above\n",
              *detector.threshold, 100.0 * a.level);
  if (facts.artifact_auroc) {
    std::printf(
        "real against decoded images of the classes: AUROC %.2f (0.5: being "
        "decoded means nothing)\n",
        *facts.artifact_auroc);
  }
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

// The network before any outliers. Nothing when interrupted.
std::optional<Detector> first_stage(const TrainImageDetectorArguments& a,
                                    const std::optional<ImageModel>& model,
                                    const LabelledImages& train,
                                    std::size_t classes,
                                    const CommonOptions& common) {
  if (model) return aligned_detector(*model, a.model);
  image::DetectorHistory history;
  ProgressLine line("training the classifier", common.is_quiet);
  Detector detector =
      train_classifier(train, classes, classifier_options(a, common.seed),
                       {nullptr, &line}, &history);
  if (history.status != SolveStatus::kDone) return std::nullopt;
  return detector;
}

// Both stages. Nothing when interrupted.
std::optional<Detector> train_stages(const TrainImageDetectorArguments& a,
                                     const std::optional<ImageModel>& model,
                                     const LabelledImages& train,
                                     const LabelledImages& held_out,
                                     std::size_t classes,
                                     const std::optional<RunImages>& run,
                                     const CommonOptions& common,
                                     TrainingFacts& facts) {
  std::optional<Detector> detector =
      first_stage(a, model, train, classes, common);
  if (!detector) return std::nullopt;
  image::DetectorHistory history;
  detector->score = image::logit_score(a.score);
  facts.accuracy_before = image::classifier_accuracy(
      detector->logits(held_out.images), held_out.classes);
  if (!run) return detector;
  image::ExposureProblem problem{train, image::to_tensor(run->outliers),
                                 labelled(run->inside)};
  facts.outliers = run->outliers.count();
  {
    ProgressLine line("showing it outliers", common.is_quiet);
    detector = expose(*detector, problem, exposure_options(a, common.seed),
                      {nullptr, &line}, &history);
  }
  if (history.status != SolveStatus::kDone) return std::nullopt;
  facts.artifact_auroc =
      artifact_auroc(*detector, held_out.images, problem.decoded.images);
  return detector;
}

}  // namespace

int train_image_detector(const TrainImageDetectorArguments& a,
                         const CommonOptions& common) {
  if (!is_on_pixels(a.score)) return train_latent_detector(a, common);
  nn::use_one_torch_thread();
  const auto start = std::chrono::steady_clock::now();
  check_writable(a.out);
  const Console console(common.is_quiet);
  exposure_options(a, common.seed);  // refused before the work
  const ImageSet images = load_known_classes(a.input, console);
  std::optional<RunImages> run;
  if (!a.outliers.empty()) {
    run =
        RunImages{read_decoded(a.outliers, "images.npy", images.shape),
                  read_decoded(a.outliers, "inside-images.npy", images.shape)};
  }
  std::optional<ImageModel> model;
  if (!a.model.empty()) model = image::load_image_model(a.model);
  const ImageSplit split =
      model ? split_of(*model, images, a.model)
            : split_by_class(images, a.held_out, common.seed);
  const LabelledImages train = labelled(take(images, split.train));
  const LabelledImages held_out = labelled(take(images, split.held_out));
  TrainingFacts facts;
  facts.images = split.train.size();
  facts.held_out = split.held_out.size();
  std::optional<Detector> detector = train_stages(
      a, model, train, held_out, class_count(images), run, common, facts);
  if (!detector || is_interrupted()) {
    console.note("interrupted; nothing was written");
    return kNotReached;
  }
  const torch::Tensor logits = detector->logits(held_out.images);
  facts.accuracy = image::classifier_accuracy(logits, held_out.classes);
  detector->threshold = image::score_threshold(
      image::logit_scores(detector->score, logits), a.level);
  detector->class_names = images.class_names;
  detector->save(a.out);
  facts.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  print_training(*detector, a, facts, common);
  return kDone;
}

}  // namespace sbog::cli
