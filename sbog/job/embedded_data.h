// SPDX-License-Identifier: Apache-2.0
// Small data made by the tool itself, so that every example works as typed:
//   demo:bank      600 unit vectors in 4 dimensions, three classes
//   demo:labels    their classes 0, 1, 2
//   demo:queries   9 points: 3 ordinary, 3 at the rim of a class, 3 between
//   demo:anchors   the direction of each class
//   demo:outliers  60 points drawn three times as wide as their class
//   demo:outlier-labels   their classes
//   demo:series    1,200 rows of four channels that go together
//   demo:series-test, demo:series-labels   600 rows of the same; in some one
//                  channel disagrees with the others, which the labels mark
//   demo:plant     20,000 rows of twelve named channels with times, for
//                  commands that take a series (series/synthetic_plant.h)
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sbog/data/array.h"
#include "sbog/data/dataset.h"

namespace sbog::job {

/// Whether the spec names embedded data ("demo:...").
bool is_embedded(const std::string& spec);

/// The embedded array; throws InvalidArgument listing the names.
Array embedded_array(const std::string& spec);

/// read_array that also knows embedded data.
Array load_array(const std::string& spec, const ReadOptions& options = {});

/// The labels of a file or of embedded data; none for an empty spec.
std::vector<std::int64_t> load_labels(const std::string& spec);

}  // namespace sbog::job
