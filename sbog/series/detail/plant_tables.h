// SPDX-License-Identifier: Apache-2.0
// The tables of the two water plants, SWaT and WADI, as they are handed out,
// with their junk lines, misspelt labels and empty columns.
#pragma once

#include <optional>
#include <string>

#include "sbog/series/series.h"

namespace sbog::detail {

/// The files with normal operation and with attacks.
struct PlantFiles {
  std::string normal;
  std::string attack;
};

/// SWaT*Normal*.csv and SWaT*Attack*.csv, or *_train.csv and *_test.csv.
std::optional<PlantFiles> find_swat_tables(const std::string& folder);
/// WADI_14days*.csv and WADI_attackdata*.csv.
std::optional<PlantFiles> find_wadi_tables(const std::string& folder);

/// A line of group names is passed over. The first column is the time; the
/// last one named "Normal/Attack" or "attack" is the label: 1, "Attack" and
/// "A ttack" are attacks. Missing values: the last one before, else 0.
SeriesEntity read_swat(const std::string& folder);

/// Lines before the header ("Row", "Date", "Time", tags) are passed over, path
/// prefixes of tags cut off. The four tags without values are dropped by name
/// and rows without a label left out; missing values: the last one before,
/// else 0. Literal: the 120 columns after the time by position, every row
/// kept, and everything but a label of 1 is an attack. Throws IoError for a
/// table of attacks without labels.
SeriesEntity read_wadi(const std::string& folder, bool is_literal);

}  // namespace sbog::detail
