// SPDX-License-Identifier: Apache-2.0
// What the table `latents` computes. A cell is one of
//   free    scores of a task that need no head
//   head    one head on a task, shown the outliers of one rule
//   energy  what `sbog score` says without any choice
#pragma once

#include <map>
#include <string>
#include <vector>

#include "paper/experiment.h"
#include "paper/latent_tasks.h"

namespace sbog::paper {

/// Scores of rows; a larger one is more unusual.
struct RowScores {
  std::vector<double> held_out;
  std::vector<double> validation;
  std::vector<double> test;
  std::vector<std::vector<double>> validation_unknown;  ///< by set
  std::vector<std::vector<double>> test_unknown;        ///< by set
};

/// The mean of scores, each put to mean 0 and deviation 1 on held-out rows.
RowScores sum_of_scores(const std::vector<const RowScores*>& scores);

/// FPR95 and AUROC in percent: of validation, of each test set and their mean.
Json figures_of(const RowScores& scores, const LatentTask& task);

/// Cells in the order they are computed in: what everything is compared with,
/// then seed by seed, so that a run that was stopped has whole tables of fewer
/// seeds.
std::vector<Cell> latent_cells(const Settings& settings);

/// The result of a cell.
Json compute_latent_cell(const Json& configuration, const CellContext& context);

}  // namespace sbog::paper
