// SPDX-License-Identifier: Apache-2.0
// Results for machines on standard output.
#pragma once

#include <cstdio>

namespace sbog::cli {

/// Prints JSON of either kind of nlohmann's; a byte that is part of no UTF-8
/// character, such as in the name of a file, becomes U+FFFD.
template <typename Json>
void print_json(const Json& json) {
  std::printf("%s\n",
              json.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
}

}  // namespace sbog::cli
