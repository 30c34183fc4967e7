// SPDX-License-Identifier: Apache-2.0
// Any bytes as an idx file, plain or gzipped.
#include "fuzz_reader.h"
#include "sbog/data/idx.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  return sbog::fuzz::run(data, size, [](auto bytes, const std::string& name) {
    sbog::fuzz::check_array(
        sbog::parse_idx(bytes, name, sbog::fuzz::kMaxInflated));
  });
}
