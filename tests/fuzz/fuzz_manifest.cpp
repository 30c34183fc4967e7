// SPDX-License-Identifier: Apache-2.0
// Any bytes as the manifest of a run; what is taken is stored the same again.
#include <nlohmann/json.hpp>
#include <string_view>

#include "fuzz_reader.h"
#include "sbog/run/run_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  return sbog::fuzz::run(data, size, [](auto bytes, const std::string& name) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()),
                                bytes.size());
    const nlohmann::json manifest = sbog::parse_stored_json(text);
    sbog::check_manifest(manifest, name);
    const std::string stored = sbog::stored_json(manifest, -1);
    sbog::fuzz::require(
        sbog::stored_json(sbog::parse_stored_json(stored), -1) == stored);
  });
}
