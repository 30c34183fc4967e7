// SPDX-License-Identifier: Apache-2.0
// One row of text per row of a window; see scenario_table.h.
#include "sbog/job/scenario_table.h"

#include <algorithm>
#include <span>

#include "sbog/base/atomic_file.h"
#include "sbog/base/number_text.h"
#include "sbog/data/csv.h"
#include "sbog/scenario/measure_edit.h"

namespace sbog::job {
namespace {

using series::ChangedSpan;
using series::Scenario;

struct ChangedChannel {
  std::size_t channel = 0;
  ChangedSpan span;
};

// Quoted only where it has to be: most tools take both, people like this one.
std::string csv_field(const std::string& text) {
  return text.find_first_of(",;\t\"\r\n") == std::string::npos
             ? text
             : quote_csv(text);
}

std::vector<double> column_of(const Matrix<double>& window, std::size_t c) {
  std::vector<double> column(window.rows());
  for (std::size_t t = 0; t < window.rows(); ++t) column[t] = window(t, c);
  return column;
}

// Channels whose stored window differs from the recorded one.
std::vector<ChangedChannel> changed_channels(
    const Scenario& scenario,
    const std::vector<std::pair<double, double>>& ranges) {
  std::vector<ChangedChannel> changed;
  for (std::size_t c = 0; c < scenario.window.cols(); ++c) {
    const std::vector<double> recorded = column_of(scenario.source, c);
    const std::vector<double> edited = column_of(scenario.window, c);
    if (recorded == edited) continue;
    changed.push_back(
        {c, series::changed_span(recorded, edited,
                                 ranges[c].second - ranges[c].first)});
  }
  return changed;
}

std::string header_of(const Series& series, const std::string& time_column) {
  std::vector<std::string> columns;
  if (!series.times.empty()) {
    columns.push_back(time_column.empty() ? "time" : time_column);
  }
  columns.insert(columns.end(), series.channels.begin(), series.channels.end());
  const std::vector<std::string> own = scenario_columns(columns);
  columns.insert(columns.end(), own.begin(), own.end());
  std::string header;
  for (const std::string& column : columns) {
    header += (header.empty() ? "" : ",") + csv_field(column);
  }
  return header + '\n';
}

std::string row_of(const Scenario& scenario, std::size_t number, std::size_t t,
                   const std::vector<ChangedChannel>& changed,
                   const Series& series) {
  const std::size_t row = scenario.anchor_start + t;
  std::string line;
  if (!series.times.empty()) line += csv_field(series.times[row]) + ',';
  for (std::size_t c = 0; c < scenario.window.cols(); ++c) {
    line += shortest(scenario.window(t, c)) + ',';
  }
  std::string edited;
  for (const ChangedChannel& channel : changed) {
    if (t < channel.span.first || t > channel.span.last) continue;
    edited += (edited.empty() ? "" : "+") + series.channels[channel.channel];
  }
  return line + std::to_string(number) + ',' + std::to_string(row) + ',' +
         (edited.empty() ? "0," : "1,") + csv_field(edited) + '\n';
}

}  // namespace

std::vector<std::string> scenario_columns(
    const std::vector<std::string>& input_columns) {
  std::vector<std::string> names = {"scenario", "row", "label", "edited"};
  for (std::string& name : names) {
    while (std::find(input_columns.begin(), input_columns.end(), name) !=
           input_columns.end()) {
      name.insert(0, "sbog_");
    }
  }
  return names;
}

void write_scenario_table(
    const std::string& path, const std::vector<const Scenario*>& scenarios,
    const Series& series, const std::string& time_column,
    const std::vector<std::pair<double, double>>& ranges) {
  AtomicFile file(path);
  file.write(header_of(series, time_column));
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    const Scenario& scenario = *scenarios[i];
    const std::vector<ChangedChannel> changed =
        changed_channels(scenario, ranges);
    for (std::size_t t = 0; t < scenario.window.rows(); ++t) {
      file.write(row_of(scenario, i, t, changed, series));
    }
  }
  file.commit();
}

}  // namespace sbog::job
