// SPDX-License-Identifier: Apache-2.0
// The decoded images of a run and what decoded/images.csv says of each, read
// back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sbog/image/image_set.h"
#include "sbog/run/finished_run.h"

namespace sbog::job {

/// A row of decoded/images.csv. Without an encoder nothing is known of where
/// the image lies.
struct DecodedRow {
  std::size_t outlier = 0;  ///< row of outliers.npy
  std::int64_t label = 0;
  std::size_t cls = 0;           ///< position among the classes of the manifest
  std::optional<double> energy;  ///< of the point, in its class
  std::optional<double> decoded_energy;  ///< the same of the image
  std::optional<double> consistency;     ///< cosine of the two points
  std::optional<double> nearest;         ///< to the nearest training image
  /// Whether the image lies outside of its class: its energy is not below the
  /// threshold.
  std::optional<bool> is_outside;
  std::string severity;  ///< empty: runs of before do not say
};

/// Throws IoError for a table that names what the run does not have.
std::vector<DecodedRow> read_decoded_rows(const FinishedRun& run);

/// A file of decoded/ as images, "images.npy" and the like. Throws IoError
/// unless it has `count` images.
ImageSet read_decoded_images(const FinishedRun& run, const std::string& name,
                             std::size_t count);

/// How many of the images lie outside; nothing where that is not known of all.
std::optional<std::size_t> outside_count(const std::vector<DecodedRow>& rows);

}  // namespace sbog::job
