// SPDX-License-Identifier: Apache-2.0
// Cells of a result of before: a table grows by a set or a seed without
// computing again what its result already holds.
#pragma once

#include <cstddef>
#include <vector>

#include "paper/cell_store.h"
#include "paper/experiment.h"

namespace sbog::paper {

/// Lays those of `cells` into the store that it does not have and that the
/// result holds, made from the same configuration and with the commit of their
/// program. Returns how many. Throws IoError.
std::size_t take_over(const Json& result, const std::vector<Cell>& cells,
                      const CellStore& store);

}  // namespace sbog::paper
