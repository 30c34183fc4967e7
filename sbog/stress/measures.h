// SPDX-License-Identifier: Apache-2.0
// Numbers about a group of cases, each share with its Clopper-Pearson interval
// at 95 %.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sbog/base/binomial.h"
#include "sbog/stress/cases.h"
#include "sbog/stress/outcomes.h"

namespace sbog::stress {

/// A count of some.
struct Share {
  std::uint64_t hits = 0;
  std::uint64_t trials = 0;
  double value = 0.0;  ///< hits / trials; 0 without trials
  Interval interval;   ///< 95 %
};

Share make_share(std::uint64_t hits, std::uint64_t trials);

/// Of a group of cases.
struct Measures {
  /// Accepted cases of a classifier, missed ones of a detector, losses above
  /// the limit; for a classifier what fails by other rules is in `failures`.
  Share failures;
  /// Classifier only: accepted cases, and those of another class than their
  /// source's where classes are known.
  std::optional<Share> accepted;
  std::optional<Share> other;
  std::optional<double> mean;  ///< confidence, score or loss
  std::optional<double> quantile95;
  /// Detector of rows: rows from the change to the alarm, of detected cases.
  std::optional<double> median_delay;
};

Measures measure(const Outcomes& outcomes, std::span<const std::size_t> cases);

/// A group at one severity, or at all of them.
struct GroupMeasures {
  std::string grouping;         ///< "class"; empty: all cases
  std::string level;            ///< "2"
  std::optional<int> severity;  ///< nothing: all
  std::vector<std::size_t> members;
  Measures measures;
};

/// Every group of the cases over all severities, each followed by itself at
/// every severity where there are two or more.
std::vector<GroupMeasures> measure_groups(const Cases& cases,
                                          const Outcomes& outcomes);

/// All cases, severity by severity.
std::vector<GroupMeasures> measure_severities(const Cases& cases,
                                              const Outcomes& outcomes);

/// The smallest severity of which at least `share` of the cases are no failure.
std::optional<int> smallest_passed(const std::vector<GroupMeasures>& curve,
                                   double share);
/// The smallest severity of which less than `share` are failures.
std::optional<int> smallest_below(const std::vector<GroupMeasures>& curve,
                                  double share);

}  // namespace sbog::stress
