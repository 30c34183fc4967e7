// SPDX-License-Identifier: Apache-2.0
// Any bytes as a safetensors file, and as the index of several.
#include "fuzz_reader.h"
#include "sbog/data/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  if (size > 0 && data[0] == '{') {
    sbog::fuzz::run(data, size, [](auto bytes, const std::string& name) {
      for (const auto& entry : sbog::parse_safetensors_index(bytes, name)) {
        sbog::fuzz::require(entry.second.find('/') == std::string::npos);
      }
    });
  }
  return sbog::fuzz::run(data, size, [](auto bytes, const std::string& name) {
    const auto file = sbog::parse_safetensors(bytes, name);
    std::size_t total = 0;
    for (const auto& tensor : file.tensors) {
      sbog::fuzz::check_array(tensor.array);
      total += tensor.array.byte_count();
    }
    sbog::fuzz::require(total <= bytes.size());
  });
}
