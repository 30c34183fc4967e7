// SPDX-License-Identifier: Apache-2.0
// Results of jobs on images as text for people, on standard output.
#pragma once

#include "sbog/job/generate.h"
#include "sbog/job/image_detect.h"
#include "sbog/job/train_image.h"

namespace sbog::cli {

/// Of `generate` on images.
void print_image_run(const job::GenerateResult& result);

/// Of `train image`; nothing when there is no model.
void print_image_model(const job::TrainImageResult& result);

/// Of `detect train` on images.
void print_image_detector(const job::ImageDetectorResult& result);

/// Of `detect score` on images.
void print_image_scores(const job::ImageScoreResult& result);

}  // namespace sbog::cli
