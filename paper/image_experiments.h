// SPDX-License-Identifier: Apache-2.0
// The experiments about images. See image_cells.h for what computes
// their cells.
#pragma once

#include <string_view>

#include "paper/experiment.h"

namespace sbog::paper {

/// Rules of outliers, shown to a classifier of images.
Experiment images_experiment();
/// The same for ways to choose the bank points to start from.
Experiment anchors_experiment();
/// The same with and without the tests against class anchors.
Experiment semantic_experiment();

/// Whether this is the name of one of them.
bool is_about_images(std::string_view name);

}  // namespace sbog::paper
