// SPDX-License-Identifier: Apache-2.0
// Detectors of images of whatever kind, as functions that score.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sbog/base/progress.h"
#include "sbog/image/image_set.h"

namespace sbog::torch_jobs {

/// What a detector says about images.
struct ImageVerdicts {
  std::vector<double> scores;         ///< high: in-distribution
  std::vector<std::int32_t> classes;  ///< the likeliest class of each
};

/// A trained detector: a network on pixels, or one on latents.
struct ImageScorer {
  std::string score;  ///< lse or msp; or a score of points, sum
  ImageShape shape;
  std::vector<std::string> class_names;  ///< one per class, maybe empty strings
  double threshold = 0.0;
  /// The threshold that this share of known images exceeds; empty: the scorer
  /// has but the one.
  std::function<double(double level)> threshold_at;
  std::function<ImageVerdicts(const ImageSet& images, const Context& context)>
      run;
};

/// Reads what `sbog detect train` wrote: a folder holds a detector on latents,
/// a file one on pixels. Throws IoError.
ImageScorer load_image_scorer(const std::string& path);

}  // namespace sbog::torch_jobs
