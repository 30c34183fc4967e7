// SPDX-License-Identifier: Apache-2.0
// Any safetensors file as a part of a run on points, as if its checksum fitted.
#include "fuzz_reader.h"
#include "sbog/data/safetensors.h"
#include "sbog/run/run_part.h"

namespace {

constexpr sbog::PartLimits kLimits{2, 10, 3};

template <typename T>
void check(const sbog::SafetensorsFile& file, const sbog::PartKey& key) {
  try {
    const auto part = sbog::part_of<T>(file, key, kLimits);
    sbog::fuzz::require(part.rounds.size() == kLimits.max_rounds);
    sbog::fuzz::require(part.outputs.size() <= key.count);
    for (const auto& output : part.outputs) {
      sbog::fuzz::require(output.k >= key.first_k &&
                          output.k < key.first_k + key.count);
      sbog::fuzz::require(output.anchor_row < kLimits.bank_rows);
      sbog::fuzz::require(output.point.size() == kLimits.dim);
    }
  } catch (const sbog::IoError& error) {
    sbog::fuzz::check_message(error.what());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  return sbog::fuzz::run(data, size, [](auto bytes, const std::string& name) {
    const auto file = sbog::parse_safetensors(bytes, name);
    const sbog::PartKey key{1, 4, 8, 77};
    check<float>(file, key);
    check<double>(file, key);
  });
}
