// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/dataset.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "sbog/base/errors.h"
#include "sbog/data/detail/mapped_file.h"
#include "sbog/data/detail/text.h"
#include "sbog/data/idx.h"
#include "sbog/data/npy.h"
#include "sbog/data/npz.h"
#include "sbog/data/safetensors.h"

namespace sbog {
namespace {

struct Spec {
  std::string path;
  std::string member;
};

bool is_there(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

// Cuts at the last colon whose left side is a file; the name of a member may
// hold colons as well as the path.
Spec split_spec(const std::string& spec) {
  if (is_there(spec)) return {spec, ""};
  for (std::size_t at = spec.rfind(':'); at != std::string::npos && at != 0;
       at = spec.rfind(':', at - 1)) {
    const std::string path = spec.substr(0, at);
    if (is_there(path)) return {path, spec.substr(at + 1)};
  }
  return {spec, ""};
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

FileFormat format_by_content(const std::string& path) {
  const detail::FileBytes file = detail::map_file(path);
  const std::string_view text = detail::as_text(file.bytes);
  if (text.starts_with("\x93NUMPY")) return FileFormat::kNpy;
  if (text.starts_with("PK")) return FileFormat::kNpz;
  if (text.starts_with("\x1F\x8B")) return FileFormat::kIdx;
  if (text.starts_with(std::string_view("\0\0", 2))) return FileFormat::kIdx;
  if (text.size() > 8 && text[8] == '{') return FileFormat::kSafetensors;
  throw IoError(path,
                "is of an unknown format; npy, npz, csv, idx and safetensors "
                "are accepted");
}

void refuse_member(const Spec& spec) {
  if (spec.member.empty()) return;
  throw InvalidArgument(spec.path + ": holds one array without a name, but " +
                        detail::quote(spec.member) + " is asked for");
}

// The one name of a file, when the caller gave none.
std::string only_name(const std::string& path,
                      const std::vector<std::string>& names) {
  if (names.size() == 1) return names.front();
  throw InvalidArgument(path + ": holds " + std::to_string(names.size()) +
                        " arrays (" + detail::name_list(names) +
                        "); choose one as FILE:NAME");
}

Array read_npz_spec(const Spec& spec, const ReadOptions& options) {
  const std::string member = spec.member.empty()
                                 ? only_name(spec.path, npz_members(spec.path))
                                 : spec.member;
  return read_npz(spec.path, member, options.max_inflated_bytes);
}

Array read_safetensors_spec(const Spec& spec) {
  if (!spec.member.empty()) return read_safetensors(spec.path, spec.member);
  SafetensorsFile file = read_safetensors(spec.path);
  std::vector<std::string> names;
  for (const auto& tensor : file.tensors) names.push_back(tensor.name);
  only_name(spec.path, names);
  return std::move(file.tensors.front().array);
}

}  // namespace

FileFormat detect_format(const std::string& path) {
  const std::string name = lower_case(path);
  if (name.ends_with(".npy")) return FileFormat::kNpy;
  if (name.ends_with(".npz")) return FileFormat::kNpz;
  if (name.ends_with(".safetensors")) return FileFormat::kSafetensors;
  for (const char* end : {".csv", ".txt"}) {
    if (name.ends_with(end)) return FileFormat::kCsv;
  }
  for (const char* end : {".idx", "-ubyte", ".gz"}) {
    if (name.ends_with(end)) return FileFormat::kIdx;
  }
  return format_by_content(path);
}

Array read_array(const std::string& text, const ReadOptions& options) {
  const Spec spec = split_spec(text);
  switch (detect_format(spec.path)) {
    case FileFormat::kNpz:
      return read_npz_spec(spec, options);
    case FileFormat::kSafetensors:
      return read_safetensors_spec(spec);
    case FileFormat::kNpy:
      refuse_member(spec);
      return read_npy(spec.path);
    case FileFormat::kIdx:
      refuse_member(spec);
      return read_idx(spec.path, options.max_inflated_bytes);
    case FileFormat::kCsv:
      break;
  }
  refuse_member(spec);
  return to_array(std::move(read_csv(spec.path, options.csv).values),
                  spec.path);
}

}  // namespace sbog
