// SPDX-License-Identifier: Apache-2.0
#include "sbog/image/decode_image.h"

#include "sbog/base/errors.h"
#include "sbog/data/detail/mapped_file.h"
#include "sbog/image/jpeg.h"
#include "sbog/image/png.h"

namespace sbog {

Image decode_image(std::span<const std::byte> bytes, const std::string& name,
                   const ImageLimits& limits) {
  if (is_png(bytes)) return decode_png(bytes, name, limits);
  if (is_jpeg(bytes)) return decode_jpeg(bytes, name, limits);
  throw IoError(name, "is neither a PNG nor a JPEG");
}

Image read_image(const std::string& path, const ImageLimits& limits) {
  const detail::FileBytes file = detail::map_file(path);
  return decode_image(file.bytes, file.name, limits);
}

}  // namespace sbog
