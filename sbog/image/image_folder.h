// SPDX-License-Identifier: Apache-2.0
// A folder of PNG and JPEG files, with a sub-folder for each class or flat.
#pragma once

#include <cstddef>
#include <string>

#include "sbog/image/image_limits.h"
#include "sbog/image/image_set.h"

namespace sbog {

/// How images of files become images of one shape; 0 leaves as it is.
struct FolderOptions {
  std::size_t height = 0;
  std::size_t width = 0;
  std::size_t channels = 0;
  ImageLimits limits = {};
};

/// The images of a folder. With sub-folders, each of them is a class, in the
/// order of their names by bytes, and what lies deeper is not looked at;
/// without, there are no classes. Images come in the order of their names; a
/// file is an image when it ends in .png, .jpg or .jpeg in any case, and other
/// files are passed over, as are names that begin with a dot. `sources` are
/// paths below the folder. An image that cannot be read, images beside
/// sub-folders, a class or a folder without images, and images of different
/// shapes that the options do not make equal (both files are named) are
/// IoErrors.
ImageSet read_image_folder(const std::string& path,
                           const FolderOptions& options = {});

}  // namespace sbog
