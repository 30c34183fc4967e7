// SPDX-License-Identifier: Apache-2.0
// One detector of images as a cell: what a network becomes when it is shown
// outliers of some rule. Encoder, decoder and classifier of a set and a seed
// lie in the scratch folder and are shared. LibTorch takes most of a second
// to load, so what computes a cell is a library of its own that is loaded for
// these cells alone.
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
  /// What is shown the outliers: "aligned", the encoder with its anchors;
  /// "fresh", a classifier that was trained for nothing else; or "head", a
  /// linear head on the latents of the encoder, to which they stay points.
  std::string start{"aligned"};
};

/// The same outliers, shown to something else; ", " and words are added to the
/// name.
ImageRow with_start(ImageRow row, const std::string& start,
                    const std::string& words);

/// Whether the library that computes these cells is there.
bool has_images();

/// A sentence when the library or the settings lack something; else empty.
std::string image_cells_obstacle(const Settings& settings);

/// Cells of the rows for each set and seed. The first row of each set and seed
/// comes before all others: it makes what they share, and none waits for it.
std::vector<Cell> image_cells(const Settings& settings,
                              const std::vector<ImageRow>& rows);

/// The result has "outside" (FPR95 of both kinds, AUROC and average precision
/// by set), "mean" over the sets, both again under "msp" (by the largest
/// probability), "accuracy_before" and "accuracy". Rows that decode also have
/// "artifact_auroc", "consistency" and "nearest_distance", rows of the sampler
/// "purity", the share of outliers nearest to the anchor of their own class,
/// "class_cosine", "other_cosine" and "map", pairs of the two. An aligned start
/// has its detection under "latent" for "k-NN" and "SOE" in the latent space it
/// ended with. Throws InvalidArgument without that library and
/// IoError when it cannot be loaded.
Json compute_image_cell(const Json& configuration, const CellContext& context);

/// The one function of the library, "sbog_paper_compute_image_cell".
using ImageCellEntry = void(const Json& configuration,
                            const CellContext& context, Json& result);

/// The sampler of a row for latents of this width.
SamplerOptions image_row_sampler(const Json& row, std::size_t width);

}  // namespace sbog::paper
