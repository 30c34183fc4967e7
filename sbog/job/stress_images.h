// SPDX-License-Identifier: Apache-2.0
// The decoded images of a run as the cases of a stress test.
#pragma once

#include "sbog/data/array.h"
#include "sbog/image/image_set.h"
#include "sbog/job/stress_cases.h"

namespace sbog::job {

/// Whether the run has decoded images.
bool has_decoded_images(const FinishedRun& run);

/// Cases and controls: images that lie outside of their class as uint8
/// N x C x H x W, their sources and other images of the run's input, or those
/// of a file. Throws IoError when the run was made from other images than are
/// there now, InvalidArgument when no image lies outside and for controls of
/// another shape.
StressInputs load_image_cases(const FinishedRun& run,
                              const StressInputOptions& options,
                              Events& events);

/// Images as an array of rank 4 and back. Throws InvalidArgument for an array
/// of another type or rank.
Array array_of_images(const ImageSet& images, const std::string& name);
ImageSet images_of_cases(const Array& cases);

}  // namespace sbog::job
