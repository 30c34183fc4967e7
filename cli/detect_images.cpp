// SPDX-License-Identifier: Apache-2.0
// See detect_images.h.
#include "detect_images.h"

#include <cstdio>

#include "console.h"

namespace sbog::cli {
namespace {

void print_classifier(const job::ImageDetectorResult& result) {
  std::printf("%s: trained on %s images of %zu classes, %s outliers (%s)\n",
              result.options.out.c_str(), with_commas(result.images).c_str(),
              result.classes, with_commas(result.outliers).c_str(),
              duration(result.seconds).c_str());
  std::printf(
      "accuracy on %s held-out images: %.1f %%, before the outliers %.1f %%\n",
      with_commas(result.held_out).c_str(), 100.0 * result.accuracy,
      100.0 * result.accuracy_before.value_or(result.accuracy));
  std::printf("threshold %.4g: %.0f %% of the held-out images lie above\n",
              result.threshold, 100.0 * result.options.level);
  if (result.artifact_auroc) {
    std::printf(
        "real against decoded images of the classes: AUROC %.2f (0.5: being "
        "decoded means nothing)\n",
        *result.artifact_auroc);
  }
}

// "knn (50 neighbours)".
std::string score_words(const job::ImageDetectorResult& result) {
  char setting[60] = "";
  if (result.neighbours) {
    std::snprintf(setting, sizeof setting, " (%zu neighbours)",
                  *result.neighbours);
  } else if (result.epsilon) {
    std::snprintf(setting, sizeof setting, " (epsilon %g)", *result.epsilon);
  }
  return result.options.settings.score + setting;
}

}  // namespace

void print_image_detector(const job::ImageDetectorResult& result) {
  if (job::is_on_pixels(result.options.settings.score)) {
    print_classifier(result);
    return;
  }
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
  std::printf("\nthreshold %.4g: %.0f %% of these images lie above\n",
              result.threshold, 100.0 * result.options.level);
}

void print_image_scores(const job::ImageScoreResult& result) {
  std::printf("%s images: %.1f %% are taken for outliers (score below %.4g)\n",
              with_commas(result.images).c_str(), 100.0 * result.outlier_share,
              result.threshold);
  if (!result.outside) return;
  std::printf(
      "%s of %s: %.1f %% are taken for outliers; AUROC %.3f, FPR95 %.3f\n",
      with_commas(result.outside->images).c_str(),
      result.options.settings.outside.c_str(),
      100.0 * result.outside->outlier_share, result.outside->auroc,
      result.outside->fpr95);
}

}  // namespace sbog::cli
