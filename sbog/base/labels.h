// SPDX-License-Identifier: Apache-2.0
// Rows and the labels of their classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "sbog/base/errors.h"

namespace sbog {

/// Increasing rows of each label.
using RowsByLabel = std::map<std::int64_t, std::vector<std::size_t>>;

inline RowsByLabel rows_by_label(std::span<const std::int64_t> labels) {
  RowsByLabel rows;
  for (std::size_t i = 0; i < labels.size(); ++i) rows[labels[i]].push_back(i);
  return rows;
}

/// 0, 1, .., count - 1.
inline std::vector<std::size_t> all_rows(std::size_t count) {
  std::vector<std::size_t> rows(count);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

/// Throws InvalidArgument, beginning with `name`, unless there is one label per
/// row.
inline void check_label_count(std::span<const std::int64_t> labels,
                              std::size_t rows, const std::string& name) {
  if (labels.size() == rows) return;
  throw InvalidArgument(name + ": one per row is expected (" +
                        std::to_string(rows) + "), got " +
                        std::to_string(labels.size()));
}

}  // namespace sbog
