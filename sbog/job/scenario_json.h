// SPDX-License-Identifier: Apache-2.0
// Scenarios as JSON: the pieces of an unfinished run, read back to the same
// bits, and what edits.json tells a person.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sbog/scenario/scenario.h"

namespace sbog::job {

/// Everything about a scenario, windows included.
nlohmann::json to_json(const series::Scenario& scenario);
/// The reverse; throws nlohmann::json::exception for anything else.
series::Scenario scenario_of(const nlohmann::json& json);

/// An entry of edits.json, without windows and points.
nlohmann::ordered_json told_json(const series::Scenario& scenario,
                                 const std::vector<std::string>& channels);

/// How a run went.
nlohmann::ordered_json metrics_json(const series::ScenarioDiagnostics& d);

/// What the outputs of one anchor must agree with.
struct AnchorPartLimits {
  std::size_t anchor = 0;
  std::size_t anchor_count = 1;
  std::size_t outputs = 0;  ///< that the run was asked for, of all anchors
  std::size_t windows = 0;
  std::size_t rows = 0;  ///< of the series
  std::size_t width = 0;
  std::size_t channels = 0;
  std::size_t dim = 0;  ///< of a point
};

/// The outputs of one anchor from the text of a part. Throws IoError with
/// `name` when it is no list of scenarios, or when a number in it goes beyond
/// the limits.
std::vector<series::Scenario> parse_scenarios(std::string_view text,
                                              const std::string& name,
                                              const AnchorPartLimits& limits);

/// The outputs of one anchor as a file that belongs to run `identity`.
void write_anchor_part(const std::string& path, const std::string& identity,
                       const std::vector<series::Scenario>& scenarios);
/// Reads it back; nothing when it is missing, damaged, of another run or not
/// within the limits.
std::optional<std::vector<series::Scenario>> read_anchor_part(
    const std::string& path, const std::string& identity,
    const AnchorPartLimits& limits);

}  // namespace sbog::job
