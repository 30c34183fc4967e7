// SPDX-License-Identifier: Apache-2.0
#include "sbog/image/class_names.h"

#include <string_view>

#include "sbog/base/errors.h"
#include "sbog/data/detail/mapped_file.h"
#include "sbog/data/detail/text.h"

namespace sbog {
namespace {

constexpr std::size_t kMaxNames = 65536;
constexpr std::size_t kMaxName = 256;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

void check_name(std::string_view text, std::size_t line,
                const std::string& name) {
  if (!text.empty() && text.size() <= kMaxName && detail::is_utf8(text)) {
    return;
  }
  throw IoError(name, "line " + std::to_string(line) +
                          " is no name of a class; 1 to 256 bytes of UTF-8 "
                          "are expected");
}

}  // namespace

std::vector<std::string> parse_class_names(std::span<const std::byte> bytes,
                                           const std::string& name) {
  std::vector<std::string> names;
  std::string_view rest = detail::as_text(bytes);
  const std::size_t last = rest.find_last_not_of(" \t\r\n");
  rest = rest.substr(0, last == std::string_view::npos ? 0 : last + 1);
  while (!rest.empty()) {
    if (names.size() == kMaxNames) {
      throw IoError(name,
                    "has more than 65536 lines; one for each class is "
                    "expected");
    }
    const std::size_t end = rest.find('\n');
    const std::string_view line = trimmed(rest.substr(0, end));
    check_name(line, names.size() + 1, name);
    names.emplace_back(line);
    rest = end == std::string_view::npos ? std::string_view()
                                         : rest.substr(end + 1);
  }
  return names;
}

std::vector<std::string> read_class_names(const std::string& path) {
  const detail::FileBytes file = detail::map_file(path);
  return parse_class_names(file.bytes, file.name);
}

}  // namespace sbog
