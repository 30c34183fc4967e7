// SPDX-License-Identifier: Apache-2.0
#include "sbog/image/image_folder.h"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "sbog/base/errors.h"
#include "sbog/image/channels.h"
#include "sbog/image/decode_image.h"
#include "sbog/image/detail/listing.h"
#include "sbog/image/resize.h"

namespace sbog {
namespace {

namespace fs = std::filesystem;

bool is_image_name(const std::string& name) {
  std::string ending = fs::path(name).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return ending == ".png" || ending == ".jpg" || ending == ".jpeg";
}

std::vector<std::string> image_names(const detail::Listing& listing) {
  std::vector<std::string> names;
  std::copy_if(listing.files.begin(), listing.files.end(),
               std::back_inserter(names), is_image_name);
  return names;
}

void check_count(std::size_t count, const FolderOptions& options,
                 const std::string& path) {
  if (count > options.limits.max_images) {
    throw IoError(path, "holds more images than the limit of " +
                            std::to_string(options.limits.max_images));
  }
}

// Files and their classes, without a look into any image.
ImageSet list_classes(const std::string& path, const detail::Listing& listing,
                      const FolderOptions& options) {
  ImageSet set;
  set.class_names = listing.folders;
  for (std::size_t cls = 0; cls < listing.folders.size(); ++cls) {
    const std::string& folder = listing.folders[cls];
    const std::string full = (fs::path(path) / folder).string();
    const auto names = image_names(detail::list_folder(full));
    if (names.empty()) {
      throw IoError(full,
                    "holds no PNG or JPEG; a class of images is "
                    "expected");
    }
    for (const std::string& name : names) {
      set.sources.push_back((fs::path(folder) / name).string());
      set.labels.push_back(static_cast<std::int32_t>(cls));
    }
    check_count(set.sources.size(), options, path);
  }
  return set;
}

ImageSet list_images(const std::string& path, const FolderOptions& options) {
  const detail::Listing listing = detail::list_folder(path);
  std::vector<std::string> names = image_names(listing);
  if (listing.folders.empty() && names.empty()) {
    throw IoError(path, "holds no PNG or JPEG and no folder of them");
  }
  if (!listing.folders.empty() && !names.empty()) {
    throw IoError(path,
                  "holds images beside sub-folders; one or the other is "
                  "expected");
  }
  if (!listing.folders.empty()) return list_classes(path, listing, options);
  ImageSet set;
  set.sources = std::move(names);
  check_count(set.sources.size(), options, path);
  return set;
}

Image fitted(Image image, const FolderOptions& options,
             const std::string& path) {
  if (options.channels != 0) image = to_channels(image, options.channels);
  const std::size_t height =
      options.height != 0 ? options.height : image.shape.height;
  const std::size_t width =
      options.width != 0 ? options.width : image.shape.width;
  if (height == image.shape.height && width == image.shape.width) return image;
  check_extents(height, width, options.limits, path);
  return resize(image, height, width);
}

void check_same_shape(const ImageSet& set, std::size_t i, const Image& image,
                      const std::string& path) {
  if (image.shape == set.shape) return;
  throw IoError(path, set.sources[i] + " is " + to_string(image.shape) +
                          ", but " + set.sources[0] + " is " +
                          to_string(set.shape) +
                          "; name a size and channels for all");
}

}  // namespace

ImageSet read_image_folder(const std::string& path,
                           const FolderOptions& options) {
  ImageSet set = list_images(path, options);
  const std::size_t count = set.sources.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::string file = (fs::path(path) / set.sources[i]).string();
    const Image image = fitted(read_image(file, options.limits), options, path);
    if (i == 0) {
      set.shape = image.shape;
      check_limits(count, set.shape, options.limits, path);
      set.pixels = Matrix<std::uint8_t>(count, set.shape.size());
    }
    check_same_shape(set, i, image, path);
    std::copy(image.pixels.begin(), image.pixels.end(),
              set.pixels.row(i).begin());
  }
  set.reading = set.labels.empty() ? "PNG or JPEG files"
                                   : "PNG or JPEG files, a folder per class";
  return set;
}

}  // namespace sbog
