// SPDX-License-Identifier: Apache-2.0
// Tables and arrays as series; see read_series.h.
#include "sbog/series/read_series.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/data/csv.h"
#include "sbog/data/dataset.h"
#include "sbog/series/detail/iso_time.h"

namespace sbog {
namespace {

constexpr std::size_t kPreviewRecords = 50;
// A step counts as the usual one when it is this close to the median step.
constexpr double kStepTolerance = 0.01;
constexpr double kRegularShare = 0.9;
constexpr std::size_t kNamesInSentence = 5;

using Records = std::vector<std::vector<std::string>>;

std::string lowered(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\t'; });
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

bool is_time_name(const std::string& name) {
  const std::string word = lowered(name);
  return word == "time" || word == "timestamp" || word == "date" ||
         word == "datetime";
}

std::optional<double> plain_number(std::string_view text) {
  if (!is_csv_number(text)) return std::nullopt;
  const std::size_t first = text.find_first_not_of(" \t+");
  text = text.substr(first);
  double value = 0.0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// Whether column 0 counts up in equal whole steps.
bool counts_up(const Records& records, std::size_t first) {
  if (records.size() < first + 3) return false;
  std::optional<double> before;
  std::optional<double> step;
  for (std::size_t i = first; i < records.size(); ++i) {
    const auto value = plain_number(records[i].front());
    if (!value || *value != std::floor(*value)) return false;
    if (before && step && *value - *before != *step) return false;
    if (before) step = *value - *before;
    before = value;
  }
  return *step > 0.0;
}

struct TimeColumn {
  std::size_t position;
  bool is_named;  // by a header
};

std::optional<TimeColumn> find_time_column(const Records& records) {
  if (records.empty() || records[0].size() < 2) return std::nullopt;
  const std::vector<std::string>& head = records[0];
  for (std::size_t c = 0; c < head.size(); ++c) {
    if (is_time_name(head[c])) return TimeColumn{c, true};
  }
  const bool has_header = std::none_of(head.begin(), head.end(), is_csv_number);
  const std::size_t first = has_header && records.size() > 1 ? 1 : 0;
  const std::string& field = records[first].front();
  const bool is_word = !is_csv_number(field) && !is_csv_missing(field);
  if (is_word || counts_up(records, first)) return TimeColumn{0, false};
  return std::nullopt;
}

double median_step(std::vector<double> values) {
  const auto middle =
      values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Steps, gaps and duplicates from the times.
void look_at_times(const Series& series, SeriesReport& report) {
  std::vector<double> seconds;
  for (const std::string& time : series.times) {
    const auto value = parse_time(time);
    if (!value) return;  // words: kept as labels, nothing to check
    seconds.push_back(*value);
  }
  report.has_readable_times = true;
  std::vector<double> steps;
  for (std::size_t t = 1; t < seconds.size(); ++t) {
    const double step = seconds[t] - seconds[t - 1];
    if (step < 0.0) {
      throw IoError(series.name, "row " + std::to_string(t) +
                                     " has the time '" + series.times[t] +
                                     "', before that of the row above; times "
                                     "that do not go back are expected");
    }
    if (step == 0.0) ++report.duplicate_times;
    steps.push_back(step);
  }
  if (steps.empty()) return;
  const double usual = median_step(steps);
  const auto is_usual = [&](double step) {
    return std::abs(step - usual) <= kStepTolerance * usual;
  };
  const auto regular = std::count_if(steps.begin(), steps.end(), is_usual);
  if (usual <= 0.0 || static_cast<double>(regular) <
                          kRegularShare * static_cast<double>(steps.size())) {
    return;
  }
  report.step = usual;
  for (std::size_t t = 1; t < seconds.size(); ++t) {
    if (steps[t - 1] > 1.5 * usual) {
      report.gaps.push_back({t, std::round(steps[t - 1] / usual) - 1.0});
    }
  }
}

// NaN takes the value before it, at the start the first one after.
void fill_missing(Series& series, SeriesReport& report) {
  Matrix<double>& values = series.values;
  for (std::size_t c = 0; c < values.cols(); ++c) {
    std::size_t missing = 0;
    std::size_t first = values.rows();
    for (std::size_t t = 0; t < values.rows(); ++t) {
      if (std::isinf(values(t, c))) {
        throw IoError(series.name, "row " + std::to_string(t) + ", channel '" +
                                       series.channels[c] +
                                       "' is infinite; a finite number is "
                                       "expected");
      }
      if (!std::isnan(values(t, c))) {
        first = std::min(first, t);
        continue;
      }
      ++missing;
      if (first < t) values(t, c) = values(t - 1, c);
    }
    if (first == values.rows()) {
      throw IoError(series.name, "the channel '" + series.channels[c] +
                                     "' (column " + std::to_string(c) +
                                     ") has no value in any row");
    }
    for (std::size_t t = 0; t < first; ++t) values(t, c) = values(first, c);
    report.filled_values += missing;
    report.filled_channels += missing > 0 ? 1 : 0;
  }
}

LoadedSeries finish(Series series, SeriesReport report) {
  if (series.values.cols() == 0) {
    throw IoError(series.name, "has no channel besides the time");
  }
  look_at_times(series, report);
  fill_missing(series, report);
  for (const std::size_t c : constant_channels(series.values)) {
    report.constant_channels.push_back(series.channels[c]);
  }
  return {std::move(series), std::move(report)};
}

LoadedSeries read_table(const std::string& path,
                        const ReadSeriesOptions& options) {
  CsvOptions csv;
  csv.allows_missing = true;
  csv.columns = options.columns;
  bool is_guessed = false;
  const Records records = preview_csv(path, kPreviewRecords);
  if (options.time_column.empty()) {
    const auto column = find_time_column(records);
    if (column) {
      // Channels may be named by numbers, so a header goes by the name.
      csv.text_columns.push_back(column->is_named
                                     ? records[0][column->position]
                                     : std::to_string(column->position));
      if (column->is_named) csv.header = CsvHeader::kPresent;
      is_guessed = !column->is_named;
    }
  } else if (options.time_column != "none") {
    csv.text_columns.push_back(options.time_column);
  }
  CsvTable table = read_csv(path, csv);
  Series series = make_series(path, std::move(table.values));
  if (!table.header.empty()) series.channels = std::move(table.header);
  SeriesReport report;
  if (!csv.text_columns.empty()) {
    report.time_column = csv.text_columns.front();
    report.is_time_guessed = is_guessed;
    series.times = std::move(table.texts.front());
  }
  return finish(std::move(series), std::move(report));
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  const std::size_t shown = std::min(names.size(), kNamesInSentence);
  for (std::size_t i = 0; i < shown; ++i) {
    text += (i == 0 ? "'" : ", '") + names[i] + "'";
  }
  if (names.size() > shown) {
    text += " and " + std::to_string(names.size() - shown) + " more";
  }
  return text;
}

std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace

std::vector<std::string> SeriesReport::sentences() const {
  std::vector<std::string> result;
  if (is_time_guessed && has_readable_times) {
    result.push_back("column " + time_column +
                     " looks like the time and is no channel; if it is one, "
                     "say --time none");
  }
  if (!time_column.empty() && !has_readable_times) {
    result.push_back("the times of column '" + time_column +
                     "' are neither numbers nor ISO 8601; gaps were not "
                     "looked for");
  }
  if (!gaps.empty()) {
    result.push_back(counted(gaps.size(), "gap") +
                     " in the times, the first before row " +
                     std::to_string(gaps.front().row) +
                     "; rows on both sides are taken as neighbours");
  }
  if (duplicate_times > 0) {
    result.push_back(counted(duplicate_times, "row") +
                     " with the time of the row before; all are kept");
  }
  if (filled_values > 0) {
    result.push_back(counted(filled_values, "missing value") + " in " +
                     counted(filled_channels, "channel") +
                     " took the value before, at the start the one after");
  }
  if (!constant_channels.empty()) {
    result.push_back(counted(constant_channels.size(), "constant channel") +
                     ": " + listed(constant_channels));
  }
  return result;
}

LoadedSeries read_series(const std::string& spec,
                         const ReadSeriesOptions& options) {
  if (spec.find(':') == std::string::npos &&
      detect_format(spec) == FileFormat::kCsv) {
    return read_table(spec, options);
  }
  return series_of_array(read_array(spec));
}

LoadedSeries series_of_array(const Array& array) {
  if (array.shape().size() > 2) {
    throw IoError(array.name(), "has " + std::to_string(array.shape().size()) +
                                    " dimensions; rows x channels are "
                                    "expected");
  }
  const LoadedMatrix<double> values = to_matrix<double>(array);
  if (values.rows() == 0 || values.cols() == 0) {
    throw IoError(array.name(), "has no rows or no channels");
  }
  Matrix<double> copy(values.rows(), values.cols());
  for (std::size_t t = 0; t < copy.rows(); ++t) {
    std::copy_n(values.view().row(t).data(), copy.cols(), copy.row(t).data());
  }
  return finish(make_series(array.name(), std::move(copy)), {});
}

std::optional<double> parse_time(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return std::nullopt;
  text = text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
  const auto number = plain_number(text);
  return number ? number : detail::parse_iso_time(text);
}

}  // namespace sbog
