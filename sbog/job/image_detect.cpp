// SPDX-License-Identifier: Apache-2.0
// See image_detect.h.
#include "sbog/job/image_detect.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "sbog/base/errors.h"
#include "sbog/data/safetensors.h"
#include "sbog/job/image_input.h"
#include "sbog/job/torch_library.h"

namespace sbog::job {
namespace {

constexpr const char* kDetectorFile = "detector.safetensors";

// An option that was given, and the scores that have it.
struct ScoreOption {
  const char* name;
  bool is_given;
  std::vector<std::string_view> scores;
};

std::vector<ScoreOption> score_options(const ImageDetectorOptions& o) {
  const ImageDetectorSettings& s = o.settings;
  return {{"--outliers", !s.outliers.empty(), {"lse", "msp", "head"}},
          {"--epochs", o.epochs.has_value(), {"lse", "msp", "head"}},
          {"--exposure-epochs", s.exposure_epochs.has_value(), {"lse", "msp"}},
          {"--held-out", s.held_out.has_value(), {"lse", "msp"}},
          {"--weight", s.weight.has_value(), {"lse", "msp", "head"}},
          {"--loss", !s.loss.empty(), {"lse", "msp", "head"}},
          {"--neighbours", s.neighbours.has_value(), {"knn"}},
          {"--epsilon", s.epsilon.has_value(), {"soe"}}};
}

void check_score_options(const ImageDetectorOptions& o) {
  const std::string& score = o.settings.score;
  for (const ScoreOption& option : score_options(o)) {
    if (!option.is_given ||
        std::ranges::find(option.scores, score) != option.scores.end()) {
      continue;
    }
    const bool is_outliers = std::string_view(option.name) == "--outliers";
    throw InvalidArgument(std::string(option.name) + ": the score " + score +
                          (is_outliers ? " learns nothing from outliers"
                                       : " has no such option"));
  }
}

void refuse_if(bool is_given, const char* name, const char* why) {
  if (is_given) throw InvalidArgument(std::string(name) + ": " + why);
}

}  // namespace

OptionTable<ImageDetectorSettings> image_detector_table() {
  using S = ImageDetectorSettings;
  OptionTable<S> table;
  table.stage("Images");
  table
      .add(
          "score", &S::score,
          "Score that is held against the threshold. Of a classifier that is "
          "trained here, or of the encoder of --model: lse, log-sum-exp of "
          "the logits; msp, largest probability. Of the points of DATA or "
          "the embeddings of --model: knn, nearness of the k-th neighbour; "
          "soe, Sinkhorn energy; head, log-sum-exp of a linear classifier "
          "that is shown outliers. Of points only: rmd, relative Mahalanobis "
          "distance; mean, cosine to the nearest class mean; span, distance to "
          "it along the directions in which class means differ; sum, the "
          "mean of the scores of --sum")
      .choices(
          {"lse", "msp", "knn", "soe", "head", "rmd", "mean", "span", "sum"})
      .without("images lse, points sum");
  table
      .add("model", &S::model,
           "Folder of sbog train image on these images: its encoder goes on to "
           "learn (lse, msp), or its embeddings are judged (knn, soe, head)")
      .value("FOLDER")
      .without("a classifier is trained");
  table
      .add("outliers", &S::outliers,
           "Run of sbog generate on these images that the detector learns "
           "from; for the score head also a run of --decoder none")
      .value("RUN")
      .without("none, a classifier alone");
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
           "Weight of the outliers in the loss, 0 or more")
      .without("1");
  table
      .add("loss", &S::loss,
           "Loss of the outliers: energy, a border between the log-sum-exps; "
           "uniform, equal logits; hinge, margins of the log-sum-exps")
      .choices({"energy", "uniform", "hinge"})
      .without("energy");
  table
      .add("neighbours", &S::neighbours,
           "Number k of the neighbour behind the score knn, at most the bank")
      .without("images 50, points 5");
  table
      .add("epsilon", &S::epsilon,
           "Sinkhorn temperature of the score soe, above 0")
      .without("0.05");
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

bool is_for_images(const std::string& data,
                   const ImageDetectorSettings& settings) {
  return is_embedded_images(data) || !settings.outliers.empty() ||
         !settings.model.empty();
}

void check_image_detector(const ImageDetectorOptions& o) {
  const ImageDetectorSettings& s = o.settings;
  refuse_if(s.score == "rmd" || s.score == "mean" || s.score == "span" ||
                s.score == "sum",
            "--score", "rmd, mean and sum are scores of points");
  if (!is_on_pixels(s.score) && s.model.empty()) {
    throw InvalidArgument("--score " + s.score +
                          ": it needs --model, a folder of sbog train image");
  }
  if (!(o.level > 0.0 && o.level <= 1.0)) {
    throw InvalidArgument(
        "--level: a share above 0 and at most 1 is expected, got " +
        std::to_string(o.level));
  }
  check_score_options(o);
  const bool is_trained = is_on_pixels(s.score) && !s.model.empty();
  const char* trained = "the encoder of --model is trained already";
  refuse_if(is_trained && o.epochs, "--epochs", trained);
  refuse_if(is_trained && s.held_out, "--held-out", trained);
  const bool is_alone = s.outliers.empty();
  const char* alone = "it is about outliers; name a run by --outliers";
  refuse_if(is_alone && s.exposure_epochs, "--exposure-epochs", alone);
  refuse_if(is_alone && s.weight, "--weight", alone);
  refuse_if(is_alone && !s.loss.empty(), "--loss", alone);
  refuse_if(s.neighbours == std::size_t{0}, "--neighbours",
            "at least 1 is expected");
  refuse_if(s.epsilon && !(*s.epsilon > 0.0), "--epsilon",
            "a number above 0 is expected");
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
    if (result.neighbours) json["neighbours"] = *result.neighbours;
    if (result.epsilon) json["epsilon"] = *result.epsilon;
    json["bank"] = result.bank;
  }
  json["held_out"] = result.held_out;
  json["classes"] = result.classes;
  json["outliers"] = result.outliers;
  json["level"] = o.level;
  json["threshold"] = result.threshold;
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
                                 {"images", result.images},
                                 {"threshold", result.threshold},
                                 {"outlier_share", result.outlier_share}};
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
  const auto metadata = read_safetensors(file).metadata;
  const auto role = metadata.find("role");
  const bool is_known =
      role != metadata.end() &&
      role->second.starts_with(is_folder ? "sbog latent image detector"
                                         : "sbog image detector");
  if (is_folder && !is_known) {
    throw IoError(file, "is not a detector on latents");
  }
  return is_known;
}

}  // namespace sbog::job
