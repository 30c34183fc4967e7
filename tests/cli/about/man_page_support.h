// SPDX-License-Identifier: Apache-2.0
// The man page taken apart.
#pragma once

#include <string>

namespace sbog::testing_support {

/// The part of the page about one command.
inline std::string section_of(const std::string& page,
                              const std::string& command) {
  const std::string head = ".SS \"" + command + "\"\n";
  const std::size_t begin = page.find(head);
  if (begin == std::string::npos) return "";
  const std::size_t rest = begin + head.size();
  return page.substr(rest, page.find("\n.S", rest) - rest);
}

}  // namespace sbog::testing_support
