// SPDX-License-Identifier: Apache-2.0
// Sampler options as JSON, so that a configuration says all that a generator
// does and a stored cell is not taken after any of it has changed.
#pragma once

#include "paper/table.h"
#include "sbog/sample/sampler_options.h"

namespace sbog::paper {

/// Every option that can change what is generated, seed and count aside.
Json options_json(const SamplerOptions& options);

/// The fields in which `options` differs from `base`.
Json options_difference(const SamplerOptions& options,
                        const SamplerOptions& base);

}  // namespace sbog::paper
