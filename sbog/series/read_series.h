// SPDX-License-Identifier: Apache-2.0
// Reads a user's series from a table or an array, and reports what was done to
// make it whole.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sbog/data/array.h"
#include "sbog/series/series.h"

namespace sbog {

/// How to read.
struct ReadSeriesOptions {
  /// Column with the times, by name or index; "none": there is none; empty:
  /// found by itself. It is the first column that is named time, timestamp,
  /// date or datetime, or else column 0 when it is not a number or counts up in
  /// equal whole steps.
  std::string time_column;
  /// Columns to keep as channels; empty: all but the time.
  std::vector<std::string> columns;
};

/// Rows that are missing between two rows of a regular series.
struct TimeGap {
  std::size_t row = 0;      ///< the row after the gap
  double missing_rows = 0;  ///< about how many, by the usual step
};

/// What was found and done.
struct SeriesReport {
  std::string time_column;       ///< empty when there is none
  bool is_time_guessed = false;  ///< from its values, not from its name
  bool has_readable_times = false;
  double step = 0.0;  ///< usual time between rows, 0 when unknown
  std::vector<TimeGap> gaps;
  std::size_t duplicate_times = 0;  ///< rows with the time of the row before
  std::size_t filled_values = 0;    ///< that were missing
  std::size_t filled_channels = 0;
  std::vector<std::string> constant_channels;

  /// What a reader should know, one sentence each; empty when all is well.
  std::vector<std::string> sentences() const;
};

/// A series with its report.
struct LoadedSeries {
  Series series;
  SeriesReport report;
};

/// Reads a CSV table or any array that read_array knows (rows x channels, or
/// one channel). Missing values (an empty field, NaN) take the value before
/// them, at the start the first one after. Throws IoError naming row and
/// column for text in a number, ragged rows, infinity, a channel without any
/// value and times that go backwards; InvalidArgument for a column that is not
/// there.
LoadedSeries read_series(const std::string& spec,
                         const ReadSeriesOptions& options = {});

/// The same from an array.
LoadedSeries series_of_array(const Array& array);

/// Seconds since 1970 of an ISO 8601 time ("2024-05-01", "2024-05-01 10:00",
/// "2024-05-01T10:00:00.5Z", "...+02:00"), or the value of a plain number;
/// nullopt for anything else.
std::optional<double> parse_time(std::string_view text);

}  // namespace sbog
