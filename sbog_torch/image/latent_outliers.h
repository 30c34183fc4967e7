// SPDX-License-Identifier: Apache-2.0
// Outliers among the latents of images: the sampler of the core, class by
// class. sbog/sample/image_profile.h has the settings that images ask for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/sample/sample_outliers.h"
#include "sbog_torch/image/feature_bank.h"

namespace sbog::image {

/// Outliers of all classes that are in the bank.
struct LatentOutliers : OutlierSet<float> {
  Matrix<float> latents;  ///< one row per output
  /// The bank row each started from; for vos, which starts from none, the
  /// nearest one of the class.
  std::vector<std::size_t> bank_rows;
  Matrix<double> class_anchors;  ///< a row per class that is in the bank
};

/// The rows of class anchors (C x m, a row per class) of the classes that have
/// points, as the sampler wants them. Throws InvalidArgument for anchors that
/// do not fit.
Matrix<double> present_anchors(const FeatureBank& bank,
                               MatrixView<const float> anchors);

/// The bank row that an output of a class started from, see bank_rows.
std::size_t start_of(const FeatureBank& bank, Rule rule, std::int64_t label,
                     const Output<float>& output);

/// options.count outliers of each class of the bank; anchors C x m, a row per
/// class. Progress counts outliers. The same for any number of threads. Throws
/// InvalidArgument for options out of range and anchors that do not fit.
LatentOutliers draw_latent_outliers(const FeatureBank& bank,
                                    MatrixView<const float> anchors,
                                    const SamplerOptions& options,
                                    const Context& context = {});

}  // namespace sbog::image
