// SPDX-License-Identifier: Apache-2.0
// What only `generate` on a series is told.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sbog/base/option_table.h"

namespace sbog::job {

/// Encoder, edits and decoding of a series.
struct SeriesSettings {
  std::string time;          ///< column of the times; empty: detected
  std::string second_model;  ///< empty: none
  std::size_t width = 200;
  std::size_t stride = 0;
  std::size_t mid = 4;
  std::size_t head = 4;
  std::vector<std::string> kinds;
  std::vector<std::string> channels;
  std::vector<std::string> classes;
  /// Severities; empty: 1 to 3 with the count split over them; "none".
  std::vector<std::string> severity;
  std::string law = "auto";
  std::size_t slots = 3;
  std::size_t steps = 40;
  std::size_t redraws = 7;
  std::size_t alternatives = 3;
  bool outside_only = false;
  bool delay_discrete = false;
  std::size_t plots = 12;
};

OptionTable<SeriesSettings> series_option_table();

}  // namespace sbog::job
