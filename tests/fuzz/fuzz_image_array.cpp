// SPDX-License-Identifier: Apache-2.0
// Any bytes as an npy file of images.
#include "fuzz_reader.h"
#include "sbog/data/npy.h"
#include "sbog/image/array_images.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  return sbog::fuzz::run(data, size, [](auto bytes, const std::string& name) {
    const sbog::ImageSet set =
        sbog::images_of_array(sbog::parse_npy(bytes, name));
    sbog::check_images(set, name);
  });
}
