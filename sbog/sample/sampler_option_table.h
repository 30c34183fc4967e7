// SPDX-License-Identifier: Apache-2.0
// The table of SamplerOptions: names, help and levels of all its options.
#pragma once

#include "sbog/base/option_table.h"
#include "sbog/sample/sampler_options.h"

namespace sbog {

/// All fields but `energy.metric`, which is a view of somebody's matrix.
const OptionTable<SamplerOptions>& sampler_option_table();

}  // namespace sbog
