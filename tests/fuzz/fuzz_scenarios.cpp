// SPDX-License-Identifier: Apache-2.0
// Any bytes as a part of a run on a series, as if their checksum fitted.
#include <string_view>

#include "fuzz_reader.h"
#include "sbog/job/scenario_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  sbog::job::AnchorPartLimits limits;
  limits.anchor = 7;
  limits.anchor_count = 10;
  limits.outputs = 18;
  limits.windows = 12;
  limits.rows = 24;
  limits.width = 2;
  limits.channels = 3;
  limits.dim = 2;
  return sbog::fuzz::run(data, size, [&](auto bytes, const std::string& name) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()),
                                bytes.size());
    const auto scenarios = sbog::job::parse_scenarios(text, name, limits);
    sbog::fuzz::require(scenarios.size() == 2);
    for (const auto& scenario : scenarios) {
      sbog::fuzz::require(scenario.window.size() == 6);
      for (const auto& edit : scenario.edits) {
        sbog::fuzz::require(edit.edit.channel < limits.channels);
      }
    }
  });
}
