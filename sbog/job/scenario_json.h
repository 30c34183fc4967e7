// SPDX-License-Identifier: Apache-2.0
// Scenarios as JSON: the pieces of an unfinished run, read back to the same
// bits, and what edits.json tells a person.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
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

/// The outputs of one anchor as a file that belongs to run `identity`.
void write_anchor_part(const std::string& path, const std::string& identity,
                       const std::vector<series::Scenario>& scenarios);
/// Reads it back; nothing when it is missing, damaged or of another run.
std::optional<std::vector<series::Scenario>> read_anchor_part(
    const std::string& path, const std::string& identity);

}  // namespace sbog::job
