// SPDX-License-Identifier: Apache-2.0
// The main job on embedded data, as the last part of `sbog demo`.
#pragma once

#include <string>
#include <vector>

#include "console.h"

namespace sbog::cli {

/// Words of the `sbog generate` that a demo of this kind ("latent", "series",
/// "image") runs into the folder `out`.
std::vector<std::string> demo_words(const std::string& kind,
                                    const std::string& out);

/// Runs it, or finds it done, and writes its report. Returns the exit code;
/// `report` gets the path. Throws IoError, InvalidArgument.
int demo_run(const std::string& kind, const std::string& out,
             const CommonOptions& common, std::string& report);

}  // namespace sbog::cli
