// SPDX-License-Identifier: Apache-2.0
// From a result back to cells; see earlier_result.h.
#include "paper/earlier_result.h"

namespace sbog::paper {
namespace {

bool is_of(const Json& held, const Cell& cell) {
  return held.is_object() && held.contains("result") &&
         held.contains("commit") && held.at("commit").is_string() &&
         held.contains("configuration") &&
         hash_of(held.at("configuration")) == hash_of(cell.configuration);
}

}  // namespace

std::size_t take_over(const Json& result, const std::vector<Cell>& cells,
                      const CellStore& store) {
  const Json held = result.value("cells", Json::object());
  std::size_t taken = 0;
  for (const Cell& cell : cells) {
    const auto found = held.find(cell.key);
    if (found == held.end() || !is_of(*found, cell)) continue;
    if (store.load(cell)) continue;
    store.save(cell, found->at("result"), found->at("commit"),
               found->value("seconds", Json()));
    ++taken;
  }
  return taken;
}

}  // namespace sbog::paper
