// SPDX-License-Identifier: Apache-2.0
// The data inside a report, as the browser gets it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "oracle/temporary_folder.h"

namespace sbog::testing_support {

/// The text between the script element of the data and its end.
inline nlohmann::json page_data(const std::string& path) {
  const std::string page = read_bytes(path);
  const std::size_t at = page.find('>', page.find("id=\"sbog-data\"")) + 1;
  return nlohmann::json::parse(
      page.substr(at, page.find("</script>", at) - at));
}

}  // namespace sbog::testing_support
