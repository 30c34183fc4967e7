// SPDX-License-Identifier: Apache-2.0
// FolderLock by flock on the folder itself.
#include "sbog/base/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "sbog/base/errors.h"

namespace sbog {

void refuse_link(const std::string& path) {
  std::error_code error;
  // With a slash at its end a path names what a link leads to.
  const std::filesystem::path named(path);
  if (!std::filesystem::is_symlink(
          named.has_filename() ? named : named.parent_path(), error)) {
    return;
  }
  throw IoError(path,
                "is a symbolic link, which is not followed here; name the "
                "folder that it leads to");
}

FolderLock::FolderLock(const std::string& folder) {
  refuse_link(folder);
  descriptor_ =
      ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor_ < 0) {
    const int code = errno;
    throw IoError(folder, "cannot be opened (" +
                              std::generic_category().message(code) + ")");
  }
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
  if (errno != EWOULDBLOCK) return;
  ::close(descriptor_);
  throw IoError(folder, "is in use by another process of sbog");
}

FolderLock::~FolderLock() { ::close(descriptor_); }

}  // namespace sbog
