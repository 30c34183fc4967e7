// SPDX-License-Identifier: Apache-2.0
// A detector of cluster_detector.h as one safetensors file: that of its model
// (series_model_file.h) and
//
//   parameter.cluster.weight, parameter.cluster.bias   the head
//   vector.normal            1 for normal classes, else 0
//   vector.training_scores   of the training rows, ascending
//
// with the rule of the negatives, the level and the sizes as metadata.
#pragma once

#include <string>

#include "sbog/series/cluster_detector.h"

namespace sbog::series {

/// Writes the detector, complete or not at all. Throws IoError.
void write_cluster_detector(const std::string& path,
                            const ClusterDetector& detector);

/// Reads it back: the same scores, bit for bit. Everything in the file is
/// checked, as by read_series_model. Throws IoError.
ClusterDetector read_cluster_detector(const std::string& path);

}  // namespace sbog::series
