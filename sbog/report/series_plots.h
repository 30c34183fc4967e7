// SPDX-License-Identifier: Apache-2.0
// Plots of series as SVG: an edited window beside what was recorded, and scores
// over time with their alarms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sbog/base/matrix.h"

namespace sbog {

/// Samples from `first` up to, not including, `end`; fractions are fine.
struct PlotSpan {
  double first = 0.0;
  double end = 0.0;
};

/// One channel that was edited, or one that is shown beside it.
struct EditedChannel {
  std::size_t channel = 0;
  std::vector<PlotSpan> spans;  ///< where, in samples of the window
  double low = 0.0;             ///< range of the channel in training, raw units
  double high = 0.0;
  /// Of a channel that was not edited: why it is shown, "partner of flow".
  std::string note = {};
};

/// An outlier beside its source.
struct EditedWindow {
  /// The sentence of what was changed first, further remarks after it; lines
  /// are wrapped.
  std::vector<std::string> title;
  std::vector<std::string> channels;  ///< names of all channels
  MatrixView<const double> source;    ///< channels x samples, raw units
  MatrixView<const double> edited;    ///< the same shape
  std::vector<EditedChannel> edits;   ///< one small plot each, in this order
  /// Times of the samples, or empty; then rows are counted from first_row.
  std::vector<std::string> times;
  std::size_t first_row = 0;
};

/// Small plots that are drawn at most; a line says how many more there are.
inline constexpr std::size_t kMostPanels = 12;

/// The drawing as an SVG document. Throws InvalidArgument when shapes disagree,
/// when nothing was edited and for values that are not finite.
std::string plot_edited_window(const EditedWindow& window);

/// Rows [first, end) of an alarm or of a labelled anomaly.
struct PlotRows {
  std::size_t first = 0;
  std::size_t end = 0;
};

/// Scores of a series.
struct ScorePlot {
  std::string title;
  std::span<const double> scores;      ///< one per row, finite, >= 0
  std::span<const double> thresholds;  ///< one per row; infinite: not drawn
  std::vector<PlotRows> alarms;
  std::vector<PlotRows> labels;        ///< drawn as a strip below; empty: none
  std::span<const std::string> times;  ///< one per row, or empty
};

/// The drawing as an SVG document. Scores far above the threshold get a log
/// axis. Throws InvalidArgument when shapes disagree, for no rows, and for
/// scores that are not finite or below 0.
std::string plot_scores(const ScorePlot& plot);

/// Runs of rows with label 1.
std::vector<PlotRows> labelled_rows(std::span<const std::int64_t> labels);

}  // namespace sbog
