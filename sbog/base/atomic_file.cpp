// SPDX-License-Identifier: Apache-2.0
// AtomicFile by the POSIX calls open, write, fsync and rename.
#include "sbog/base/atomic_file.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "sbog/base/errors.h"

namespace sbog {
namespace {

constexpr std::size_t kBufferSize = std::size_t{1} << 16;
constexpr std::size_t kLargestWrite = std::size_t{1} << 30;
// Temporaries are called .sbog-<16 hexadecimal digits>.tmp, whatever they will
// become: a long final name leaves no room for more.
constexpr std::string_view kTemporaryStart = ".sbog-";
constexpr std::string_view kTemporaryEnd = ".tmp";
constexpr std::string_view kDigits = "0123456789abcdef";
constexpr std::size_t kDigitCount = 16;
constexpr int kTries = 100;

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

std::string temporary_name() {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != sizeof number) {
    throw IoError("/dev/urandom", "there are no random numbers to be had");
  }
  std::string name(kTemporaryStart);
  for (std::size_t i = 0; i < kDigitCount; ++i) {
    name += kDigits[(number >> (4 * i)) & 15];
  }
  return name.append(kTemporaryEnd);
}

// A rename would put a file in the place of a device or fail on a folder.
void require_replaceable(const std::string& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) return;
  if (S_ISREG(found.st_mode) || S_ISLNK(found.st_mode)) return;
  throw IoError(path, S_ISDIR(found.st_mode)
                          ? "is a folder; the name of a file is expected"
                          : "is not a regular file, which could be replaced");
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

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {
  require_replaceable(path_);
  const std::string folder = path_.substr(0, path_.rfind('/') + 1);
  for (int i = 0; i < kTries && descriptor_ < 0; ++i) {
    temporary_ = folder + temporary_name();
    descriptor_ =
        ::open(temporary_.c_str(),
               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno != EEXIST) break;
  }
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

bool is_temporary_name(std::string_view name) {
  return name.size() ==
             kTemporaryStart.size() + kDigitCount + kTemporaryEnd.size() &&
         name.starts_with(kTemporaryStart) && name.ends_with(kTemporaryEnd) &&
         name.substr(kTemporaryStart.size(), kDigitCount)
                 .find_first_not_of(kDigits) == std::string_view::npos;
}

void remove_temporaries(const std::string& folder) {
  std::error_code error;
  std::filesystem::directory_iterator entries(folder, error);
  for (; !error && entries != std::filesystem::directory_iterator();
       entries.increment(error)) {
    if (is_temporary_name(entries->path().filename().native())) {
      std::error_code ignored;
      std::filesystem::remove(entries->path(), ignored);
    }
  }
}

std::optional<std::string> read_file_if_there(const std::string& path) {
  std::error_code error;
  // A folder can be opened, but not read.
  if (std::filesystem::is_directory(path, error)) return std::nullopt;
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
