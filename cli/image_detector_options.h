// SPDX-License-Identifier: Apache-2.0
// The command line of detectors of images: which options there are, and which
// of them a score has.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "image_jobs.h"

namespace sbog::cli {

/// Declares the options of `sbog detect train` that are for images only, in a
/// group of their own.
void declare_image_training(CLI::App& command, TrainImageDetectorArguments& a);

/// Whether a detector of images is asked for where no kind is named: options
/// that only images have say so.
bool is_for_images(const TrainImageDetectorArguments& a);

/// Throws InvalidArgument for options that the chosen score does not have, for
/// a score without what it needs and for a level out of range.
void check_image_training(const CLI::App& command,
                          const TrainImageDetectorArguments& a);

}  // namespace sbog::cli
