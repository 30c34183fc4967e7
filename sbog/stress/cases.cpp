// SPDX-License-Identifier: Apache-2.0
// See cases.h.
#include "sbog/stress/cases.h"

#include <algorithm>
#include <set>

#include "sbog/base/errors.h"

namespace sbog::stress {
namespace {

void check_length(const char* what, std::size_t length, std::size_t count) {
  if (length == 0 || length == count) return;
  throw InvalidArgument("stress: " + std::string(what) +
                        " are expected for each of " + std::to_string(count) +
                        " cases, got " + std::to_string(length));
}

}  // namespace

void GroupingBuilder::add(std::size_t item, const std::string& level) {
  const auto found =
      std::find(grouping_.levels.begin(), grouping_.levels.end(), level);
  const auto index = static_cast<std::size_t>(found - grouping_.levels.begin());
  if (found == grouping_.levels.end()) {
    grouping_.levels.push_back(level);
    grouping_.members.emplace_back();
  }
  std::vector<std::size_t>& members = grouping_.members[index];
  if (members.empty() || members.back() != item) members.push_back(item);
}

void check_cases(const Cases& cases) {
  check_length("severities", cases.severities.size(), cases.count);
  check_length("classes", cases.classes.size(), cases.count);
  check_length("first changed rows", cases.first_changed.size(), cases.count);
  for (const Grouping& grouping : cases.groupings) {
    require("stress", grouping.levels.size() == grouping.members.size(),
            "one list of cases is expected for each group");
    for (const std::vector<std::size_t>& members : grouping.members) {
      for (const std::size_t item : members) {
        require("stress", item < cases.count,
                "a group holds a case that is not there");
      }
    }
  }
}

std::vector<int> severities_of(const Cases& cases) {
  std::set<int> found;
  for (const std::optional<int>& severity : cases.severities) {
    if (severity) found.insert(*severity);
  }
  return {found.begin(), found.end()};
}

std::vector<std::size_t> cases_at(const Cases& cases,
                                  std::optional<int> severity) {
  std::vector<std::size_t> items;
  for (std::size_t i = 0; i < cases.count; ++i) {
    if (!severity ||
        (!cases.severities.empty() && cases.severities[i] == severity)) {
      items.push_back(i);
    }
  }
  return items;
}

}  // namespace sbog::stress
