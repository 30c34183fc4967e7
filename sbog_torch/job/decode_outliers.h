// SPDX-License-Identifier: Apache-2.0
// Outliers of images back as images, and what is measured on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sbog/energy/energy_model.h"
#include "sbog/image/image_set.h"
#include "sbog_torch/image/decoder.h"
#include "sbog_torch/image/image_model.h"
#include "sbog_torch/image/latent_outliers.h"

namespace sbog::torch_jobs {

/// What is known about each decoded outlier. Where a model has no encoder, but
/// features alone, `energy` and `consistency` are empty.
struct DecodedOutliers {
  std::vector<std::size_t> rows;     ///< of the outliers, increasing
  ImageSet images;                   ///< 8 bits, with the source class
  ImageSet sources;                  ///< the image each started from
  std::vector<double> class_energy;  ///< of the latent, against its whole class
  std::vector<double> energy;        ///< the same of the decoded image
  std::vector<double> consistency;   ///< cosine of the two
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

/// Decodes outliers, and as many latents of the bank.
DecodedOutliers decode_outliers(const image::Decoder& decoder,
                                const image::ImageModel& model,
                                const ImageSet& images,
                                const image::LatentOutliers& outliers,
                                const DecodingOptions& options,
                                const EnergyOptions& energy);

}  // namespace sbog::torch_jobs
