// SPDX-License-Identifier: Apache-2.0
#include "sbog/image/cifar.h"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "sbog/base/errors.h"
#include "sbog/data/detail/mapped_file.h"
#include "sbog/image/class_names.h"
#include "sbog/image/detail/listing.h"

namespace sbog {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPixels = 3072;
constexpr std::size_t kCoarseClasses = 20;

std::size_t record_size(std::size_t classes) {
  return kPixels + (classes == 10 ? 1 : 2);
}

std::size_t classes_by_size(std::size_t size, const std::string& name) {
  const bool is_10 = size % record_size(10) == 0;
  const bool is_100 = size % record_size(100) == 0;
  if (size == 0 || (!is_10 && !is_100)) {
    throw IoError(name, "has " + std::to_string(size) +
                            " bytes; records of 3073 (CIFAR-10) or 3074 bytes "
                            "(CIFAR-100) are expected");
  }
  if (is_10 && is_100) {
    throw IoError(name,
                  "may be CIFAR-10 or CIFAR-100 by its size; name the "
                  "number of classes");
  }
  return is_10 ? 10 : 100;
}

std::size_t class_count_of(std::size_t size, const std::string& name,
                           std::size_t classes) {
  if (classes == 0) return classes_by_size(size, name);
  if (classes != 10 && classes != 100) {
    throw InvalidArgument("cifar: " + std::to_string(classes) +
                          " classes were given; 10 or 100 is expected");
  }
  if (size == 0 || size % record_size(classes) != 0) {
    throw IoError(name, "has " + std::to_string(size) + " bytes; records of " +
                            std::to_string(record_size(classes)) +
                            " bytes are expected");
  }
  return classes;
}

std::int32_t label_of(std::span<const std::byte> record, std::size_t classes,
                      std::size_t index, const std::string& name) {
  const bool has_coarse = classes == 100;
  const auto label = std::to_integer<std::size_t>(record[has_coarse ? 1 : 0]);
  const auto coarse = has_coarse ? std::to_integer<std::size_t>(record[0]) : 0;
  if (label >= classes || coarse >= kCoarseClasses) {
    throw IoError(name, "the label of image " + std::to_string(index) +
                            " is out of range; 0 to " +
                            std::to_string(classes - 1) + " is expected");
  }
  return static_cast<std::int32_t>(label);
}

// Appends the records of one file from row `row` of the set on.
void fill(std::span<const std::byte> bytes, const std::string& name,
          std::size_t classes, std::size_t row, ImageSet& set) {
  const std::size_t size = record_size(classes);
  for (std::size_t i = 0; i < bytes.size() / size; ++i) {
    const auto record = bytes.subspan(i * size, size);
    set.labels.push_back(label_of(record, classes, i, name));
    const auto* pixels =
        reinterpret_cast<const std::uint8_t*>(&record[size - kPixels]);
    std::copy_n(pixels, kPixels, set.pixels.row(row + i).data());
  }
}

// Several files as one set. They are of one kind.
ImageSet join(const std::vector<detail::FileBytes>& files,
              const std::string& name, const CifarOptions& options) {
  std::size_t classes = options.classes;
  std::size_t count = 0;
  for (const auto& file : files) {
    classes = class_count_of(file.bytes.size(), file.name, classes);
    count += file.bytes.size() / record_size(classes);
  }
  ImageSet set;
  set.shape = {3, 32, 32};
  check_limits(count, set.shape, options.limits, name);
  set.pixels = Matrix<std::uint8_t>(count, kPixels);
  for (const auto& file : files) {
    fill(file.bytes, file.name, classes, set.labels.size(), set);
  }
  set.reading = "CIFAR-" + std::to_string(classes) + " records";
  return set;
}

std::vector<std::string> record_files(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& name : detail::list_folder(folder).files) {
    if (name.ends_with(".bin")) files.push_back(name);
  }
  std::vector<std::string> others;
  std::copy_if(files.begin(), files.end(), std::back_inserter(others),
               [](const auto& name) { return !name.starts_with("test"); });
  return others.empty() ? files : others;
}

void add_class_names(const fs::path& folder, std::size_t classes,
                     ImageSet& set) {
  for (const char* name : {"batches.meta.txt", "fine_label_names.txt"}) {
    if (!fs::exists(folder / name)) continue;
    auto names = read_class_names((folder / name).string());
    if (names.size() == classes) set.class_names = std::move(names);
  }
}

}  // namespace

ImageSet parse_cifar(std::span<const std::byte> bytes, const std::string& name,
                     const CifarOptions& options) {
  return join({{name, bytes, nullptr}}, name, options);
}

ImageSet read_cifar(const std::string& path, const CifarOptions& options) {
  if (!fs::is_directory(path)) {
    return join({detail::map_file(path)}, path, options);
  }
  std::vector<detail::FileBytes> files;
  for (const std::string& name : record_files(path)) {
    files.push_back(detail::map_file((fs::path(path) / name).string()));
  }
  if (files.empty()) {
    throw IoError(path,
                  "holds no file that ends in .bin; CIFAR records are "
                  "expected");
  }
  ImageSet set = join(files, path, options);
  const bool is_100 = set.reading.starts_with("CIFAR-100");
  add_class_names(path, is_100 ? 100 : 10, set);
  return set;
}

}  // namespace sbog
