// SPDX-License-Identifier: Apache-2.0
// What lies in a folder, in an order that does not depend on the file system.
#pragma once

#include <string>
#include <vector>

namespace sbog::detail {

/// Names in a folder, each list sorted by bytes. Names that begin with a dot
/// are left out, and so is what is neither a file nor a folder; links count as
/// what they lead to.
struct Listing {
  std::vector<std::string> files;
  std::vector<std::string> folders;
};

/// Throws IoError when the folder cannot be read.
Listing list_folder(const std::string& path);

}  // namespace sbog::detail
