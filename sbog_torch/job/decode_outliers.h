// SPDX-License-Identifier: Apache-2.0
// Outliers of images back as images, and what is measured on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/image/image_set.h"
#include "sbog_torch/image/decoder.h"
#include "sbog_torch/image/image_model.h"
#include "sbog_torch/image/latent_outliers.h"
#include "sbog_torch/job/latent_scorer.h"

namespace sbog::torch_jobs {

/// Latents that became images. Where a model has no encoder, but features
/// alone, `energy` and `consistency` are empty.
struct DecodedImages {
  ImageSet images;                   ///< 8 bits, with the source class
  ImageSet sources;                  ///< the image each started from
  std::vector<double> class_energy;  ///< score of the latent in its class
  std::vector<double> energy;        ///< the same of the decoded image
  std::vector<double> consistency;   ///< cosine of the two
};

/// What is known about each decoded outlier.
struct DecodedOutliers : DecodedImages {
  std::vector<std::size_t> rows;      ///< of the outliers, increasing
  std::vector<std::int64_t> nearest;  ///< nearest training image, a row
  std::vector<double> distance;       ///< to it, root mean square of pixels
  /// The same of real images that the model never saw; maybe empty.
  std::vector<double> unseen_distance;
  ImageSet inside;  ///< decoded latents of the bank, with their classes
};

/// Where what a latent leaves open comes from.
enum class Variation {
  kSource,  ///< the source image, as far as the decoder can draw it
  kDetail,  ///< the source image with all its detail
  kFresh,   ///< drawn
};

/// How outliers are decoded.
struct DecodingOptions {
  std::size_t per_class = 1000;  ///< the first outliers of each class, at most
  Variation variation = Variation::kDetail;
  std::size_t rounds = 4;  ///< of decode_faithfully
};

/// What images are made with.
struct DecodingTools {
  const image::Decoder& decoder;
  const image::ImageModel& model;
  const ImageSet& images;  ///< that the model was made from
  const LatentScorer& scorer;
};

/// Latents to decode.
struct LatentsToDecode {
  MatrixView<const float> latents;
  std::vector<std::int64_t> classes;   ///< those of one class in a row
  std::vector<std::size_t> bank_rows;  ///< where each started
  std::vector<std::uint64_t> ids;      ///< key what is drawn
};

DecodedImages decode_latents(const DecodingTools& tools,
                             const LatentsToDecode& asked,
                             const DecodingOptions& options);

/// Fills in what lies near the decoded images, and decodes as many latents of
/// the bank.
void measure_decoded(const DecodingTools& tools, const DecodingOptions& options,
                     DecodedOutliers& decoded);

/// Decodes and measures the first outliers of each class.
DecodedOutliers decode_outliers(const DecodingTools& tools,
                                const image::LatentOutliers& outliers,
                                const DecodingOptions& options);

}  // namespace sbog::torch_jobs
