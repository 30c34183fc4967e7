// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/detail/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <system_error>

#include "sbog/base/errors.h"

namespace sbog::detail {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

class Descriptor {
 public:
  // O_NONBLOCK: opening a pipe that nobody writes to must not hang.
  explicit Descriptor(const std::string& path)
      : path_(path),
        fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (fd_ < 0) throw IoError(path, "cannot be opened: " + reason(errno));
  }
  ~Descriptor() { ::close(fd_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }

  std::size_t regular_size() const {
    struct stat status {};
    if (::fstat(fd_, &status) != 0) {
      throw IoError(path_, "cannot be examined: " + reason(errno));
    }
    if (S_ISDIR(status.st_mode)) {
      throw IoError(path_, "is a directory; a regular file is expected");
    }
    if (!S_ISREG(status.st_mode)) {
      throw IoError(path_, "is not a regular file");
    }
    const auto size = static_cast<std::uint64_t>(status.st_size);
    if (size > static_cast<std::uint64_t>(
                   std::numeric_limits<std::ptrdiff_t>::max())) {
      throw IoError(path_, "is too large to be mapped");
    }
    return static_cast<std::size_t>(size);
  }

 private:
  const std::string& path_;
  int fd_;
};

}  // namespace

std::shared_ptr<std::byte> allocate_bytes(std::size_t count) {
  constexpr std::align_val_t kAlignment{64};
  auto* memory = static_cast<std::byte*>(
      ::operator new(std::max<std::size_t>(count, 1), kAlignment));
  return {memory, [](std::byte* p) { ::operator delete(p, kAlignment); }};
}

std::shared_ptr<const std::byte> FileBytes::share(std::size_t offset,
                                                  std::size_t count) const {
  const std::byte* begin = bytes.data() + offset;
  if (owner) return {owner, begin};
  auto copy = allocate_bytes(count);
  std::copy_n(begin, count, copy.get());
  return copy;
}

FileBytes map_file(const std::string& path) {
  const Descriptor file(path);
  const std::size_t size = file.regular_size();
  if (size == 0) return {path, {}, std::make_shared<char>(), true};
  void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (memory == MAP_FAILED) {
    throw IoError(path, "cannot be mapped: " + reason(errno));
  }
  std::shared_ptr<const void> owner(
      memory, [size](const void* p) { ::munmap(const_cast<void*>(p), size); });
  if (file.regular_size() != size) {
    throw IoError(path, "changed its size while it was being opened");
  }
  const auto* begin = static_cast<const std::byte*>(memory);
  return {path, {begin, size}, std::move(owner), true};
}

}  // namespace sbog::detail
