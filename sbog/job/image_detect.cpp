// SPDX-License-Identifier: Apache-2.0
// See image_detect.h.
#include "sbog/job/image_detect.h"

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "sbog/base/errors.h"
#include "sbog/data/safetensors.h"
#include "sbog/detect/point_detector_file.h"
#include "sbog/job/image_input.h"
#include "sbog/job/torch_library.h"

namespace sbog::job {
namespace {

constexpr const char* kDetectorFile = "detector.safetensors";

// An option of networks on pixels.
struct PixelOption {
  const char* name;
  bool is_given;
};

std::vector<PixelOption> pixel_options(const ImageDetectorOptions& o) {
  const ImageDetectorSettings& s = o.settings;
  return {{"--exposure-epochs", s.exposure_epochs.has_value()},
          {"--held-out", s.held_out.has_value()},
          {"--weight", s.weight.has_value()},
          {"--loss", !s.loss.empty()}};
}

void check_embedding_options(const ImageDetectorOptions& o) {
  const ImageDetectorSettings& s = o.settings;
  if (s.model.empty()) {
    throw InvalidArgument("--score " + s.score +
                          ": it needs --model, a folder of sbog train image");
  }
  for (const PixelOption& option : pixel_options(o)) {
    if (!option.is_given) continue;
    throw InvalidArgument(std::string(option.name) + ": the score " + s.score +
                          " has no such option");
  }
  const PointTrainOptions points = embedding_options(o);
  (void)point_detector_options(points, true);
  const bool has_head = uses_score(points, true, "head");
  if (o.epochs && !has_head) {
    throw InvalidArgument("--epochs: the score " + s.score +
                          " has no such option");
  }
  if (!s.outliers.empty() && !has_head) {
    throw InvalidArgument("--outliers: the score " + s.score +
                          " learns nothing from outliers");
  }
}

void refuse_if(bool is_given, const char* name, const std::string& why) {
  if (is_given) throw InvalidArgument(std::string(name) + ": " + why);
}

}  // namespace

OptionTable<ImageDetectorSettings> image_detector_table() {
  using S = ImageDetectorSettings;
  OptionTable<S> table;
  table.stage("Images");
  table
      .add("score", &S::score,
           "Score that is held against the threshold. Of a classifier that is "
           "trained here, or of the encoder of --model: lse, log-sum-exp of "
           "the logits; msp, largest probability. Of the points of DATA or "
           "the embeddings of --model: knn, nearness of the k-th neighbour; "
           "soe, Sinkhorn energy; rmd, relative Mahalanobis distance; mean, "
           "cosine to the nearest class mean; span, distance to it along the "
           "directions in which class means differ; head, energy of a linear "
           "classifier that is shown outliers; sum, the mean of the scores of "
           "--sum")
      .choices(
          {"lse", "msp", "knn", "soe", "head", "rmd", "mean", "span", "sum"})
      .without("images lse, points sum");
  table
      .add("model", &S::model,
           "Folder of sbog train image on these images: its encoder goes on to "
           "learn (lse, msp), or its embeddings are judged (all other scores)")
      .value("FOLDER")
      .without("a classifier is trained");
  table
      .add("outliers", &S::outliers,
           "Run of sbog generate on these images that the detector learns "
           "from; for the score head also a run of --decoder none")
      .value("RUN")
      .without("none for lse and msp; for head outliers of --radius");
  table
      .add("labels", &S::labels,
           "Class of each row of points; of each image, where the format has "
           "none")
      .basic()
      .value("FILE")
      .without("those of the format of images; points: one class");
  table.include(image_input_table(), &S::input);
  table
      .add("held_out", &S::held_out,
           "Share of each class behind the threshold, in (0, 1); of images for "
           "lse and msp only, with --model it is what the model did not see")
      .without("images 0.1, points 0.2");
  table
      .add("exposure_epochs", &S::exposure_epochs,
           "Number of passes over the images with outliers beside them (lse, "
           "msp)")
      .without("4");
  table
      .add("weight", &S::weight,
           "Weight of the outliers in the loss, 0 or more (lse, msp)")
      .without("1");
  table
      .add("loss", &S::loss,
           "Loss of the outliers (lse, msp): energy, a border between the "
           "log-sum-exps; uniform, equal logits; hinge, margins of the "
           "log-sum-exps")
      .choices({"energy", "uniform", "hinge"})
      .without("energy");
  table
      .add("neighbours", &S::neighbours,
           "Number k of the neighbour behind the score knn, at most the bank")
      .without("5");
  add_epsilon(table, &S::epsilon);
  for (const auto& entry : table.entries()) {
    table.find(entry.info().name)->kinds(kForImages);
  }
  for (const char* name : {"score", "labels", "held_out", "neighbours",
                           "epsilon", "class_names"}) {
    table.find(name)->kinds(kForPoints | kForImages);
  }
  return table;
}

bool is_on_pixels(std::string_view score) {
  return score == "lse" || score == "msp";
}

PointTrainOptions embedding_options(const ImageDetectorOptions& o) {
  PointTrainOptions points;
  points.data = o.data;
  points.out = o.out;
  points.score = o.settings.score;
  points.level = o.level;
  points.seed = o.seed;
  points.epsilon = o.settings.epsilon;
  points.settings = o.points;
  if (o.settings.neighbours) points.neighbours = *o.settings.neighbours;
  if (o.epochs) points.epochs = *o.epochs;
  return points;
}

bool is_for_images(const std::string& data,
                   const ImageDetectorSettings& settings) {
  return is_embedded_images(data) || !settings.outliers.empty() ||
         !settings.model.empty();
}

void check_image_detector(const ImageDetectorOptions& o) {
  const ImageDetectorSettings& s = o.settings;
  if (!(o.level > 0.0 && o.level <= 1.0)) {
    throw InvalidArgument(
        "--level: a share above 0 and at most 1 is expected, got " +
        std::to_string(o.level));
  }
  if (!is_on_pixels(s.score)) {
    check_embedding_options(o);
    return;
  }
  const std::string foreign = "the score " + s.score + " has no such option";
  refuse_if(s.neighbours.has_value(), "--neighbours", foreign);
  refuse_if(!s.epsilon.is_auto(), "--epsilon", foreign);
  const bool is_trained = !s.model.empty();
  const char* trained = "the encoder of --model is trained already";
  refuse_if(is_trained && o.epochs, "--epochs", trained);
  refuse_if(is_trained && s.held_out, "--held-out", trained);
  const bool is_alone = s.outliers.empty();
  const char* alone = "it is about outliers; name a run by --outliers";
  refuse_if(is_alone && s.exposure_epochs, "--exposure-epochs", alone);
  refuse_if(is_alone && s.weight, "--weight", alone);
  refuse_if(is_alone && !s.loss.empty(), "--loss", alone);
}

ImageDetectorResult train_image_detector(const ImageDetectorOptions& options,
                                         Events& events,
                                         const Context& context) {
  check_image_detector(options);
  return torch_library("a detector of images")
      .train_image_detector(options, events, context);
}

nlohmann::ordered_json to_json(const ImageDetectorResult& result) {
  const ImageDetectorOptions& o = result.options;
  const bool has_pixels = is_on_pixels(o.settings.score);
  nlohmann::ordered_json json;
  json["model"] = o.out;
  json["kind"] = "image";
  json["score"] = o.settings.score;
  if (has_pixels) {
    json["images"] = result.images;
  } else {
    json["encoder"] = o.settings.model;
    json["scores"] = result.scores;
    if (result.neighbours) json["neighbours"] = *result.neighbours;
    if (result.epsilon) json["epsilon"] = *result.epsilon;
    json["bank"] = result.bank;
  }
  json["held_out"] = result.held_out;
  json["classes"] = result.classes;
  json["outliers"] = result.outliers;
  json["level"] = o.level;
  if (std::isfinite(result.threshold)) json["threshold"] = result.threshold;
  if (result.accuracy_before) json["accuracy_before"] = *result.accuracy_before;
  json["accuracy"] = result.accuracy;
  if (result.artifact_auroc) json["artifact_auroc"] = *result.artifact_auroc;
  json["seconds"] = result.seconds;
  return json;
}

OptionTable<ImageScoreSettings> image_score_table() {
  using S = ImageScoreSettings;
  OptionTable<S> table;
  table.stage("Images");
  table
      .add("outside", &S::outside,
           "Images or points of something else, to say how well the detector "
           "tells them apart: a file, a folder or demo:noise and the like")
      .kinds(kForPoints | kForImages)
      .value("DATA")
      .without("none");
  table.include(image_input_table(), &S::input);
  return table;
}

ImageScoreResult score_images(const ImageScoreOptions& options, Events& events,
                              const Context& context) {
  return torch_library("a detector of images")
      .score_images(options, events, context);
}

nlohmann::ordered_json to_json(const ImageScoreResult& result) {
  nlohmann::ordered_json json = {{"model", result.options.model},
                                 {"score", result.score},
                                 {"images", result.images}};
  if (std::isfinite(result.threshold)) json["threshold"] = result.threshold;
  json["outlier_share"] = result.outlier_share;
  if (result.accuracy) json["accuracy"] = *result.accuracy;
  if (result.outside) {
    const OutsideQuality& outside = *result.outside;
    json["outside"] = {
        {"fpr95", outside.fpr95},   {"fpr95_closest", outside.fpr95_closest},
        {"auroc", outside.auroc},   {"aupr", outside.aupr},
        {"images", outside.images}, {"outlier_share", outside.outlier_share}};
  }
  return json;
}

bool is_image_detector(const std::string& path) {
  std::error_code error;
  const bool is_folder = std::filesystem::is_directory(path, error);
  const std::string file =
      is_folder ? (std::filesystem::path(path) / kDetectorFile).string() : path;
  if (is_folder && !std::filesystem::exists(file, error)) {
    throw IoError(path, std::string("is a folder without ") + kDetectorFile +
                            ", which a detector of images has");
  }
  if (is_folder) {
    if (detect::is_point_detector(file)) return true;
    throw IoError(file, "is not a detector on embeddings");
  }
  const auto metadata = read_safetensors(file).metadata;
  const auto role = metadata.find("role");
  return role != metadata.end() &&
         role->second.starts_with("sbog image detector");
}

}  // namespace sbog::job
