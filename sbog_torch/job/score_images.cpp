// SPDX-License-Identifier: Apache-2.0
// Scoring images with a detector of either kind; see jobs.h.
#include <cstdio>
#include <string>
#include <vector>

#include "sbog/base/atomic_file.h"
#include "sbog/base/errors.h"
#include "sbog/data/csv.h"
#include "sbog/job/files.h"
#include "sbog/job/image_input.h"
#include "sbog_torch/image/detector_scores.h"
#include "sbog_torch/image/embedding.h"
#include "sbog_torch/job/image_scorer.h"
#include "sbog_torch/job/jobs.h"
#include "sbog_torch/nn/torch_bridge.h"

namespace sbog::torch_jobs {
namespace {

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

job::OutsideQuality quality_of(const job::ImageScoreOptions& o,
                               const ImageScorer& scorer,
                               const std::vector<double>& inside,
                               job::Events& events, const Context& context) {
  const std::string& name = o.settings.outside;
  const ImageSet outside = job::load_images(name, "", o.settings.input, events);
  require_shape(scorer, outside, name);
  const std::vector<double> others = scorer.run(outside, context).scores;
  const image::DetectionQuality quality =
      image::detection_quality(inside, others);
  return {outside.count(), outlier_share(others, scorer.threshold),
          quality.fpr95,   quality.fpr95_closest,
          quality.auroc,   quality.aupr};
}

}  // namespace

job::ImageScoreResult score_images(const job::ImageScoreOptions& o,
                                   job::Events& events,
                                   const Context& context) {
  nn::use_one_torch_thread();
  job::check_writable(o.out);
  const ImageScorer scorer = load_image_scorer(o.model);
  const ImageSet images =
      job::load_images(o.data, o.labels, o.settings.input, events);
  require_shape(scorer, images, o.data);
  const ImageVerdicts found = scorer.run(images, context);
  if (!o.out.empty()) write_scores(o.out, scorer, found);
  job::ImageScoreResult result;
  result.options = o;
  result.score = scorer.score;
  result.images = images.count();
  result.threshold = scorer.threshold;
  result.outlier_share = outlier_share(found.scores, scorer.threshold);
  if (!images.labels.empty() &&
      class_count(images) == scorer.class_names.size()) {
    result.accuracy = image::accuracy(found.classes, images.labels);
  }
  if (!o.settings.outside.empty()) {
    result.outside = quality_of(o, scorer, found.scores, events, context);
  }
  return result;
}

}  // namespace sbog::torch_jobs
