// SPDX-License-Identifier: Apache-2.0
// A trained detector as one safetensors file.
//
//   rows              float32  training rows x channels, scaled
//   scaling.medians   float64  channels
//   scaling.units     float64  channels
//   regression.active int64    channels that the autoregression predicts
//   regression.coefficients    float64  see Autoregression
//   channels.medians  float64  3 x channels
//   channels.units    float64  3 x channels
//   held_out          float64  training rows x views
//   names             uint8    channel names, each ended by a zero byte
//
// The options are metadata: format, detector, causal, joint_rows, line_rows,
// level.
#pragma once

#include <string>

#include "sbog/base/progress.h"
#include "sbog/series/detector.h"

namespace sbog {

/// Writes the detector, complete or not at all. Throws IoError.
void write_detector(const std::string& path, const Detector& detector);

/// Reads it back: the same scores, bit for bit. Everything in the file is
/// checked: throws IoError for damage, sizes that disagree, values that are
/// not finite or that no training could have made.
Detector read_detector(const std::string& path, const Context& context = {});

}  // namespace sbog
