// SPDX-License-Identifier: Apache-2.0
// What a run on images says about itself: its metrics and its words.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "console.h"
#include "generate_options.h"
#include "linked/image_decoding.h"

namespace sbog::cli {

/// The content of image_metrics.json: accuracy of the encoder, and means over
/// outliers and decoded images.
nlohmann::ordered_json image_metrics_json(const image::ImageModel& model,
                                          const image::LatentOutliers& outliers,
                                          const DecodedOutliers& decoded);

/// The result on standard output, unless another command speaks.
void print_image_run(const nlohmann::json& manifest,
                     const nlohmann::ordered_json& metrics,
                     const GenerateArguments& shared,
                     const CommonOptions& common, double seconds);

/// A warning for each class with fewer outliers than asked for.
void warn_of_classes(const image::LatentOutliers& outliers,
                     const std::vector<std::string>& names,
                     const Console& console);

}  // namespace sbog::cli
