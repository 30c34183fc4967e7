// SPDX-License-Identifier: Apache-2.0
// A detector of unusual points as one safetensors file.
//
//   bank              float32  bank rows x dimensions, unit rows
//   bank_rows         int64    their rows in the training file, increasing
//   classes           int64    class number of each bank row
//   class_labels      int64    label of each class, increasing
//   tied.means        float64  classes x dimensions
//   tied.map          float64  dimensions x dimensions, see gaussians.h
//   global.means      float64  1 x dimensions
//   global.map        float64  dimensions x dimensions
//   head.weights, head.bias, head.line      float32  with the score head:
//                     dimensions x classes, classes, slope and offset
//   plain.weights, plain.bias, plain.line   float32  with msp or lse
//   epsilons          float64  with soe: one per class, or one
//   units             float64  scores x 2, mean and deviation
//   held_out          float64  scores of held-out rows, increasing
//   class_names       uint8    texts, each ended by a zero byte; may be empty
//   items             uint8    the same, one per bank row; may be empty
//
// The options are metadata: format, scores, neighbours, epsilon (0:
// found), soe_per_class, shrinkage, level, held_out, trained_rows, seed.
#pragma once

#include <string>

#include "sbog/detect/point_detector.h"

namespace sbog::detect {

/// Writes the detector, complete or not at all. Throws IoError.
void write_point_detector(const std::string& path,
                          const PointDetector& detector);

/// Reads it back: the same scores, bit for bit. Everything in the file is
/// checked: throws IoError for damage, sizes that disagree, values that are
/// not finite or that no training could have made.
PointDetector read_point_detector(const std::string& path);

/// Whether a safetensors file says that it is such a detector. Throws IoError
/// for what is no safetensors file.
bool is_point_detector(const std::string& path);

}  // namespace sbog::detect
