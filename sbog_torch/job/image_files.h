// SPDX-License-Identifier: Apache-2.0
// The files of a run on images: outliers, decoded images beside their sources,
// a sheet of them, and what was measured.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sbog/run/run_folder.h"
#include "sbog_torch/image/feature_bank.h"
#include "sbog_torch/image/latent_outliers.h"
#include "sbog_torch/job/draw_images.h"

namespace sbog::torch_jobs {

/// Writes outliers.npy and outliers.csv, which says how rare each is.
void write_latent_files(const RunFolder& folder, const DrawnImages& drawn);

/// Writes the points of the run as a run on points has them: bank.npy,
/// bank_labels.npy, bank_sources.npy (the image of each), bank_energies.npy and
/// class_anchors.npy. Returns their checksum, by which a later job knows them.
std::uint64_t write_bank_files(const RunFolder& folder,
                               const image::FeatureBank& bank,
                               const image::LatentOutliers& outliers);

/// Writes decoded/images.npy, labels.npy, source-images.npy, inside-images.npy,
/// inside-labels.npy, images.csv, grid.png, grid.csv and the first `pictures`
/// as PNG files. On the sheet, images that lie inside of their class are struck
/// out.
void write_decoded_files(const RunFolder& folder, const DrawnImages& drawn,
                         std::size_t pictures);

}  // namespace sbog::torch_jobs
