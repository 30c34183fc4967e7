// SPDX-License-Identifier: Apache-2.0
// See files.h.
#include "sbog/job/files.h"

#include <filesystem>

#include "sbog/base/errors.h"

namespace sbog::job {

void check_writable(const std::string& path) {
  if (path.empty()) return;
  const std::filesystem::path folder =
      std::filesystem::absolute(path).parent_path();
  if (!std::filesystem::is_directory(folder)) {
    throw IoError(path, "cannot be written: its folder does not exist");
  }
  if (std::filesystem::is_directory(path)) {
    throw IoError(path, "cannot be written: it is a folder");
  }
}

}  // namespace sbog::job
