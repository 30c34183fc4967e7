// SPDX-License-Identifier: Apache-2.0
// Means over the entities of a set, from cells whose results have "rows" of
// figures by method.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "paper/experiment.h"

namespace sbog::paper {

/// Which entities count.
enum class Entities {
  kAll,
  kConfirming,  ///< without those that settings were chosen on
};

/// See the top of the file. The cells stay the caller's.
class SeriesSummary {
 public:
  explicit SeriesSummary(const std::vector<FinishedCell>& cells);

  /// In the order of the cells.
  const std::vector<std::string>& sets() const { return sets_; }
  const std::vector<std::string>& methods() const { return methods_; }
  std::size_t entity_count(const std::string& set, Entities which) const;

  /// Mean over the entities, then [mean, s.d.] over the seeds of it; null
  /// without values.
  Json macro(const std::string& set, const std::string& method,
             const std::string& field, Entities which = Entities::kAll) const;
  /// The mean alone.
  Json macro_mean(const std::string& set, const std::string& method,
                  const std::string& field) const;
  /// Mean over the cells of what their seconds say under this name, or null.
  Json seconds(const std::string& set, const std::string& name) const;
  /// All processor seconds of the cells.
  double all_seconds() const;

  /// "2 of 45" runs of a method that collapsed; null when nothing could.
  Json collapsed(const std::string& set, const std::string& method) const;
  /// The collapsed runs of all methods by name, in one sentence, and the
  /// entities without an anomaly in another, if there are any.
  std::vector<std::string> sentences() const;

 private:
  struct Row {
    const FinishedCell* cell;
    std::string method;
    const Json* figures;
  };

  std::vector<const Row*> rows_of(const std::string& set,
                                  const std::string& method) const;

  const std::vector<FinishedCell>* cells_;
  std::vector<std::string> sets_;
  std::vector<std::string> methods_;
  std::vector<Row> rows_;
  std::vector<std::string> without_anomaly_;
};

/// Notes of a table over some of the entities: what it is about, how many of
/// each set, and the sentences of the summary.
std::vector<std::string> notes_of_some(const SeriesSummary& summary,
                                       const std::string& about);

}  // namespace sbog::paper
