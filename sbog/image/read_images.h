// SPDX-License-Identifier: Apache-2.0
// One way to read images, whatever the format of their files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "sbog/image/array_images.h"
#include "sbog/image/image_limits.h"
#include "sbog/image/image_set.h"

namespace sbog {

/// How images are read.
struct ReadImagesOptions {
  /// "FILE" or "FILE:NAME" (npz, safetensors) with one label per image, in
  /// place of classes that the format carries. Empty: see finds_labels.
  std::string labels;
  /// Without `labels`: take the member "labels" of an npz, or the file beside
  /// whose name has "labels" for the last "images" (and idx1 for idx3), with or
  /// without .gz.
  bool finds_labels = true;
  /// A text with one class name per line; empty: what the format carries.
  std::string class_names;
  /// Member of an npz; empty: "images", or the only one there is.
  std::string member;
  PixelLayout layout = PixelLayout::kAuto;  ///< npy and npz of rank 4
  PixelRange range = PixelRange::kAuto;     ///< npy and npz
  std::size_t cifar_classes = 0;  ///< 10 or 100; 0: by the size of the file
  std::size_t height = 0;         ///< resize to this; 0: as it is
  std::size_t width = 0;          ///< resize to this; 0: as it is
  std::size_t channels = 0;       ///< 1 or 3; 0: as it is
  ImageLimits limits = {};
};

/// Throws InvalidArgument unless channels is 0, 1 or 3, cifar_classes 0, 10 or
/// 100 and the extents are at most 65,535.
void check_options(const ReadImagesOptions& options);

/// Reads images, by what `path` is:
/// - a folder with .bin files: CIFAR records, see read_cifar;
/// - another folder: PNG and JPEG files, see read_image_folder;
/// - a file ending in .bin: CIFAR records;
/// - a file ending in .png, .jpg or .jpeg: one image;
/// - else npy, npz or idx, also gzipped, see images_of_array.
/// Every fault of a file is an IoError of one sentence that begins with its
/// path; nothing is allocated for a claim that exceeds the limits. Throws
/// InvalidArgument for options out of range.
ImageSet read_images(const std::filesystem::path& path,
                     const ReadImagesOptions& options = {});

}  // namespace sbog
