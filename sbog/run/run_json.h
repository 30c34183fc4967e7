// SPDX-License-Identifier: Apache-2.0
// JSON that the files of runs and the results of jobs share: how a class went,
// and numbers that JSON has no word for.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "sbog/sample/sampler.h"

namespace sbog {

/// How one class of a run went, as manifest.json says it: plan, counts,
/// failures and every anchor that was tried.
nlohmann::json class_json(const ClassReport& report);

/// JSON for a file, whatever bytes its texts hold (base/byte_text.h); `indent`
/// -1 for one line.
std::string stored_json(const nlohmann::json& json, int indent = 2);
std::string stored_json(const nlohmann::ordered_json& json, int indent = 2);
/// The reverse, with the bytes; discarded when the text is no JSON.
nlohmann::json parse_stored_json(std::string_view text);

/// Throws IoError with the path and the entry for a manifest whose entries are
/// not of the kind that a run writes; entries that it does not know may be
/// anything.
void check_manifest(const nlohmann::json& manifest, const std::string& path);

/// The number, or null where it is infinite or NaN.
nlohmann::ordered_json finite_or_null(double value);

/// The number, or "inf", "-inf", and null for NaN.
nlohmann::ordered_json number_or_word(double value);

}  // namespace sbog
