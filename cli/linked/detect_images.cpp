// SPDX-License-Identifier: Apache-2.0
// Detectors of images: trained with the outliers of a run, and used; see
// image_jobs.h.
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "exit_code.h"
#include "image_jobs.h"
#include "sbog/base/atomic_file.h"
#include "sbog/base/errors.h"
#include "sbog/image/read_images.h"
#include "sbog_torch/image/detector_scores.h"
#include "sbog_torch/image/detector_training.h"
#include "sbog_torch/image/tensors.h"

namespace sbog::cli {
namespace {

namespace fs = std::filesystem;
using image::Detector;
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
                      name);
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

// Both stages. Nothing when interrupted.
std::optional<Detector> train_stages(const TrainImageDetectorArguments& a,
                                     const LabelledImages& train,
                                     const LabelledImages& held_out,
                                     std::size_t classes,
                                     const std::optional<RunImages>& run,
                                     const CommonOptions& common,
                                     TrainingFacts& facts) {
  std::optional<Detector> detector;
  image::DetectorHistory history;
  {
    ProgressLine line("training the classifier", common.is_quiet);
    detector =
        train_classifier(train, classes, classifier_options(a, common.seed),
                         {nullptr, &line}, &history);
  }
  if (history.status != SolveStatus::kDone) return std::nullopt;
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

std::vector<double> scores_of(const Detector& detector,
                              const ImageSet& images) {
  return image::lse_scores(detector.logits(image::to_tensor(images)));
}

void require_shape(const Detector& detector, const ImageSet& images,
                   const std::string& name) {
  if (detector.shape() == images.shape) return;
  throw InvalidArgument(name + ": the detector knows images of " +
                        to_string(detector.shape()) + ", these are " +
                        to_string(images.shape));
}

double share_above(const std::vector<double>& scores, double threshold) {
  std::size_t above = 0;
  for (const double score : scores) above += score >= threshold ? 1 : 0;
  return static_cast<double>(above) / static_cast<double>(scores.size());
}

void write_scores(const std::string& path, const Detector& detector,
                  const torch::Tensor& logits,
                  const std::vector<double>& scores) {
  const torch::Tensor best = logits.argmax(1).contiguous();
  std::string text = "image,class,class_name,score,is_outlier\n";
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const std::int64_t label = best.data_ptr<std::int64_t>()[i];
    char number[40];
    std::snprintf(number, sizeof number, "%.9g", scores[i]);
    text += std::to_string(i) + ',' + std::to_string(label) + ',';
    if (!detector.class_names.empty()) {
      text += detector.class_names[static_cast<std::size_t>(label)];
    }
    text += std::string(",") + number +
            (scores[i] < *detector.threshold ? ",1\n" : ",0\n");
  }
  write_file_atomically(path, text);
}

nlohmann::ordered_json quality_json(const image::DetectionQuality& quality) {
  return {{"fpr95", quality.fpr95},
          {"fpr95_closest", quality.fpr95_closest},
          {"auroc", quality.auroc},
          {"aupr", quality.aupr}};
}

}  // namespace

int train_image_detector(const TrainImageDetectorArguments& a,
                         const CommonOptions& common) {
  nn::use_one_torch_thread();
  const auto start = std::chrono::steady_clock::now();
  check_writable(a.out);
  const Console console(common.is_quiet);
  exposure_options(a, common.seed);  // refused before the work
  const ImageSet images = load_images(a.input, console);
  if (class_count(images) < 2) {
    throw InvalidArgument(a.input.data +
                          ": images of at least two classes are expected; "
                          "name their labels by --labels");
  }
  std::optional<RunImages> run;
  if (!a.outliers.empty()) {
    run =
        RunImages{read_decoded(a.outliers, "images.npy", images.shape),
                  read_decoded(a.outliers, "inside-images.npy", images.shape)};
  }
  const ImageSplit split = split_by_class(images, a.held_out, common.seed);
  const LabelledImages train = labelled(take(images, split.train));
  const LabelledImages held_out = labelled(take(images, split.held_out));
  TrainingFacts facts;
  facts.images = split.train.size();
  facts.held_out = split.held_out.size();
  std::optional<Detector> detector =
      train_stages(a, train, held_out, class_count(images), run, common, facts);
  if (!detector || is_interrupted()) {
    console.note("interrupted; nothing was written");
    return kNotReached;
  }
  const torch::Tensor logits = detector->logits(held_out.images);
  facts.accuracy = image::classifier_accuracy(logits, held_out.classes);
  detector->threshold =
      image::score_threshold(image::lse_scores(logits), a.level);
  detector->class_names = images.class_names;
  detector->save(a.out);
  facts.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  print_training(*detector, a, facts, common);
  return kDone;
}

int score_images(const ScoreImagesArguments& a, const CommonOptions& common) {
  nn::use_one_torch_thread();
  check_writable(a.out);
  const Console console(common.is_quiet);
  const Detector detector = Detector::load(a.model);
  if (!detector.threshold) throw IoError(a.model, "it has no threshold");
  const ImageSet images = load_images(a.input, console);
  require_shape(detector, images, a.input.data);
  const torch::Tensor logits = detector.logits(image::to_tensor(images));
  const std::vector<double> scores = image::lse_scores(logits);
  if (scores.empty()) throw InvalidArgument(a.input.data + ": no images");
  if (!a.out.empty()) write_scores(a.out, detector, logits, scores);
  const double outliers = 1.0 - share_above(scores, *detector.threshold);
  nlohmann::ordered_json json = {{"model", a.model},
                                 {"images", images.count()},
                                 {"threshold", *detector.threshold},
                                 {"outlier_share", outliers}};
  if (!images.labels.empty() && class_count(images) == detector.classes()) {
    json["accuracy"] =
        image::classifier_accuracy(logits, image::to_labels(images));
  }
  if (!a.outside.empty()) {
    ImageInput input = a.input;
    input.data = a.outside;
    input.labels.clear();
    const ImageSet outside = load_images(input, console);
    require_shape(detector, outside, a.outside);
    const std::vector<double> others = scores_of(detector, outside);
    json["outside"] = quality_json(image::detection_quality(scores, others));
    json["outside"]["images"] = outside.count();
    json["outside"]["outlier_share"] =
        1.0 - share_above(others, *detector.threshold);
  }
  if (common.is_json) {
    std::printf("%s\n", json.dump(2).c_str());
    return kDone;
  }
  std::printf("%s images: %.1f %% are taken for outliers (score below %.4g)\n",
              with_commas(images.count()).c_str(), 100.0 * outliers,
              *detector.threshold);
  if (json.contains("outside")) {
    const auto& outside = json["outside"];
    std::printf(
        "%s of %s: %.1f %% are taken for outliers; AUROC %.3f, FPR95 %.3f\n",
        with_commas(outside["images"].get<std::size_t>()).c_str(),
        a.outside.c_str(), 100.0 * outside["outlier_share"].get<double>(),
        outside["auroc"].get<double>(), outside["fpr95"].get<double>());
  }
  return kDone;
}

}  // namespace sbog::cli
