// SPDX-License-Identifier: Apache-2.0
// Any bytes as a PNG or JPEG.
#include "fuzz_reader.h"
#include "sbog/image/decode_image.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  return sbog::fuzz::run(data, size, [](auto bytes, const std::string& name) {
    const sbog::ImageLimits limits{std::size_t{1} << 20, 1,
                                   std::size_t{1} << 24};
    const sbog::Image image = sbog::decode_image(bytes, name, limits);
    const sbog::ImageShape& shape = image.shape;
    sbog::fuzz::require(shape.channels == 1 || shape.channels == 3);
    sbog::fuzz::require(shape.height * shape.width <= limits.max_pixels);
    sbog::fuzz::require(image.pixels.size() == shape.size());
  });
}
