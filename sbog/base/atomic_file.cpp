// SPDX-License-Identifier: Apache-2.0
// AtomicFile by the POSIX calls open, write, fsync and rename.
#include "sbog/base/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "sbog/base/errors.h"

namespace sbog {
namespace {

constexpr std::size_t kBufferSize = std::size_t{1} << 16;
constexpr std::size_t kLargestWrite = std::size_t{1} << 30;

[[noreturn]] void fail(const std::string& path, const std::string& step) {
  const int code = errno;
  throw IoError(path,
                step + " (" + std::generic_category().message(code) + ")");
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// Makes the rename durable. A folder that cannot be opened for reading, or a
/// file system without folder sync, is no reason to fail: the file is there.
void sync_folder(const std::string& path) {
  const int folder =
      ::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  const bool is_lost = ::fsync(folder) != 0 && errno == EIO;
  ::close(folder);
  if (is_lost) {
    errno = EIO;
    fail(path, "cannot sync the folder of the file");
  }
}

}  // namespace

AtomicFile::AtomicFile(std::string path)
    : path_(std::move(path)), temporary_(path_ + ".tmp") {
  descriptor_ = ::open(temporary_.c_str(),
                       O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(path_, "cannot open the file for writing");
  is_temporary_there_ = true;
}

AtomicFile::~AtomicFile() {
  close_file();
  if (is_temporary_there_) ::unlink(temporary_.c_str());
}

void AtomicFile::require_open() const {
  if (descriptor_ >= 0) return;
  throw InvalidArgument("AtomicFile: " + path_ +
                        " is no longer open for writing");
}

void AtomicFile::write(const void* data, std::size_t size) {
  require_open();
  const char* bytes = static_cast<const char*>(data);
  if (size >= kBufferSize) {
    flush();
    write_through(bytes, size);
    return;
  }
  if (size != 0) buffer_.append(bytes, size);
  if (buffer_.size() >= kBufferSize) flush();
}

void AtomicFile::write(std::string_view text) {
  write(text.data(), text.size());
}

void AtomicFile::write_through(const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t done =
        ::write(descriptor_, data, std::min(size, kLargestWrite));
    if (done < 0) {
      if (errno == EINTR) continue;
      fail(path_, "cannot write the file");
    }
    data += done;
    size -= static_cast<std::size_t>(done);
  }
}

void AtomicFile::flush() {
  write_through(buffer_.data(), buffer_.size());
  buffer_.clear();
}

void AtomicFile::commit() {
  require_open();
  flush();
  if (::fsync(descriptor_) != 0) fail(path_, "cannot sync the file");
  if (::close(std::exchange(descriptor_, -1)) != 0) {
    fail(path_, "cannot close the file");
  }
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) {
    fail(path_, "cannot rename the temporary file to its final name");
  }
  is_temporary_there_ = false;
  sync_folder(path_);
}

void AtomicFile::close_file() noexcept {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

std::optional<std::string> read_file_if_there(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::string read_file(const std::string& path) {
  auto content = read_file_if_there(path);
  if (!content) throw IoError(path, "cannot be opened");
  return *std::move(content);
}

void write_file_atomically(const std::string& path, std::string_view content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

}  // namespace sbog
