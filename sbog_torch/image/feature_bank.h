// SPDX-License-Identifier: Apache-2.0
// The bank of an encoder: up to n unit latents per class with the images they
// came from, and its safetensors file (latents float32, labels, sources and
// counts int64).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/base/status.h"
#include "sbog/image/image_set.h"
#include "sbog_torch/image/draws.h"
#include "sbog_torch/image/embed.h"

namespace sbog::image {

/// Settings of a bank.
struct FeatureBankOptions {
  /// n: the most latents of a class.
  std::size_t per_class = 1000;
  /// false: the first n images of each class, as they are. true: the first n
  /// in a shuffled order, cropped and flipped, as released programs do.
  bool is_augmented = false;
  AugmentOptions augment = {};  ///< read when is_augmented
  std::uint64_t seed = 1;       ///< read when is_augmented
  std::size_t batch = 256;
};

/// Latents of class 0 first, then of class 1, and so on.
struct FeatureBank {
  Matrix<float> latents;              ///< unit rows
  std::vector<std::int64_t> labels;   ///< class of each row
  std::vector<std::int64_t> sources;  ///< image of each row in its set
  std::vector<std::int64_t> counts;   ///< n_c: rows of each class, maybe fewer
};

/// A bank, or how far it came.
struct FeatureBankResult {
  FeatureBank bank;  ///< empty when cancelled
  SolveStatus status = SolveStatus::kDone;
};

/// Embeds the images of the bank; progress counts images. Throws
/// InvalidArgument for a set without classes and a per_class or batch of 0.
FeatureBankResult build_feature_bank(const Embed& embed, const ImageSet& images,
                                     const FeatureBankOptions& options,
                                     const Context& context = {});

/// The bank of features that are there already, such as those of
/// read_features: the first per_class unit rows of each class. Throws
/// InvalidArgument unless there is one label, 0 or more, per row.
FeatureBank bank_of_features(MatrixView<const float> features,
                             std::span<const std::int32_t> labels,
                             std::size_t per_class);

/// Writes the file, complete or not at all. Throws IoError.
void save_feature_bank(const std::string& path, const FeatureBank& bank);

/// Reads such a file. Throws IoError unless the parts have one length, counts
/// and labels agree, rows are grouped by class, and latents are finite unit
/// rows.
FeatureBank load_feature_bank(const std::string& path);

}  // namespace sbog::image
