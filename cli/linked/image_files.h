// SPDX-License-Identifier: Apache-2.0
// The files of a run on images: outliers, decoded images beside their sources,
// a sheet of them, and what was measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "run_folder.h"
#include "sbog/image/image_set.h"
#include "sbog_torch/image/latent_outliers.h"

namespace sbog::cli {

/// What is known about each decoded outlier.
struct DecodedOutliers {
  std::vector<std::size_t> rows;     ///< of the outliers, increasing
  ImageSet images;                   ///< 8 bits, with the source class
  ImageSet sources;                  ///< the image each started from
  std::vector<double> class_energy;  ///< of the latent, against its whole class
  std::vector<double> energy;        ///< the same of the decoded image
  std::vector<double> consistency;   ///< cosine of the two
  std::vector<std::int64_t> nearest;  ///< nearest training image, a row
  std::vector<double> distance;       ///< to it, root mean square of pixels
  ImageSet inside;  ///< decoded latents of the bank, with their classes
};

/// Writes outliers.npy and outliers.csv.
void write_latent_files(const RunFolder& folder,
                        const image::LatentOutliers& outliers);

/// Writes decoded/images.npy, labels.npy, source-images.npy, inside-images.npy,
/// inside-labels.npy, images.csv, grid.png, grid.csv and the first `pictures`
/// as PNG files.
void write_decoded_files(const RunFolder& folder,
                         const image::LatentOutliers& outliers,
                         const DecodedOutliers& decoded, std::size_t pictures);

}  // namespace sbog::cli
