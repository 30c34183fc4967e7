// SPDX-License-Identifier: Apache-2.0
// The outliers of a run on images: points that the sampler draws, the images
// they become, and where the encoder places these. A decoder draws what it has
// learned, so that an image may lie inside of its class although its point does
// not. Either all images are kept, with their places, or further points are
// drawn for those that are turned down.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "sbog/base/progress.h"
#include "sbog/run/run_folder.h"
#include "sbog/sample/sampler_options.h"
#include "sbog_torch/image/latent_outliers.h"
#include "sbog_torch/job/decode_outliers.h"

namespace sbog::torch_jobs {

/// How outliers are drawn and which are kept.
struct DrawRules {
  SamplerOptions sampler;
  DecodingOptions decoding;
  /// Keep images that lie outside of their class only. Severities of the
  /// sampler are those of the images as well: each gets sampler.count images.
  bool only_outside = false;
  /// Of everything asked for, so many times more is drawn at most.
  std::size_t redraws = 7;
};

/// What was drawn.
struct DrawnImages {
  image::LatentOutliers outliers;
  DecodedOutliers decoded;  ///< empty without a decoder
  /// Of every outlier, by its image where the encoder has seen that, else by
  /// its point.
  std::vector<OutlierRarity> rarities;
  /// Whether the image lies outside of its class; nothing: not known.
  std::vector<std::optional<bool>> is_outside;
  /// Points that were decoded to choose from; 0: all of them were kept.
  std::size_t candidates = 0;

  /// Images of which is known whether they lie outside, and those that do.
  std::size_t known_count() const;
  std::size_t outside_count() const;
};

/// Whether images are chosen: asked for, and possible with these tools.
bool chooses_images(const DecodingTools& tools, const DrawRules& rules);

/// Throws InvalidArgument for severities that the scores of the bank are too
/// few for.
void require_severities(const image::ImageModel& model,
                        const SamplerOptions& options,
                        const Context& context = {});

/// outliers.status is kCancelled when stopped. Progress counts outliers. The
/// same for any number of threads. Throws InvalidArgument.
DrawnImages draw_images(const DecodingTools& tools, const DrawRules& rules,
                        const Context& context = {});

}  // namespace sbog::torch_jobs
