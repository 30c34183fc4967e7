// SPDX-License-Identifier: Apache-2.0
// How one class of a run went, as manifest.json says it.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "sbog/sample/sampler.h"

namespace sbog {

/// Plan, counts, failures and every anchor that was tried.
nlohmann::json class_json(const ClassReport& report);

}  // namespace sbog
