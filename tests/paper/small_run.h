// SPDX-License-Identifier: Apache-2.0
// The cells of an experiment at its small size, computed in this process.
#pragma once

#include <string>
#include <vector>

#include "paper/registry.h"
#include "paper/runner.h"

namespace sbog::testing_support {

/// Small cells, by key those that contain `part`.
inline std::vector<paper::FinishedCell> small_cells(const std::string& name,
                                                    const std::string& part) {
  const paper::Experiment& experiment = paper::find_experiment(name);
  const paper::Settings settings =
      paper::resolve(experiment, {paper::Size::kSmall, {}});
  std::vector<paper::FinishedCell> finished;
  for (const paper::Cell& cell : experiment.cells(settings)) {
    if (cell.key.find(part) == std::string::npos) continue;
    finished.push_back({cell.key, cell.configuration,
                        experiment.compute(cell.configuration, {})});
  }
  return finished;
}

/// The value of a row in the column of that heading.
inline paper::Json value_at(const paper::Table& table, std::size_t row,
                            const std::string& heading) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (paper::heading(table.columns[i]) == heading) return table.rows[row][i];
  }
  throw std::runtime_error("no column " + heading);
}

}  // namespace sbog::testing_support
