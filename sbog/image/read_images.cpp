// SPDX-License-Identifier: Apache-2.0
#include "sbog/image/read_images.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "sbog/base/errors.h"
#include "sbog/data/dataset.h"
#include "sbog/data/detail/text.h"
#include "sbog/data/idx.h"
#include "sbog/data/npy.h"
#include "sbog/data/npz.h"
#include "sbog/image/channels.h"
#include "sbog/image/cifar.h"
#include "sbog/image/class_names.h"
#include "sbog/image/decode_image.h"
#include "sbog/image/detail/listing.h"
#include "sbog/image/image_folder.h"
#include "sbog/image/resize.h"

namespace sbog {
namespace {

namespace fs = std::filesystem;

void require_reading(bool condition, const char* expected) {
  if (!condition) {
    throw InvalidArgument(std::string("read_images: ") + expected +
                          " is expected");
  }
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

bool replace_last(std::string& text, const std::string& from,
                  const std::string& to) {
  const std::size_t at = text.rfind(from);
  if (at == std::string::npos) return false;
  text.replace(at, from.size(), to);
  return true;
}

// "train-labels-idx1-ubyte" for "train-images-idx3-ubyte", when it is there.
std::optional<std::string> labels_beside(const fs::path& path) {
  std::string name = path.filename().string();
  if (!replace_last(name, "images", "labels")) return {};
  if (!replace_last(name, "idx3", "idx1")) replace_last(name, "idx4", "idx1");
  const fs::path beside = path.parent_path() / name;
  if (is_there(beside)) return beside.string();
  const fs::path other = name.ends_with(".gz")
                             ? fs::path(beside).replace_extension()
                             : fs::path(beside.string() + ".gz");
  if (is_there(other)) return other.string();
  return {};
}

std::string image_member(const std::vector<std::string>& members,
                         const std::string& path, const std::string& wanted) {
  if (!wanted.empty()) return wanted;
  if (std::find(members.begin(), members.end(), "images") != members.end()) {
    return "images";
  }
  if (members.size() == 1) return members[0];
  throw IoError(path, "holds " + detail::name_list(members) +
                          ", but nothing is called 'images'; name the member");
}

void add_labels(const Array& array, ImageSet& set) {
  set.labels = labels_of_array(array);
  if (set.labels.size() != set.count()) {
    throw IoError(array.name(), "holds " + std::to_string(set.labels.size()) +
                                    " labels for " +
                                    std::to_string(set.count()) +
                                    " images; one for each is expected");
  }
}

ImageSet read_npz_images(const std::string& path,
                         const ReadImagesOptions& options,
                         const ArrayImageOptions& array_options) {
  const std::vector<std::string> members = npz_members(path);
  const std::uint64_t cap = options.limits.max_bytes;
  const Array images =
      read_npz(path, image_member(members, path, options.member), cap);
  ImageSet set = images_of_array(images, array_options);
  const bool has_labels =
      std::find(members.begin(), members.end(), "labels") != members.end();
  if (options.labels.empty() && options.finds_labels && has_labels) {
    add_labels(read_npz(path, "labels", cap), set);
  }
  return set;
}

Array read_plain_array(const std::string& path, FileFormat format,
                       const ReadImagesOptions& options) {
  if (format == FileFormat::kNpy) return read_npy(path);
  if (format == FileFormat::kIdx) {
    return read_idx(path, options.limits.max_bytes);
  }
  throw IoError(path,
                "holds no images; npy, npz, idx, CIFAR records, PNG, "
                "JPEG or a folder of them are expected");
}

ImageSet read_array_images(const std::string& path,
                           const ReadImagesOptions& options) {
  const ArrayImageOptions array_options{options.layout, options.range,
                                        options.limits};
  const FileFormat format = detect_format(path);
  if (format == FileFormat::kNpz) {
    return read_npz_images(path, options, array_options);
  }
  ImageSet set =
      images_of_array(read_plain_array(path, format, options), array_options);
  if (options.labels.empty() && options.finds_labels) {
    const auto beside = labels_beside(path);
    if (beside) {
      add_labels(read_plain_array(*beside, detect_format(*beside), options),
                 set);
    }
  }
  return set;
}

ImageSet read_one_image(const std::string& path,
                        const ReadImagesOptions& options) {
  const Image image = read_image(path, options.limits);
  ImageSet set;
  set.shape = image.shape;
  set.pixels = Matrix<std::uint8_t>(1, image.shape.size());
  std::copy(image.pixels.begin(), image.pixels.end(), set.pixels.data());
  set.sources.push_back(fs::path(path).filename().string());
  set.reading = "one PNG or JPEG file";
  return set;
}

bool has_ending(const std::string& name, std::string_view ending) {
  return name.size() >= ending.size() &&
         std::equal(ending.rbegin(), ending.rend(), name.rbegin(),
                    [](char a, char b) {
                      return a == (b >= 'A' && b <= 'Z' ? b - 'A' + 'a' : b);
                    });
}

ImageSet read_any(const std::string& path, const ReadImagesOptions& options) {
  const CifarOptions cifar{options.cifar_classes, options.limits};
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    const auto files = detail::list_folder(path).files;
    const bool is_cifar =
        std::any_of(files.begin(), files.end(),
                    [](const auto& name) { return has_ending(name, ".bin"); });
    if (is_cifar) return read_cifar(path, cifar);
    return read_image_folder(path, {options.height, options.width,
                                    options.channels, options.limits});
  }
  if (has_ending(path, ".bin")) return read_cifar(path, cifar);
  for (const char* ending : {".png", ".jpg", ".jpeg"}) {
    if (has_ending(path, ending)) return read_one_image(path, options);
  }
  return read_array_images(path, options);
}

ImageSet fitted(ImageSet set, const ReadImagesOptions& options,
                const std::string& path) {
  const ImageShape wanted = {
      options.channels != 0 ? options.channels : set.shape.channels,
      options.height != 0 ? options.height : set.shape.height,
      options.width != 0 ? options.width : set.shape.width};
  check_limits(set.count(), wanted, options.limits, path);
  if (wanted.channels != set.shape.channels) {
    set = to_channels(set, wanted.channels);
  }
  if (wanted == set.shape) return set;
  return resize(set, wanted.height, wanted.width);
}

}  // namespace

void check_options(const ReadImagesOptions& options) {
  require_reading(
      options.channels == 0 || options.channels == 1 || options.channels == 3,
      "channels 0, 1 or 3");
  require_reading(options.cifar_classes == 0 || options.cifar_classes == 10 ||
                      options.cifar_classes == 100,
                  "cifar_classes 0, 10 or 100");
  require_reading(options.height <= 65535 && options.width <= 65535,
                  "a height and a width up to 65535");
}

ImageSet read_images(const fs::path& path, const ReadImagesOptions& options) {
  check_options(options);
  const std::string name = path.string();
  ImageSet set = fitted(read_any(name, options), options, name);
  if (!options.labels.empty()) {
    ReadOptions read;
    read.max_inflated_bytes = options.limits.max_bytes;
    add_labels(read_array(options.labels, read), set);
    set.class_names.clear();
  }
  if (!options.class_names.empty()) {
    set.class_names = read_class_names(options.class_names);
  }
  const std::size_t classes = set.class_names.size();
  for (const std::int32_t label : set.labels) {
    if (classes != 0 && static_cast<std::size_t>(label) >= classes) {
      throw IoError(name, "has an image of class " + std::to_string(label) +
                              ", but only " + std::to_string(classes) +
                              " class names are there");
    }
  }
  return set;
}

}  // namespace sbog
