// SPDX-License-Identifier: Apache-2.0
// What detectors of images say to people, for `sbog detect`.
#pragma once

#include "sbog/job/image_detect.h"

namespace sbog::cli {

/// Prints how a training went.
void print_image_detector(const job::ImageDetectorResult& result);
/// Prints how many images are taken for outliers.
void print_image_scores(const job::ImageScoreResult& result);

}  // namespace sbog::cli
