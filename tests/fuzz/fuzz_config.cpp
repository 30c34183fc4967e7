// SPDX-License-Identifier: Apache-2.0
// Any bytes as a configuration, and what it sets as options of a run.
#include <string_view>
#include <vector>

#include "fuzz_reader.h"
#include "sbog/job/generate.h"
#include "sbog/run/config_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  return sbog::fuzz::run(data, size, [](auto bytes, const std::string& name) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()),
                                bytes.size());
    sbog::check_sections(text, name, {"generate", "detect train"});
    sbog::parse_config(text, name, "");
    sbog::job::GenerateOptions options;
    sbog::job::generate_option_table().apply(
        sbog::parse_config(text, name, "generate"), options);
  });
}
