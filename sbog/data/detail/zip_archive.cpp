// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/detail/zip_archive.h"

#include <zip.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/data/detail/text.h"

namespace sbog::detail {
namespace {

constexpr zip_int64_t kMaxMembers = 65536;
constexpr std::size_t kMaxName = 1024;
constexpr std::size_t kEndAndComment = 22 + 65535;

// What libzip reads from. It also remembers where the last read began, which
// libzip does not tell: there a stored member lies in the file.
struct MemorySource {
  std::span<const std::byte> bytes;
  std::size_t position = 0;
  std::size_t last_read = 0;
  zip_error_t error{};

  zip_int64_t read(void* out, std::size_t count) {
    count = std::min(count, bytes.size() - position);
    last_read = position;
    if (count > 0) std::memcpy(out, bytes.data() + position, count);
    position += count;
    return static_cast<zip_int64_t>(count);
  }

  zip_int64_t seek(void* arguments, zip_uint64_t length) {
    const zip_int64_t place = zip_source_seek_compute_offset(
        position, bytes.size(), arguments, length, &error);
    if (place < 0) return -1;
    position = static_cast<std::size_t>(place);
    return 0;
  }

  zip_int64_t stat(void* out) const {
    auto* facts = static_cast<zip_stat_t*>(out);
    zip_stat_init(facts);
    facts->valid = ZIP_STAT_SIZE;
    facts->size = bytes.size();
    return static_cast<zip_int64_t>(sizeof(*facts));
  }
};

// The callback of zip_source_function_create.
zip_int64_t answer(void* user, void* data, zip_uint64_t length,
                   zip_source_cmd_t command) {
  auto& source = *static_cast<MemorySource*>(user);
  switch (command) {
    case ZIP_SOURCE_OPEN:
      source.position = 0;
      return 0;
    case ZIP_SOURCE_READ:
      return source.read(data, length);
    case ZIP_SOURCE_SEEK:
      return source.seek(data, length);
    case ZIP_SOURCE_TELL:
      return static_cast<zip_int64_t>(source.position);
    case ZIP_SOURCE_STAT:
      return source.stat(data);
    case ZIP_SOURCE_ERROR:
      return zip_error_to_data(&source.error, data, length);
    case ZIP_SOURCE_SUPPORTS:
      return zip_source_make_command_bitmap(
          ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT,
          ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL,
          ZIP_SOURCE_SUPPORTS, ZIP_SOURCE_ACCEPT_EMPTY, -1);
    case ZIP_SOURCE_CLOSE:
    case ZIP_SOURCE_FREE:          // the archive owns the source
    case ZIP_SOURCE_ACCEPT_EMPTY:  // an empty file is no archive
      return 0;
    default:
      zip_error_set(&source.error, ZIP_ER_OPNOTSUPP, 0);
      return -1;
  }
}

struct CloseArchive {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct CloseMember {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using ArchiveHandle = std::unique_ptr<zip_t, CloseArchive>;
using MemberHandle = std::unique_ptr<zip_file_t, CloseMember>;

struct OpenedArchive {
  ArchiveHandle archive;  // null on failure
  int code = ZIP_ER_OK;   // why
};

OpenedArchive open_archive(MemorySource& memory, int flags) {
  zip_error_t error{};
  zip_source_t* source = zip_source_function_create(answer, &memory, &error);
  if (source == nullptr) throw std::bad_alloc();
  OpenedArchive opened;
  opened.archive.reset(
      zip_open_from_source(source, ZIP_RDONLY | flags, &error));
  opened.code = zip_error_code_zip(&error);
  zip_error_fini(&error);
  if (opened.archive == nullptr) zip_source_free(source);
  return opened;
}

bool has_end_record(std::span<const std::byte> bytes) {
  const auto tail = bytes.last(std::min(bytes.size(), kEndAndComment));
  return as_text(tail).find("PK\x05\x06") != std::string_view::npos;
}

std::string raw_name(zip_t* archive, zip_uint64_t index) {
  const char* text = zip_get_name(archive, index, ZIP_FL_ENC_RAW);
  return text == nullptr ? "" : text;
}

ZipMember read_member(zip_t* archive, zip_uint64_t index,
                      const std::string& name) {
  zip_stat_t facts;
  zip_stat_init(&facts);
  if (zip_stat_index(archive, index, ZIP_FL_ENC_RAW, &facts) != 0) {
    throw IoError(name, "the zip directory is damaged");
  }
  ZipMember member;
  member.name = raw_name(archive, index);
  if (member.name.size() > kMaxName) {
    throw IoError(name, "a member name in the zip file is too long");
  }
  member.index = index;
  member.method = facts.comp_method;
  member.is_encrypted = facts.encryption_method != ZIP_EM_NONE;
  member.crc = facts.crc;
  member.compressed_size = facts.comp_size;
  member.size = facts.size;
  return member;
}

void check_method(const ZipMember& member, const std::string& name) {
  if (member.is_encrypted) {
    throw IoError(name, "the member " + quote(member.name) + " is encrypted");
  }
  if (member.method != ZIP_CM_STORE && member.method != ZIP_CM_DEFLATE) {
    throw IoError(name, "the member " + quote(member.name) +
                            " is compressed by method " +
                            std::to_string(member.method) +
                            "; stored and deflated are accepted");
  }
  if (member.method == ZIP_CM_STORE && member.size != member.compressed_size) {
    throw IoError(name, "the stored member " + quote(member.name) +
                            " has two different sizes");
  }
}

// Names the fault of an archive that libzip opens only without its checks.
[[noreturn]] void refuse_members(zip_t* archive, const std::string& name) {
  std::unordered_set<std::string> seen;
  const zip_int64_t count = zip_get_num_entries(archive, 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<zip_uint64_t>(i);
    const ZipMember member = read_member(archive, index, name);
    if (!seen.insert(member.name).second) {
      throw IoError(name, "the member " + quote(member.name) +
                              " is in the zip file twice");
    }
    check_method(member, name);
    const MemberHandle file(zip_fopen_index(archive, index, ZIP_FL_COMPRESSED));
    if (file == nullptr) {
      throw IoError(name, "the member " + quote(member.name) +
                              " is not where the zip directory says");
    }
  }
  throw IoError(name,
                "the header of a member, or the end of the file, disagrees "
                "with the zip directory");
}

[[noreturn]] void refuse_archive(MemorySource& memory, int code,
                                 const std::string& name) {
  if (code == ZIP_ER_MEMORY) throw std::bad_alloc();
  if (code == ZIP_ER_MULTIDISK) {
    throw IoError(name, "is a zip file of several parts; one is expected");
  }
  if (!has_end_record(memory.bytes)) {
    throw IoError(name, "is not a zip file: it has no end record");
  }
  if (const auto opened = open_archive(memory, 0); opened.archive != nullptr) {
    refuse_members(opened.archive.get(), name);
  }
  throw IoError(name,
                "the zip directory is damaged or not where the file says");
}

[[noreturn]] void refuse_data(zip_error_t& error, const std::string& name) {
  switch (zip_error_code_zip(&error)) {
    case ZIP_ER_MEMORY:
      throw std::bad_alloc();
    case ZIP_ER_CRC:
      throw IoError(name, "the checksum does not match; the file is damaged");
    case ZIP_ER_EOF:
      throw IoError(name, "the compressed data end too early");
    default:
      throw IoError(name, std::string("the compressed data are damaged (") +
                              zip_error_strerror(&error) + ")");
  }
}

MemberHandle open_member(zip_t* archive, const ZipMember& member,
                         zip_flags_t flags, const std::string& name) {
  check_method(member, name);
  MemberHandle file(zip_fopen_index(archive, member.index, flags));
  if (file == nullptr) refuse_data(*zip_get_error(archive), name);
  return file;
}

class MemberSource : public ByteSource {
 public:
  MemberSource(MemberHandle file, const std::string& name)
      : ByteSource(name), file_(std::move(file)) {}

  std::size_t read(std::span<std::byte> out) override {
    std::size_t done = 0;
    while (done < out.size()) {
      const auto count =
          zip_fread(file_.get(), out.data() + done, out.size() - done);
      if (count < 0) refuse_data(*zip_file_get_error(file_.get()), name());
      if (count == 0) break;
      done += static_cast<std::size_t>(count);
    }
    return done;
  }

  // Reading at the end is what makes libzip compare size and checksum.
  void expect_end() override { expect_no_more(); }

 private:
  MemberHandle file_;
};

}  // namespace

struct ZipArchive::State {
  MemorySource memory;
  ArchiveHandle archive;
};

ZipArchive::ZipArchive(std::span<const std::byte> bytes,
                       const std::string& name)
    : state_(std::make_unique<State>()) {
  state_->memory.bytes = bytes;
  OpenedArchive opened = open_archive(state_->memory, ZIP_CHECKCONS);
  if (opened.archive == nullptr) {
    refuse_archive(state_->memory, opened.code, name);
  }
  state_->archive = std::move(opened.archive);
  zip_t* archive = state_->archive.get();
  const zip_int64_t count = zip_get_num_entries(archive, 0);
  if (count > kMaxMembers) {
    throw IoError(name, "the zip file claims " + std::to_string(count) +
                            " members; at most 65,536 are accepted");
  }
  for (zip_int64_t i = 0; i < count; ++i) {
    members_.push_back(
        read_member(archive, static_cast<zip_uint64_t>(i), name));
  }
}

ZipArchive::~ZipArchive() = default;

std::span<const std::byte> ZipArchive::stored_data(
    const ZipMember& member, const std::string& name) const {
  const MemberHandle file =
      open_member(state_->archive.get(), member, ZIP_FL_COMPRESSED, name);
  if (member.size == 0) return {};
  std::byte first;
  if (zip_fread(file.get(), &first, 1) != 1) {
    refuse_data(*zip_file_get_error(file.get()), name);
  }
  const auto behind = state_->memory.bytes.subspan(state_->memory.last_read);
  if (member.size > behind.size()) {
    throw IoError(name,
                  "the file ends inside the member " + quote(member.name));
  }
  const auto data = behind.first(static_cast<std::size_t>(member.size));
  if (crc32(data) != member.crc) {
    throw IoError(name, "the checksum does not match; the file is damaged");
  }
  return data;
}

std::unique_ptr<ByteSource> ZipArchive::open(const ZipMember& member,
                                             const std::string& name) const {
  return std::make_unique<MemberSource>(
      open_member(state_->archive.get(), member, 0, name), name);
}

}  // namespace sbog::detail
