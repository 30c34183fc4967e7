// SPDX-License-Identifier: Apache-2.0
// local only
#include "sbog/job/generate.h"
#include "sbog/job/series_options.h"
namespace sbog::job {
OptionTable<SeriesSettings> series_option_table() { return {}; }
GenerateResult generate_series(const GenerateOptions&, Events&, const Context&) { return {}; }
}
