// SPDX-License-Identifier: Apache-2.0
// What the options of `generate` mean for the scenarios of a series.
#pragma once

#include <cstddef>
#include <vector>

#include "sbog/job/generate.h"
#include "sbog/scenario/scenario.h"
#include "sbog/series/read_series.h"

namespace sbog::job {

/// Severities that are asked for, and the outputs there are then in all.
struct AskedSeverities {
  std::vector<std::size_t> list;  ///< empty: none
  std::size_t count = 0;
};
/// Throws InvalidArgument for what is no severity, is named twice or does not
/// go with the decoder.
AskedSeverities severities_of(const GenerateOptions& options);

/// Whether a run takes an encoder: random edits of a given severity need no
/// energies unless the options ask for them.
bool needs_encoder(const GenerateOptions& options);

/// Throws InvalidArgument for names that the series does not have.
series::ScenarioOptions scenario_options_of(const GenerateOptions& given,
                                            const LoadedSeries& loaded);

}  // namespace sbog::job
