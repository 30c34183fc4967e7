// SPDX-License-Identifier: Apache-2.0
// All experiments by name, and the functions that make them: one file each.
#pragma once

#include <string_view>
#include <vector>

#include "paper/experiment.h"

namespace sbog::paper {

/// The cosine energy on the sphere is a Gaussian kernel density estimate.
Experiment kde_experiment();
/// What leave-one-out changes.
Experiment selfterm_experiment();
/// Needed n by Theorem 3.4 and by the kl bounds.
Experiment certificates_experiment();
/// Decision margin and flip rate over epsilon and n.
Experiment stability_experiment();
/// Gap, strength, alignment and fill over epsilon and margin.
Experiment energy_ablation_experiment();
/// Generators judged by an exactly known boundary.
Experiment oracle_experiment();
/// Candidate profiles in the same experiment.
Experiment profiles_experiment();
/// Rules of negatives, detectors and simple rules on labelled series.
Experiment series_experiment();
/// The energy threshold of the negatives over its quantile.
Experiment threshold_experiment();
/// What each part of the negatives, their carrier and the encoder add.
Experiment series_ablation_experiment();

/// Fresh rows of known classes by the rarity they are told.
Experiment rarity_experiment();
/// Coverage of the intervals of rarities on laws that are known.
Experiment rarity_intervals_experiment();

/// Rules of outliers on latents of real encoders, shown to one head.
Experiment latents_experiment();

/// Rules of outliers, shown to a classifier of images; see image_cells.h.
Experiment images_experiment();
/// The same for ways to choose the bank points to start from.
Experiment anchors_experiment();
/// The same with and without the tests against class anchors.
Experiment semantic_experiment();

/// Whether this is the name of one of the last three.
bool is_about_images(std::string_view name);

/// All of them, in the order they are listed.
const std::vector<Experiment>& experiments();

/// The one of that name; throws InvalidArgument that lists the names.
const Experiment& find_experiment(std::string_view name);

}  // namespace sbog::paper
