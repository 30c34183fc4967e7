// SPDX-License-Identifier: Apache-2.0
// Reading images named on the command line, for every command that takes them:
// a file or folder, or embedded ones that are drawn when asked for,
//   demo:shapes        1,600 grey images of eight classes, 28 x 28
//   demo:shapes-test   400 more of the same classes
//   demo:unseen, demo:stripes, demo:checker, demo:noise, demo:blobs,
//   demo:inverted, demo:rotated    as many of something else
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>

#include "console.h"
#include "sbog/image/image_set.h"

namespace sbog::cli {

/// Which images, and how to read them.
struct ImageInput {
  std::string data;
  std::string labels;       ///< a file; empty: what the format carries
  std::string class_names;  ///< a text with one name per line
  std::size_t side = 0;     ///< resize to side x side; 0: as they are
  std::size_t limit = 0;    ///< images per class at most; 0: all
};

/// Declares the options, in a group unless it is empty; not the positional
/// argument.
void declare_image_options(CLI::App& command, ImageInput& input,
                           const std::string& group);

/// Whether the spec is one of the embedded sets.
bool is_embedded_images(const std::string& spec);

/// Reads them and notes how an array was understood. Throws IoError,
/// InvalidArgument.
ImageSet load_images(const ImageInput& input, const Console& console);

/// The same, of at least two classes. Throws InvalidArgument also when there
/// are fewer.
ImageSet load_known_classes(const ImageInput& input, const Console& console);

}  // namespace sbog::cli
