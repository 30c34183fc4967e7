// SPDX-License-Identifier: Apache-2.0
// Generated outliers that a model is asked about, and the ways to sort them:
// by severity, by class, by region, by what was edited.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sbog::stress {

/// One way to sort cases. A case may be in several groups of it: a window with
/// two edits is a case of both channels.
struct Grouping {
  std::string name;                               ///< "class", "kind x channel"
  std::vector<std::string> levels;                ///< one per group
  std::vector<std::vector<std::size_t>> members;  ///< cases, increasing
};

/// Sorts cases by names; the levels come in the order of first appearance.
class GroupingBuilder {
 public:
  explicit GroupingBuilder(std::string name) {
    grouping_.name = std::move(name);
  }
  /// Adds a case to a group; cases come in increasing order, twice is once.
  void add(std::size_t item, const std::string& level);
  Grouping finish() && { return std::move(grouping_); }

 private:
  Grouping grouping_;
};

/// Everything about the cases but their values.
struct Cases {
  std::size_t count = 0;
  /// One per case, from 1; nothing: not known. Empty: none has a severity.
  std::vector<std::optional<int>> severities;
  /// The number of the class that each case was made from, as the columns of a
  /// classifier are numbered; empty: not known.
  std::vector<std::size_t> classes;
  /// Of windows: the first row that differs from the source. Empty: points.
  std::vector<std::size_t> first_changed;
  std::vector<Grouping> groupings;
};

/// Throws InvalidArgument for lists of another length than `count`, and for
/// groups with cases that are not there.
void check_cases(const Cases& cases);

/// The severities that cases have, increasing.
std::vector<int> severities_of(const Cases& cases);

/// The cases of one severity; of nothing: all of them.
std::vector<std::size_t> cases_at(const Cases& cases,
                                  std::optional<int> severity);

}  // namespace sbog::stress
