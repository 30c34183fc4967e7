// SPDX-License-Identifier: Apache-2.0
// See image_results.h.
#include "image_results.h"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "sbog/base/number_text.h"

namespace sbog::cli {
namespace {

// Outliers, the images among them that are none, and how rare they are.
void print_counts(const job::GenerateResult& result,
                  const nlohmann::json& metrics) {
  const bool is_known = metrics.contains("outside");
  const auto decoded = metrics.value("decoded", std::size_t{0});
  const std::size_t inside =
      is_known ? decoded - metrics["outside"].get<std::size_t>() : 0;
  std::printf("%s of %s outliers in %s",
              with_commas(result.produced - inside).c_str(),
              with_commas(result.requested).c_str(), result.out.c_str());
  if (!result.was_finished) {
    std::printf(" (%s)", duration(result.seconds).c_str());
  }
  if (!result.severities.empty() && result.produced > 0) {
    std::printf(": of severities %s", result.severities.c_str());
  }
  std::printf("\n");
  if (inside > 0) {
    std::printf(
        "%s of %s decoded images lie inside of their class again: they are "
        "marked, and are no outliers (--outside-only keeps drawing until all "
        "lie outside)\n",
        with_commas(inside).c_str(), with_commas(decoded).c_str());
  } else if (is_known) {
    std::printf("all %s decoded images lie outside of their class\n",
                with_commas(decoded).c_str());
  }
  if (metrics.contains("candidates")) {
    std::printf("they were chosen from %s decoded points\n",
                with_commas(metrics["candidates"].get<std::size_t>()).c_str());
  }
  if (result.produced > inside && !result.rarity.empty()) {
    std::printf("%s\n", result.rarity.c_str());
  }
}

// What was measured on decoded images.
void print_decoded(const nlohmann::json& metrics) {
  if (metrics.contains("consistency")) {
    std::printf(
        "encoding the decoded images again gives points with a mean cosine of "
        "%.2f to the sampled ones (1 = exact)\n",
        metrics["consistency"].get<double>());
  }
  std::printf("nearest training image: %.3f away on average, %.3f at least",
              metrics["nearest_distance"].get<double>(),
              metrics["least_nearest_distance"].get<double>());
  if (metrics.contains("unseen_nearest_distance")) {
    std::printf("; of real images that were not trained on: %.3f",
                metrics["unseen_nearest_distance"].get<double>());
  }
  std::printf(" (root mean square of pixels in [0, 1])\n");
}

// How the score reads in a sentence, such as "knn (5 neighbours)".
std::string score_words(const job::ImageDetectorResult& result) {
  const std::string& name = result.options.settings.score;
  char words[60];
  if (result.neighbours) {
    std::snprintf(words, sizeof words, " (%zu neighbours)", *result.neighbours);
  } else if (result.epsilon) {
    std::snprintf(words, sizeof words, " (epsilon %g)", *result.epsilon);
  } else {
    return name;
  }
  return name + words;
}

void print_pixel_detector(const job::ImageDetectorResult& result) {
  std::printf("%s: trained on %s images of %zu classes, %s outliers (%s)\n",
              result.options.out.c_str(), with_commas(result.images).c_str(),
              result.classes, with_commas(result.outliers).c_str(),
              duration(result.seconds).c_str());
  std::printf(
      "accuracy on %s held-out images: %.1f %%, before the outliers %.1f %%\n",
      with_commas(result.held_out).c_str(), 100.0 * result.accuracy,
      100.0 * result.accuracy_before.value_or(result.accuracy));
}

void print_latent_detector(const job::ImageDetectorResult& result) {
  std::printf(
      "%s: score %s on a bank of %s latents of %zu classes, %s outliers (%s)\n",
      result.options.out.c_str(), score_words(result).c_str(),
      with_commas(result.bank).c_str(), result.classes,
      with_commas(result.outliers).c_str(), duration(result.seconds).c_str());
  std::printf("accuracy on %s images that the model did not see: %.1f %%",
              with_commas(result.held_out).c_str(), 100.0 * result.accuracy);
  if (result.accuracy_before) {
    std::printf(", of its anchors %.1f %%", 100.0 * *result.accuracy_before);
  }
  std::printf("\n");
}

}  // namespace

void print_image_run(const job::GenerateResult& result) {
  nlohmann::json metrics =
      nlohmann::json::parse(result.metrics, nullptr, false);
  if (!metrics.is_object()) metrics = nlohmann::json::object();
  print_counts(result, metrics);
  if (!metrics.contains("nearest_distance")) return;
  print_decoded(metrics);
  std::printf(
      "see %s/decoded/grid.png: sources and outliers side by side, a line per "
      "class, by increasing energy%s\n",
      result.out.c_str(),
      metrics.contains("outside") ? "; struck out are images inside" : "");
}

void print_image_model(const job::TrainImageResult& result) {
  if (result.classes == 0) return;
  const bool is_trained = result.encoder == "trained";
  const std::string how =
      is_trained ? "trained" : "made from " + result.options.encoder;
  std::printf(
      "%s: %s on %s images of %zu classes, %s (%s)\n"
      "accuracy on images that were %s: %.1f %%\n"
      "bank: %s latents of %zu numbers; decoder: %s\n",
      result.options.out.c_str(), how.c_str(),
      with_commas(result.images).c_str(), result.classes,
      to_string(result.shape).c_str(), duration(result.seconds).c_str(),
      is_trained ? "not trained on" : "kept apart", 100.0 * result.accuracy,
      with_commas(result.bank).c_str(), result.latent,
      result.options.decoder.c_str());
}

void print_image_detector(const job::ImageDetectorResult& result) {
  const bool is_on_pixels = job::is_on_pixels(result.options.settings.score);
  if (is_on_pixels) {
    print_pixel_detector(result);
  } else {
    print_latent_detector(result);
  }
  std::printf("threshold %.4g: %.0f %% of %s images lie above\n",
              result.threshold, 100.0 * result.options.level,
              is_on_pixels ? "the held-out" : "these");
  if (result.artifact_auroc) {
    std::printf(
        "real against decoded images of the classes: AUROC %.2f (0.5: being "
        "decoded means nothing)\n",
        *result.artifact_auroc);
  }
}

void print_image_scores(const job::ImageScoreResult& result) {
  std::printf("%s images: %.1f %% are taken for outliers (score below %.4g)\n",
              with_commas(result.images).c_str(), 100.0 * result.outlier_share,
              result.threshold);
  if (!result.outside) return;
  const job::OutsideQuality& outside = *result.outside;
  std::printf(
      "%s of %s: %.1f %% are taken for outliers; AUROC %.3f, FPR95 %.3f\n",
      with_commas(outside.images).c_str(),
      result.options.settings.outside.c_str(), 100.0 * outside.outlier_share,
      outside.auroc, outside.fpr95);
}

}  // namespace sbog::cli
