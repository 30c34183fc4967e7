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

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string shell_word(const std::string& text) {
  const bool is_plain =
      !text.empty() &&
      text.find_first_not_of(
          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
          "_-./:,=+@%") == std::string::npos;
  return is_plain ? text : shell_quoted(text);
}

}  // namespace sbog::job
