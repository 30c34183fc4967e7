// SPDX-License-Identifier: Apache-2.0
// Times as ISO 8601 writes them.
#pragma once

#include <optional>
#include <string_view>

namespace sbog::detail {

/// Seconds since 1970-01-01T00:00:00Z of a date, or of a date and a time with
/// 'T' or a blank between, with or without seconds, fraction and offset. A time
/// without offset is taken as UTC. nullopt for anything else.
std::optional<double> parse_iso_time(std::string_view text);

}  // namespace sbog::detail
