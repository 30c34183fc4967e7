// SPDX-License-Identifier: Apache-2.0
// Cases of points and what runs of all kinds share; see stress_cases.h. Those
// of a series are in stress_windows.cpp, those of images in stress_images.cpp.
#include "sbog/job/stress_cases.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/data/csv.h"
#include "sbog/energy/score_bank.h"
#include "sbog/job/embedded_data.h"
#include "sbog/job/files.h"
#include "sbog/job/run_inputs.h"
#include "sbog/job/stress_images.h"
#include "sbog/job/stress_windows.h"
#include "sbog/job/table_input.h"
#include "sbog/stress/regions.h"

namespace sbog::job {
namespace {

constexpr double kUnitTolerance = 1e-3;

// A column of a table as text, where there is one.
std::vector<std::string> text_column(const std::string& path,
                                     const std::string& name) {
  const auto head = preview_csv(path, 1);
  if (head.empty() ||
      std::find(head[0].begin(), head[0].end(), name) == head[0].end()) {
    return {};
  }
  CsvOptions csv;
  csv.header = CsvHeader::kPresent;
  // A column of numbers with it: every table of a run has one of these.
  csv.columns = {head[0][0]};
  csv.allows_missing = true;
  csv.text_columns = {name};
  return std::move(read_csv(path, csv).texts.front());
}

Array rows_array(const Matrix<float>& rows, const std::string& name) {
  const std::shared_ptr<float[]> values(
      new float[std::max<std::size_t>(1, rows.size())]);
  std::copy_n(rows.data(), rows.size(), values.get());
  return Array(name, ElementType::kFloat32, {rows.rows(), rows.cols()},
               std::shared_ptr<const std::byte>(
                   values, reinterpret_cast<const std::byte*>(values.get())));
}

// In place, as the sampler does it; true when a row was of another length.
bool make_unit(Matrix<float>& rows) {
  bool is_changed = false;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    double square = 0.0;
    for (const float x : rows.row(i)) square += double{x} * double{x};
    const double norm = std::sqrt(square);
    if (!(norm > 0.0)) continue;
    is_changed = is_changed || std::abs(norm - 1.0) > kUnitTolerance;
    for (float& x : rows.row(i)) {
      x = static_cast<float>(static_cast<double>(x) / norm);
    }
  }
  return is_changed;
}

Matrix<float> chosen_rows(MatrixView<const float> bank,
                          const std::vector<std::size_t>& rows) {
  Matrix<float> chosen(rows.size(), bank.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = bank.row(rows[i]);
    std::copy(row.begin(), row.end(), chosen.row(i).begin());
  }
  return chosen;
}

// Sources of the cases, at most half, and other rows of the bank.
Matrix<float> bank_controls(const StressInputs& inputs,
                            MatrixView<const float> bank,
                            const StressInputOptions& options,
                            std::string& words) {
  std::set<std::size_t> sources;
  for (const CaseFacts& facts : inputs.facts) sources.insert(facts.anchor_row);
  const ControlChoice choice =
      choose_controls({sources.begin(), sources.end()}, bank.rows(), options);
  words = with_commas(choice.sources.size()) +
          " bank rows that cases were made from and " +
          with_commas(choice.others.size()) + " other bank rows";
  std::vector<std::size_t> rows = choice.sources;
  rows.insert(rows.end(), choice.others.begin(), choice.others.end());
  return chosen_rows(bank, rows);
}

Matrix<float> file_controls(const std::string& path,
                            const GenerateOptions& made) {
  ReadOptions read;
  read.csv.columns = made.columns;
  return copied(to_matrix<float>(load_array(path, read)).view());
}

Matrix<float> given_controls(const PointCases& cases, std::string& words) {
  if (cases.controls.cols() != cases.points.cols()) {
    throw InvalidArgument(
        "--controls: rows of " + std::to_string(cases.points.cols()) +
        " columns are expected, got " + std::to_string(cases.controls.cols()));
  }
  words = with_commas(cases.controls.rows()) + " " + cases.control_source;
  return copied(cases.controls);
}

StressInputs point_inputs(const PointCases& given,
                          const StressInputOptions& options, Events& events) {
  StressInputs inputs;
  inputs.kind = Kind::kPoints;
  inputs.facts = given.facts;
  const std::set<std::int64_t> distinct(given.labels.begin(),
                                        given.labels.end());
  inputs.labels.assign(distinct.begin(), distinct.end());
  const Matrix<float> cases = copied(given.points);
  inputs.cases = rows_array(cases, "cases");
  inputs.sorted.count = cases.rows();
  sort_by_class(inputs);
  if (!options.wants_controls) return inputs;
  Matrix<float> controls =
      given.controls.rows() == 0
          ? bank_controls(inputs, given.bank, options, inputs.control_words)
          : given_controls(given, inputs.control_words);
  if (given.is_on_sphere && make_unit(controls)) {
    inputs.control_words += ", scaled to unit length";
    events.on_note(
        "the cases are of unit length, the bank is not: controls are scaled "
        "to unit length, and so should be the rows that the model was trained "
        "on");
  }
  inputs.controls = rows_array(controls, "controls");
  return inputs;
}

StressInputs load_points(const FinishedRun& run,
                         const StressInputOptions& options, Events& events) {
  const RunOutliers<float> outliers = read_outliers<float>(run);
  const auto names = class_names_of(run);
  PointCases given;
  for (std::size_t i = 0; i < outliers.points.rows(); ++i) {
    CaseFacts facts;
    facts.row = i;
    facts.outlier = i;
    facts.anchor_row = outliers.anchor_rows[i];
    facts.label = outliers.classes[i];
    const auto name = names.find(facts.label);
    facts.class_name =
        name == names.end() ? std::to_string(facts.label) : name->second;
    given.facts.push_back(std::move(facts));
  }
  const GenerateOptions made = options_of_run(run);
  const RunInputs<float> loaded = load_inputs<float>(made);
  for (const CaseFacts& facts : given.facts) {
    if (facts.anchor_row < loaded.bank.rows()) continue;
    throw IoError(run.file("outliers.csv"),
                  "names a bank row that " + made.input + " does not have");
  }
  given.points = outliers.points.view();
  given.bank = loaded.bank.view();
  given.labels = loaded.labels;
  given.is_on_sphere = made.sampler.projection == Projection::kSphere;
  Matrix<float> controls;
  if (options.wants_controls && !options.controls.empty()) {
    controls = file_controls(options.controls, made);
    given.controls = std::as_const(controls).view();
    given.control_source = "rows of " + options.controls;
  }
  return point_inputs(given, options, events);
}

void read_severities(const FinishedRun& run, StressInputs& inputs) {
  const auto column = text_column(run.file("outliers.csv"), "severity");
  for (CaseFacts& facts : inputs.facts) {
    // Of a series facts.row counts windows, the table every output asked for.
    const std::size_t row = inputs.kind == Kind::kSeries
                                ? inputs.table_rows[facts.row]
                                : facts.outlier;
    if (row < column.size()) facts.severity = column[row];
  }
}

void sort_severities(StressInputs& inputs, Events& events) {
  std::size_t known = 0;
  for (const CaseFacts& facts : inputs.facts) {
    inputs.sorted.severities.push_back(severity_of_text(facts.severity));
    known += inputs.sorted.severities.back() ? 1 : 0;
  }
  if (known == 0) {
    inputs.sorted.severities.clear();
    events.on_note(
        "the run has no severities, so all cases are taken together");
  } else if (known < inputs.facts.size()) {
    events.on_note(with_commas(inputs.facts.size() - known) + " of " +
                   with_commas(inputs.facts.size()) +
                   " cases have no severity and are only counted among all");
  }
}

void add_regions(MatrixView<const float> points, StressInputs& inputs) {
  const std::size_t count = stress::region_count(points.rows());
  if (count < 2) return;
  const stress::Regions regions = stress::find_regions<float>(points, count);
  if (regions.centres.size() < 2) return;
  stress::Grouping grouping{"region", {}, {}};
  for (std::size_t r = 0; r < regions.centres.size(); ++r) {
    grouping.levels.push_back(std::to_string(r + 1));
    grouping.members.emplace_back();
  }
  for (std::size_t i = 0; i < points.rows(); ++i) {
    grouping.members[regions.of_point[i]].push_back(i);
    inputs.facts[i].region = regions.of_point[i] + 1;
  }
  inputs.sorted.groupings.push_back(std::move(grouping));
}

// The points behind the cases; of images only those that are cases.
Matrix<float> points_of_cases(const FinishedRun& run,
                              const StressInputs& inputs) {
  const auto all = to_matrix<float>(read_array(run.file("outliers.npy")));
  if (inputs.kind != Kind::kImages) return copied(all.view());
  std::vector<std::size_t> rows;
  for (const CaseFacts& facts : inputs.facts) rows.push_back(facts.outlier);
  return chosen_rows(all.view(), rows);
}

void check_control_count(const StressInputOptions& options) {
  if (options.control_count == 0) {
    throw InvalidArgument("--control-count: at least 1 control is expected");
  }
}

}  // namespace

std::map<std::int64_t, std::string> class_names_of(const FinishedRun& run) {
  std::map<std::int64_t, std::string> names;
  const auto classes = run.manifest().find("classes");
  if (classes == run.manifest().end()) return names;
  for (const nlohmann::json& entry : *classes) {
    const auto label = entry.value("label", std::int64_t{0});
    names[label] = entry.value("name", "");
    if (names[label].empty()) names[label] = std::to_string(label);
  }
  return names;
}

void sort_by_class(StressInputs& inputs) {
  stress::GroupingBuilder classes("class");
  std::set<std::int64_t> labels;
  for (std::size_t i = 0; i < inputs.facts.size(); ++i) {
    classes.add(i, inputs.facts[i].class_name);
    labels.insert(inputs.facts[i].label);
  }
  if (labels.size() > 1) {
    inputs.sorted.groupings.push_back(std::move(classes).finish());
  }
}

std::optional<int> severity_of_text(const std::string& text) {
  int value = 0;
  const auto [rest, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = error == std::errc() &&
                        rest == text.data() + text.size() && !text.empty();
  return is_whole && value >= 0 ? std::optional<int>(value) : std::nullopt;
}

Matrix<float> copied(MatrixView<const float> rows) {
  Matrix<float> copy(rows.rows(), rows.cols());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    std::copy(rows.row(i).begin(), rows.row(i).end(), copy.row(i).begin());
  }
  return copy;
}

ControlChoice choose_controls(const std::vector<std::size_t>& sources,
                              std::size_t rows,
                              const StressInputOptions& options) {
  constexpr std::uint32_t kSourcePurpose = 0x53200000;
  constexpr std::uint32_t kOtherPurpose = 0x53200001;
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < rows; ++i) {
    if (!std::binary_search(sources.begin(), sources.end(), i)) {
      others.push_back(i);
    }
  }
  const std::size_t half = options.control_count - options.control_count / 2;
  const std::size_t from_sources = std::min(
      sources.size(),
      std::max(half, options.control_count -
                         std::min(options.control_count, others.size())));
  const std::size_t from_others =
      std::min(others.size(), options.control_count - from_sources);
  ControlChoice choice;
  for (const std::size_t i : draw_subset(sources.size(), from_sources,
                                         options.seed, kSourcePurpose)) {
    choice.sources.push_back(sources[i]);
  }
  for (const std::size_t i :
       draw_subset(others.size(), from_others, options.seed, kOtherPurpose)) {
    choice.others.push_back(others[i]);
  }
  return choice;
}

StressInputs load_stress_inputs(const FinishedRun& run,
                                const StressInputOptions& options,
                                Events& events) {
  check_control_count(options);
  if (run.kind() == "table") {
    throw InvalidArgument(run.folder() +
                          ": a run on points, a series or images is expected; "
                          "rows of a table are in " +
                          run.file(kRowsFile) +
                          ", for the model to be called with");
  }
  const bool asks_images =
      options.kind == Kind::kImages ||
      (options.kind == Kind::kAuto && has_decoded_images(run));
  StressInputs inputs = run.kind() == "series"
                            ? load_windows(run, options, events)
                        : asks_images ? load_image_cases(run, options, events)
                                      : load_points(run, options, events);
  read_severities(run, inputs);
  sort_severities(inputs, events);
  // Scenarios that were made without an encoder have no latent space.
  if (run.has_file("outliers.npy")) {
    const Matrix<float> points = points_of_cases(run, inputs);
    add_regions(points.view(), inputs);
  }
  stress::check_cases(inputs.sorted);
  return inputs;
}

StressInputs load_stress_inputs(const PointCases& cases,
                                const StressInputOptions& options,
                                Events& events) {
  check_control_count(options);
  if (cases.facts.size() != cases.points.rows()) {
    throw InvalidArgument("stress: one entry of facts per case is expected");
  }
  StressInputs inputs = point_inputs(cases, options, events);
  sort_severities(inputs, events);
  add_regions(cases.points, inputs);
  stress::check_cases(inputs.sorted);
  return inputs;
}

std::vector<std::size_t> class_columns(const StressInputs& inputs,
                                       std::size_t columns) {
  const std::vector<std::int64_t>& labels = inputs.labels;
  if (labels.empty()) return {};
  const bool are_columns = labels.front() >= 0 &&
                           static_cast<std::uint64_t>(labels.back()) < columns;
  if (!are_columns && labels.size() != columns) return {};
  std::vector<std::size_t> result;
  for (const CaseFacts& facts : inputs.facts) {
    const auto at = std::lower_bound(labels.begin(), labels.end(), facts.label);
    result.push_back(are_columns
                         ? static_cast<std::size_t>(facts.label)
                         : static_cast<std::size_t>(at - labels.begin()));
  }
  return result;
}

}  // namespace sbog::job
