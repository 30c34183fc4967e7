// SPDX-License-Identifier: Apache-2.0
// Any bytes as an npz file.
#include "fuzz_reader.h"
#include "sbog/data/npz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  return sbog::fuzz::run(data, size, [](auto bytes, const std::string& name) {
    const auto members = sbog::parse_npz(bytes, name, sbog::fuzz::kMaxInflated);
    for (const auto& member : members) sbog::fuzz::check_array(member.array);
  });
}
