// SPDX-License-Identifier: Apache-2.0
// `sbog certify RUN` for other commands.
#pragma once

#include <string>

#include "console.h"

namespace sbog::cli {

/// Certifies the outliers of a run folder with the defaults of the command, but
/// without the bootstrap, and writes certificate.json into it. `bank` as in
/// open_run. Returns the exit code. Throws IoError, InvalidArgument when
/// nothing can be certified.
int certify_run(const std::string& folder, const std::string& bank,
                const CommonOptions& common);

}  // namespace sbog::cli
