// SPDX-License-Identifier: Apache-2.0
// The binary files of CIFAR-10 and CIFAR-100.
//
//   label          1 byte (CIFAR-10), or coarse and fine label, 2 bytes
//   pixels         3072 bytes: 32 x 32 red, then green, then blue
// and so on, record after record.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "sbog/image/image_limits.h"
#include "sbog/image/image_set.h"

namespace sbog {

/// How records are read.
struct CifarOptions {
  /// 10 or 100; 0: by the size of the file, which tells unless it is a
  /// multiple of both record sizes.
  std::size_t classes = 0;
  ImageLimits limits = {};
};

/// The images of such bytes; labels are the fine ones. A size that is no
/// multiple of a record, no records, a label out of range and what exceeds the
/// limits are IoErrors that begin with `name`. Throws InvalidArgument for
/// another number of classes.
ImageSet parse_cifar(std::span<const std::byte> bytes, const std::string& name,
                     const CifarOptions& options = {});

/// One file, or all files of a folder that end in ".bin", sorted by name.
/// From a folder, files whose name begins with "test" are left out when there
/// are others; name them to read them. Class names come from
/// "batches.meta.txt" or "fine_label_names.txt" in the folder when that has
/// one line for each class.
ImageSet read_cifar(const std::string& path, const CifarOptions& options = {});

}  // namespace sbog
