// SPDX-License-Identifier: Apache-2.0
// A model of a series as one safetensors file, in the form of
// sbog/nn/checkpoint.h:
//
//   parameter.*, buffer.*   the encoder
//   vector.means, vector.deviations   float64, one per channel
//   vector.energies         5, 50 and 95 % quantiles of the training energies
//   text.channels           names
//   scalar.*                diagnostics
//
// The options are metadata.
#pragma once

#include <string>

#include "sbog/series/series_model.h"

namespace sbog::series {

/// Writes the model, complete or not at all. Throws IoError.
void write_series_model(const std::string& path, const SeriesModel& model);

/// Reads it back: the same points, bit for bit. Everything in the file is
/// checked: throws IoError for damage, for sizes that disagree, for values
/// that are not finite or that no training could have made.
SeriesModel read_series_model(const std::string& path);

}  // namespace sbog::series
