// SPDX-License-Identifier: Apache-2.0
// Images for the tables about images: an in-distribution set with classes and
// sets of something else, from a data folder or drawn.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "paper/experiment.h"
#include "sbog/image/image_set.h"

namespace sbog::paper {

/// What a cell sees.
struct ImageBench {
  ImageSet train;
  ImageSet test;
  /// Out-of-distribution sets by name, of the shape of `test`.
  std::vector<std::pair<std::string, ImageSet>> outside;
};

/// A sentence when there is nothing to list: full size without a data folder.
std::string image_obstacle(const Settings& settings);

/// In-distribution sets: of a data folder "fashion-mnist" (idx files) and
/// "cifar-10" (npy files) as far as they are there, otherwise the drawn
/// "shapes". Throws IoError for a data folder with neither.
std::vector<std::string> list_image_sets(const Settings& settings);

/// The fields of a configuration that say which images: the set, how many of a
/// class are taken, and what is there to compare with. No path is among them.
Json image_fields(const std::string& set, const Settings& settings);

/// The images that a configuration with these fields names. Grey and colour,
/// and sizes, are made those of the in-distribution set. Throws IoError.
ImageBench load_image_bench(const Json& configuration, const std::string& data);

}  // namespace sbog::paper
