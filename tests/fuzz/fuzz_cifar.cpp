// SPDX-License-Identifier: Apache-2.0
// Any bytes as CIFAR records, and as names of classes.
#include "fuzz_reader.h"
#include "sbog/image/cifar.h"
#include "sbog/image/class_names.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  sbog::fuzz::run(data, size, [](auto bytes, const std::string& name) {
    const sbog::ImageSet set = sbog::parse_cifar(bytes, name);
    sbog::fuzz::require(set.count() == set.labels.size());
    sbog::check_images(set, name);
  });
  return sbog::fuzz::run(data, size, [](auto bytes, const std::string& name) {
    for (const std::string& line : sbog::parse_class_names(bytes, name)) {
      sbog::fuzz::require(!line.empty() && line.size() <= 256);
    }
  });
}
