// SPDX-License-Identifier: Apache-2.0
// JSON that the files of runs and the results of jobs share: how a class went,
// and numbers that JSON has no word for.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "sbog/sample/sampler.h"

namespace sbog {

/// How one class of a run went, as manifest.json says it: plan, counts,
/// failures and every anchor that was tried.
nlohmann::json class_json(const ClassReport& report);

/// The number, or null where it is infinite or NaN.
nlohmann::ordered_json finite_or_null(double value);

/// The number, or "inf", "-inf", and null for NaN.
nlohmann::ordered_json number_or_word(double value);

}  // namespace sbog
