// SPDX-License-Identifier: Apache-2.0
#include "sbog/image/detail/listing.h"

#include <algorithm>
#include <filesystem>

#include "sbog/base/errors.h"

namespace sbog::detail {

Listing list_folder(const std::string& path) {
  Listing listing;
  try {
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      std::string name = entry.path().filename().string();
      if (name.starts_with('.')) continue;
      std::error_code ignored;  // a link that leads nowhere
      if (entry.is_regular_file(ignored)) {
        listing.files.push_back(std::move(name));
      } else if (entry.is_directory(ignored)) {
        listing.folders.push_back(std::move(name));
      }
    }
  } catch (const std::filesystem::filesystem_error& error) {
    throw IoError(path, "cannot be listed: " + error.code().message());
  }
  std::sort(listing.files.begin(), listing.files.end());
  std::sort(listing.folders.begin(), listing.folders.end());
  return listing;
}

}  // namespace sbog::detail
