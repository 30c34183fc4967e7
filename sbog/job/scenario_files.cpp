// SPDX-License-Identifier: Apache-2.0
// Files of a run on a series; see scenario_files.h.
#include "sbog/job/scenario_files.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "sbog/base/atomic_file.h"
#include "sbog/base/errors.h"
#include "sbog/base/number_text.h"
#include "sbog/data/csv.h"
#include "sbog/data/npy.h"
#include "sbog/energy/rarity.h"
#include "sbog/job/scenario_json.h"
#include "sbog/job/scenario_table.h"
#include "sbog/report/series_plots.h"
#include "sbog/run/run_json.h"

namespace sbog::job {
namespace {

using series::RealisedEdit;
using series::Scenario;

constexpr const char* kScenarioHeader =
    "index,status,reason,anchor_window,anchor_row,tries,edits,kinds,channels,"
    "reached,energy_source,energy_target,energy,margin,linear_residual,"
    "clipped_share,visibility,slew_ratio,second_rank_source,second_rank,"
    "asked_severity,severity,rarity,return_period_rows,return_period_low,"
    "return_period_high,sentence\n";

// Six fields; empty what there is none of. Beyond what can be told a period has
// no interval.
std::string grade_fields(const Scenario& s) {
  std::string text = s.asked > 0 ? std::to_string(s.asked) : std::string();
  if (!s.grade) return text + ",,,,,";
  text += ',' + std::to_string(s.grade->severity) + ',' +
          full_digits(s.grade->p) + ',';
  if (!s.grade->period) return text + ",,";
  const ReturnPeriod& period = *s.grade->period;
  text += full_digits(period.rows) + ',';
  if (period.is_beyond) return text + ',';
  return text + full_digits(period.low) + ',' +
         (std::isinf(period.high) ? "" : full_digits(period.high));
}

std::string table_row(const Scenario& s, double threshold,
                      const std::vector<std::string>& channels) {
  std::string kinds;
  std::string names;
  for (const RealisedEdit& edit : s.edits) {
    if (!kinds.empty()) {
      kinds += "+";
      names += "+";
    }
    kinds += to_string(edit.edit.kind);
    names += channels[edit.edit.channel];
  }
  const bool has_encoder = !s.source_point.empty();
  const bool has_window = !s.point.empty();
  std::string line =
      std::to_string(s.index) + ',' + to_string(s.status) + ',' +
      to_string(s.reason) + ',' + std::to_string(s.anchor_window) + ',' +
      std::to_string(s.anchor_start) + ',' + std::to_string(s.tries) + ',' +
      std::to_string(s.edits.size()) + ',' + kinds + ',' + quote_csv(names) +
      ',' +
      (has_encoder
           ? full_digits(s.reached) + ',' + full_digits(s.energy_source) + ',' +
                 full_digits(s.energy_target)
           : std::string(",,")) +
      ',';
  line += has_window
              ? full_digits(s.energy) + ',' + full_digits(s.energy - threshold)
              : std::string(",");
  line += ',' + (has_encoder ? full_digits(s.linear_residual) : "") + ',' +
          full_digits(s.clipped_share) + ',' + full_digits(s.visibility) + ',' +
          full_digits(s.slew_ratio) + ',';
  line += s.second ? full_digits(s.second->source_rank) + ',' +
                         full_digits(s.second->rank)
                   : std::string(",");
  return line + ',' + grade_fields(s) + ',' + quote_csv(s.sentence) + '\n';
}

// kept x width x channels as npy.
void write_windows(const std::string& path,
                   const std::vector<const Matrix<double>*>& windows,
                   std::size_t width, std::size_t channels) {
  const std::size_t each = width * channels;
  const std::shared_ptr<double[]> values(
      new double[std::max<std::size_t>(1, windows.size() * each)]);
  for (std::size_t i = 0; i < windows.size(); ++i) {
    std::copy_n(windows[i]->data(), each, values.get() + i * each);
  }
  write_npy(
      path,
      Array(path, ElementType::kFloat64, {windows.size(), width, channels},
            std::shared_ptr<const std::byte>(
                values, reinterpret_cast<const std::byte*>(values.get()))));
}

Matrix<double> transposed(const Matrix<double>& matrix) {
  Matrix<double> result(matrix.cols(), matrix.rows());
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    for (std::size_t j = 0; j < matrix.cols(); ++j) result(j, i) = matrix(i, j);
  }
  return result;
}

// Lowest and highest recorded value of a channel.
std::pair<double, double> range_of(const Series& series, std::size_t channel) {
  std::pair<double, double> range{series.values(0, channel),
                                  series.values(0, channel)};
  for (std::size_t t = 1; t < series.rows(); ++t) {
    range.first = std::min(range.first, series.values(t, channel));
    range.second = std::max(range.second, series.values(t, channel));
  }
  return range;
}

// The channel that an edit has to do with, unless it is shown anyway.
void add_partner(const Scenario& s, const series::Edit& edit,
                 const Series& series, EditedWindow& plot) {
  if (!has_partner(edit)) return;
  const bool is_shown = std::any_of(s.edits.begin(), s.edits.end(),
                                    [&](const RealisedEdit& other) {
                                      return other.edit.channel == edit.partner;
                                    }) ||
                        std::any_of(plot.edits.begin(), plot.edits.end(),
                                    [&](const EditedChannel& other) {
                                      return other.channel == edit.partner;
                                    });
  if (is_shown) return;
  const auto [low, high] = range_of(series, edit.partner);
  plot.edits.push_back({edit.partner,
                        {},
                        low,
                        high,
                        "partner of " + series.channels[edit.channel]});
}

std::string grade_words(const series::WindowGrade& grade) {
  return "Severity " + std::to_string(grade.severity) + ": " + one_in(grade.p) +
         " spans of this length.";
}

std::string plot_of(const Scenario& s, const Series& series) {
  const Matrix<double> source = transposed(s.source);
  const Matrix<double> edited = transposed(s.window);
  EditedWindow plot;
  plot.title = {s.sentence};
  if (s.grade) plot.title.push_back(grade_words(*s.grade));
  plot.channels = series.channels;
  plot.source = source;
  plot.edited = edited;
  plot.first_row = s.anchor_start;
  if (!series.times.empty()) {
    const auto first =
        series.times.begin() + static_cast<std::ptrdiff_t>(s.anchor_start);
    plot.times.assign(first,
                      first + static_cast<std::ptrdiff_t>(source.cols()));
  }
  for (const RealisedEdit& edit : s.edits) {
    const std::size_t c = edit.edit.channel;
    const auto [low, high] = range_of(series, c);
    plot.edits.push_back({c,
                          {{static_cast<double>(edit.effect.first),
                            static_cast<double>(edit.effect.last + 1)}},
                          low,
                          high,
                          {}});
    add_partner(s, edit.edit, series, plot);
  }
  for (const series::DrawnChange& change : s.changes) {
    const auto [low, high] = range_of(series, change.channel);
    plot.edits.push_back({change.channel, {}, low, high, {}});
  }
  return plot_edited_window(plot);
}

}  // namespace

std::vector<std::pair<double, double>> channel_ranges(const Series& series) {
  std::vector<std::pair<double, double>> ranges;
  for (std::size_t c = 0; c < series.channels.size(); ++c) {
    ranges.push_back(range_of(series, c));
  }
  return ranges;
}

void write_scenario_files(const RunFolder& folder,
                          const series::ScenarioRun& run,
                          const std::vector<bool>& is_kept,
                          const Series& series, const std::string& time_column,
                          std::size_t plots) {
  std::error_code error;
  std::filesystem::create_directories(folder.file("decoded"), error);
  if (error) {
    throw IoError(folder.file("decoded"), "cannot be made: " + error.message());
  }
  std::string table = kScenarioHeader;
  std::vector<const Scenario*> kept;
  std::vector<const Matrix<double>*> windows;
  std::vector<const Matrix<double>*> sources;
  nlohmann::ordered_json edits = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < run.scenarios.size(); ++i) {
    const Scenario& s = run.scenarios[i];
    table += table_row(s, run.diagnostics.threshold, series.channels);
    edits.push_back(told_json(s, series.channels));
    if (!is_kept[i]) continue;
    edits.back()["window"] = kept.size();
    if (!series.times.empty()) {
      edits.back()["times"] = {
          series.times[s.anchor_start],
          series.times[s.anchor_start + s.source.rows() - 1]};
    }
    kept.push_back(&s);
    windows.push_back(&s.window);
    sources.push_back(&s.source);
  }
  const Scenario& any = run.scenarios.front();
  const std::size_t dim = any.source_point.size();
  Matrix<float> points(kept.size(), dim);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    for (std::size_t k = 0; k < dim; ++k) {
      points(i, k) = static_cast<float>(kept[i]->point[k]);
    }
  }
  // Without an encoder there are no points.
  if (dim > 0) write_npy(folder.file("outliers.npy"), points.view());
  write_file_atomically(folder.file("outliers.csv"), table);
  const std::size_t width = any.source.rows();
  const std::size_t channels = any.source.cols();
  write_windows(folder.file("decoded/windows.npy"), windows, width, channels);
  write_windows(folder.file("decoded/sources.npy"), sources, width, channels);
  write_scenario_table(folder.file("decoded/scenarios.csv"), kept, series,
                       time_column, channel_ranges(series));
  write_file_atomically(folder.file("decoded/edits.json"),
                        stored_json(edits) + "\n");
  write_file_atomically(folder.file("metrics.json"),
                        stored_json(metrics_json(run.diagnostics)) + "\n");
  for (std::size_t i = 0; i < std::min(plots, kept.size()); ++i) {
    char name[64];
    std::snprintf(name, sizeof name, "decoded/window-%03zu.svg", i);
    write_file_atomically(folder.file(name), plot_of(*kept[i], series));
  }
}

}  // namespace sbog::job
