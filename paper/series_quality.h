// SPDX-License-Identifier: Apache-2.0
// Figures of one entity as JSON: what it is, and how good scores are on it,
// row by row without any adjustment of segments.
#pragma once

#include <span>
#include <vector>

#include "paper/experiment.h"
#include "sbog/series/series.h"

namespace sbog::paper {

/// Rows, channels, share of anomalies and the F1 of flagging everything.
Json entity_figures(const SeriesEntity& entity);

/// Average precision, best F1 over all thresholds, VUS-PR, and F1 and flagged
/// share at a threshold (score at or above it). Scores are rounded to 1e-6
/// first, so that noise of the last bits ranks nothing. Null without anomalies.
Json score_figures(std::span<const double> scores, const SeriesEntity& entity,
                   double threshold);

/// The detectors that learn nothing from negatives and the simple rules: one
/// object of figures per name, "views", "range m100" and so on, and "floor" for
/// flagging everything. Null without anomalies.
Json detector_rows(const SeriesEntity& entity, const CellContext& context);

/// Processor seconds of this process so far.
double processor_seconds();

/// Notes the seconds of a part of a cell under its name.
void note_seconds(const CellContext& context, const std::string& name,
                  double seconds);

}  // namespace sbog::paper
