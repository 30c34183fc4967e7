// SPDX-License-Identifier: Apache-2.0
// Scoring images with a detector of either kind; see image_jobs.h.
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "exit_code.h"
#include "image_jobs.h"
#include "linked/image_detectors.h"
#include "sbog/base/atomic_file.h"
#include "sbog/base/errors.h"
#include "sbog/data/csv.h"
#include "sbog_torch/image/detector_scores.h"
#include "sbog_torch/image/embedding.h"
#include "sbog_torch/nn/torch_bridge.h"

namespace sbog::cli {
namespace {

using Json = nlohmann::ordered_json;

void require_shape(const ImageScorer& scorer, const ImageSet& images,
                   const std::string& name) {
  if (images.count() == 0) throw InvalidArgument(name + ": no images");
  if (scorer.shape == images.shape) return;
  throw InvalidArgument(name + ": the detector knows images of " +
                        to_string(scorer.shape) + ", these are " +
                        to_string(images.shape));
}

double outlier_share(const std::vector<double>& scores, double threshold) {
  std::size_t below = 0;
  for (const double score : scores) below += score < threshold ? 1 : 0;
  return static_cast<double>(below) / static_cast<double>(scores.size());
}

void write_scores(const std::string& path, const ImageScorer& scorer,
                  const ImageVerdicts& found) {
  std::string text = "image,class,class_name,score,is_outlier\n";
  for (std::size_t i = 0; i < found.scores.size(); ++i) {
    const std::int32_t label = found.classes[i];
    char number[40];
    std::snprintf(number, sizeof number, "%.9g", found.scores[i]);
    // Names come from folders and texts of the user.
    text += std::to_string(i) + ',' + std::to_string(label) + ',' +
            quote_csv(scorer.class_names[static_cast<std::size_t>(label)]) +
            ',' + number +
            (found.scores[i] < scorer.threshold ? ",1\n" : ",0\n");
  }
  write_file_atomically(path, text);
}

Json outside_json(const ScoreImagesArguments& a, const ImageScorer& scorer,
                  const std::vector<double>& inside, const Console& console,
                  const Context& context) {
  ImageInput input = a.input;
  input.data = a.outside;
  input.labels.clear();
  const ImageSet outside = load_images(input, console);
  require_shape(scorer, outside, a.outside);
  const std::vector<double> others = scorer.run(outside, context).scores;
  const image::DetectionQuality quality =
      image::detection_quality(inside, others);
  return {{"fpr95", quality.fpr95},
          {"fpr95_closest", quality.fpr95_closest},
          {"auroc", quality.auroc},
          {"aupr", quality.aupr},
          {"images", outside.count()},
          {"outlier_share", outlier_share(others, scorer.threshold)}};
}

void print_words(const Json& json, const std::string& outside_name) {
  std::printf("%s images: %.1f %% are taken for outliers (score below %.4g)\n",
              with_commas(json["images"].get<std::size_t>()).c_str(),
              100.0 * json["outlier_share"].get<double>(),
              json["threshold"].get<double>());
  if (!json.contains("outside")) return;
  const Json& outside = json["outside"];
  std::printf(
      "%s of %s: %.1f %% are taken for outliers; AUROC %.3f, FPR95 %.3f\n",
      with_commas(outside["images"].get<std::size_t>()).c_str(),
      outside_name.c_str(), 100.0 * outside["outlier_share"].get<double>(),
      outside["auroc"].get<double>(), outside["fpr95"].get<double>());
}

}  // namespace

int score_images(const ScoreImagesArguments& a, const CommonOptions& common) {
  nn::use_one_torch_thread();
  check_writable(a.out);
  const Console console(common.is_quiet);
  ThreadPool pool(common.threads);
  const Context context{&pool, nullptr};
  const ImageScorer scorer = load_image_scorer(a.model);
  const ImageSet images = load_images(a.input, console);
  require_shape(scorer, images, a.input.data);
  const ImageVerdicts found = scorer.run(images, context);
  if (!a.out.empty()) write_scores(a.out, scorer, found);
  Json json = {
      {"model", a.model},
      {"score", scorer.score},
      {"images", images.count()},
      {"threshold", scorer.threshold},
      {"outlier_share", outlier_share(found.scores, scorer.threshold)}};
  if (!images.labels.empty() &&
      class_count(images) == scorer.class_names.size()) {
    json["accuracy"] = image::accuracy(found.classes, images.labels);
  }
  if (!a.outside.empty()) {
    json["outside"] = outside_json(a, scorer, found.scores, console, context);
  }
  if (common.is_json) {
    std::printf("%s\n", json.dump(2).c_str());
  } else {
    print_words(json, a.outside);
  }
  return kDone;
}

}  // namespace sbog::cli
