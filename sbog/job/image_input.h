// SPDX-License-Identifier: Apache-2.0
// Reading images for every job that takes them: a file or folder, or embedded
// ones that are drawn when asked for,
//   demo:shapes        1,600 grey images of eight classes, 28 x 28
//   demo:shapes-test   400 more of the same classes
//   demo:unseen, demo:stripes, demo:checker, demo:noise, demo:blobs,
//   demo:inverted, demo:rotated    as many of something else
#pragma once

#include <string>

#include "sbog/image/image_set.h"
#include "sbog/job/events.h"
#include "sbog/job/image_options.h"

namespace sbog::job {

/// Whether `data` names an embedded set of images.
bool is_embedded_images(const std::string& data);

/// Reads images and notes how an array was understood. `labels` is a file with
/// the class of each image; empty: what the format of `data` carries. Throws
/// IoError, InvalidArgument.
ImageSet load_images(const std::string& data, const std::string& labels,
                     const ImageInput& input, Events& events);

/// The same for images of at least two classes; throws InvalidArgument also
/// when there are fewer.
ImageSet load_known_classes(const std::string& data, const std::string& labels,
                            const ImageInput& input, Events& events);

}  // namespace sbog::job
