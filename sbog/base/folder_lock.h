// SPDX-License-Identifier: Apache-2.0
// A folder that one process at a time writes to.
#pragma once

#include <string>

namespace sbog {

/// Holds a folder from construction to destruction. Other processes that ask
/// for it are refused at once; the system gives it back when the process ends,
/// however it ends. Nothing is written to the folder. File systems that know no
/// locks are used without.
class FolderLock {
 public:
  /// Throws IoError when the folder cannot be opened, is a symbolic link or is
  /// held by another process (or another lock of this one).
  explicit FolderLock(const std::string& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_ = -1;
};

/// Throws IoError when the path is a symbolic link.
void refuse_link(const std::string& path);

}  // namespace sbog
