// SPDX-License-Identifier: Apache-2.0
// One detector of images as a cell: what a network becomes when it is shown
// outliers of some rule. Encoder, decoder and classifier of a set and a seed
// lie in the scratch folder and are shared. Cells are computed by programs that
// link LibTorch; others have the same function, which says so.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "paper/experiment.h"
#include "sbog/sample/sampler_options.h"

namespace sbog::paper {

/// Where the outliers of a row come from.
struct ImageRow {
  std::string name;  ///< of the row
  /// "none": no outliers; "noise": images of Gaussian noise; otherwise a rule
  /// of the sampler.
  std::string rule{"sbog"};
  std::string profile{"paper-image"};  ///< of the sampler
  bool is_robust = false;              ///< robust alignment of the encoder
  Json changes{};  ///< fields of the sampler that differ, or null
  /// What is shown the outliers: "aligned", the encoder with its anchors, or
  /// "fresh", a classifier that was trained for nothing else.
  std::string start{"aligned"};
};

/// A sentence when this build or the settings lack something; else empty.
std::string image_cells_obstacle(const Settings& settings);

/// Cells of the rows for each set and seed. The first row of each set and seed
/// comes before all others: it makes what they share, and none waits for it.
std::vector<Cell> image_cells(const Settings& settings,
                              const std::vector<ImageRow>& rows);

/// The result has "outside" (FPR95 of both kinds, AUROC and average precision
/// by set), "mean" over the sets, "accuracy_before", "accuracy" and, where
/// there is a decoder, "artifact_auroc", "consistency", "nearest_distance".
/// Rows of the sampler also have "purity", the share of outliers nearest to the
/// anchor of their own class, "class_cosine", "other_cosine" and "map", pairs
/// of the two. The whole detection again under "msp" (largest probability),
/// under "head" (a linear head on latents of the encoder, no decoder in
/// between; those of the noise images for noise) and, for an aligned start,
/// under "latent" for "k-NN" and "SOE" in the latent space it ended with.
/// Throws InvalidArgument in a program without LibTorch.
Json compute_image_cell(const Json& configuration, const CellContext& context);

/// The sampler of a row for latents of this width.
SamplerOptions image_row_sampler(const Json& row, std::size_t width);

}  // namespace sbog::paper
