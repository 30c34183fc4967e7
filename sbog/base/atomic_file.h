// SPDX-License-Identifier: Apache-2.0
// Files that are either complete or not there: written beside the final name,
// synced, then renamed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sbog {

/// Writes to a new file of an unguessable name in the same folder; commit()
/// gives the file its final name. Without a commit the temporary is removed and
/// the final name is left as it was. No link is followed: neither is a file
/// that somebody placed under a guessed name written to, nor what a link under
/// the final name leads to; the link is replaced. Every failure throws IoError
/// with the path.
class AtomicFile {
 public:
  /// Opens the temporary. What is under the final name must be a file or a
  /// link, if anything.
  explicit AtomicFile(std::string path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  /// Appends bytes. Throws InvalidArgument after commit().
  void write(const void* data, std::size_t size);
  void write(std::string_view text);

  /// Syncs the file, renames it and syncs its folder. Call it once.
  void commit();

  /// The final name.
  const std::string& path() const { return path_; }

 private:
  void require_open() const;
  void write_through(const char* data, std::size_t size);
  void flush();
  void close_file() noexcept;

  std::string path_;
  std::string temporary_;
  std::string buffer_;
  int descriptor_ = -1;
  bool is_temporary_there_ = false;
};

/// Whether a file name is one that AtomicFile gives to its temporaries. A
/// killed process leaves such a file behind.
bool is_temporary_name(std::string_view name);

/// Removes such files from a folder, which nobody else may be writing to; a
/// folder that is not there is empty.
void remove_temporaries(const std::string& folder);

/// The whole content of a file; throws IoError when it cannot be opened.
std::string read_file(const std::string& path);
/// The same; nothing when it cannot be opened.
std::optional<std::string> read_file_if_there(const std::string& path);

/// The whole file in one call.
void write_file_atomically(const std::string& path, std::string_view content);

}  // namespace sbog
