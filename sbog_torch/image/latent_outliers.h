// SPDX-License-Identifier: Apache-2.0
// Outliers among the latents of images: the sampler of the core, class by
// class. sbog/sample/image_profile.h has the settings that images ask for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/base/status.h"
#include "sbog/sample/sampler.h"
#include "sbog_torch/image/feature_bank.h"

namespace sbog::image {

/// What came of all classes.
struct LatentOutliers {
  Matrix<float> latents;               ///< accepted, class by class
  std::vector<std::int64_t> classes;   ///< of each
  std::vector<Output<float>> outputs;  ///< of each
  /// The bank row each started from; for vos, which starts from none, the
  /// nearest one of the class.
  std::vector<std::size_t> bank_rows;
  std::vector<ClassReport> reports;  ///< one per class that is in the bank
  /// Of each bank row, by the rule: its energy within its class, without
  /// itself where the options say so. Empty when cancelled.
  std::vector<double> bank_scores;
  Matrix<double> class_anchors;  ///< a row per class that is in the bank
  SolveStatus status = SolveStatus::kDone;  ///< kPartial: fewer than asked for
};

/// options.count outliers of each class of the bank; anchors C x m, a row per
/// class. Progress counts outliers. The same for any number of threads. Throws
/// InvalidArgument for options out of range and anchors that do not fit.
LatentOutliers draw_latent_outliers(const FeatureBank& bank,
                                    MatrixView<const float> anchors,
                                    const SamplerOptions& options,
                                    const Context& context = {});

}  // namespace sbog::image
