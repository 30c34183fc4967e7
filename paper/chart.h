// SPDX-License-Identifier: Apache-2.0
// Vega-Lite v5 specifications with their data inside, so that a file opens by
// itself.
#pragma once

#include <string>

#include "paper/table.h"

namespace sbog::paper {

/// An encoding channel: field, type ("quantitative", "nominal", "ordinal") and
/// title.
Json channel(const std::string& field, const std::string& type,
             const std::string& title);
/// The same on a logarithmic axis.
Json log_channel(const std::string& field, const std::string& title);

/// A complete specification; `values` is an array of flat objects.
Json chart(const std::string& title, const Json& values, const Json& mark,
           const Json& encoding);

}  // namespace sbog::paper
