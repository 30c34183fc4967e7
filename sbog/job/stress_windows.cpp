// SPDX-License-Identifier: Apache-2.0
// See stress_windows.h.
#include "sbog/job/stress_windows.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/data/npy.h"
#include "sbog/job/files.h"
#include "sbog/job/generate.h"
#include "sbog/job/report_files.h"
#include "sbog/job/run_inputs.h"
#include "sbog/job/series_input.h"

namespace sbog::job {
namespace {

using Node = nlohmann::json;

// Recorded windows begin this many to a width, so that few of them overlap
// much.
constexpr std::size_t kStartsPerWidth = 4;

Array windows_of_run(const FinishedRun& run, const char* name) {
  Array windows = read_npy(run.file(name));
  if (windows.shape().size() != 3 || windows.shape()[0] == 0) {
    throw IoError(run.file(name), "holds no windows");
  }
  return windows;
}

Array windows_array(const std::vector<double>& values,
                    const std::vector<std::size_t>& shape) {
  const std::shared_ptr<double[]> copy(
      new double[std::max<std::size_t>(1, values.size())]);
  std::copy(values.begin(), values.end(), copy.get());
  return Array("controls", ElementType::kFloat64, shape,
               std::shared_ptr<const std::byte>(
                   copy, reinterpret_cast<const std::byte*>(copy.get())));
}

// Joined names, each once.
void append_name(std::string& names, const std::string& name) {
  const std::string all = "+" + names + "+";
  if (all.find("+" + name + "+") != std::string::npos) return;
  names += (names.empty() ? "" : "+") + name;
}

// Groups of the windows by what was edited.
struct EditGroups {
  stress::GroupingBuilder kinds{"kind"};
  stress::GroupingBuilder channels{"channel"};
  stress::GroupingBuilder both{"kind x channel"};
  stress::GroupingBuilder counts{"edits"};

  void add(std::size_t i, const Node& entry, CaseFacts& facts) {
    for (const Node& edit : entry.at("edits")) {
      const auto channel = edit.at("channel").get<std::string>();
      append_name(facts.channels, channel);
      channels.add(i, channel);
      if (!edit.contains("kind")) continue;
      const auto kind = edit.at("kind").get<std::string>();
      append_name(facts.kinds, kind);
      kinds.add(i, kind);
      std::string pair = kind;
      pair += " x ";
      pair += channel;
      both.add(i, pair);
    }
    // A window that an autoencoder drew changes channels without an edit.
    if (entry.at("edits").empty() && entry.contains("changes")) {
      for (const Node& change : entry["changes"]) {
        const auto channel = change.at("channel").get<std::string>();
        append_name(facts.channels, channel);
        channels.add(i, channel);
      }
      return;
    }
    counts.add(i, std::to_string(entry.at("edits").size()));
  }

  std::vector<stress::Grouping> finish() && {
    std::vector<stress::Grouping> all;
    for (stress::GroupingBuilder* one : {&kinds, &channels, &both, &counts}) {
      stress::Grouping grouping = std::move(*one).finish();
      // One number of edits for all windows sorts nothing.
      const std::size_t fewest = one == &counts ? 2 : 1;
      if (grouping.levels.size() >= fewest) all.push_back(std::move(grouping));
    }
    return all;
  }
};

void read_facts(const FinishedRun& run, std::size_t windows,
                StressInputs& inputs) {
  const std::string path = run.file("decoded/edits.json");
  const Node entries = json_of_file(path);
  EditGroups groups;
  try {
    for (std::size_t row = 0; row < entries.size(); ++row) {
      const Node& entry = entries.at(row);
      if (!entry.contains("window")) continue;
      CaseFacts facts;
      facts.row = inputs.facts.size();
      if (entry.at("window").get<std::size_t>() != facts.row) {
        throw IoError(path, "does not list the windows in their order");
      }
      facts.anchor_row = entry.at("anchor_row").get<std::size_t>();
      facts.sentence = entry.value("sentence", "");
      groups.add(facts.row, entry, facts);
      inputs.table_rows.push_back(row);
      inputs.case_starts.push_back(facts.anchor_row);
      inputs.facts.push_back(std::move(facts));
    }
  } catch (const Node::exception&) {
    throw IoError(path, "is not what a run on a series writes");
  }
  if (inputs.facts.size() != windows) {
    throw IoError(path, "has " + std::to_string(inputs.facts.size()) +
                            " windows, decoded/windows.npy has " +
                            std::to_string(windows));
  }
  inputs.sorted.groupings = std::move(groups).finish();
}

// The first row in which any channel differs.
std::size_t first_difference(const double* a, const double* b,
                             std::size_t width, std::size_t channels) {
  for (std::size_t k = 0; k < width * channels; ++k) {
    if (a[k] != b[k]) return k / channels;
  }
  return 0;
}

void find_changes(const Array& cases, const Array& sources,
                  StressInputs& inputs) {
  if (sources.shape() != cases.shape()) {
    throw IoError(sources.name(), "does not fit decoded/windows.npy");
  }
  const auto edited = to_matrix<double>(cases);
  const auto recorded = to_matrix<double>(sources);
  for (std::size_t i = 0; i < edited.rows(); ++i) {
    inputs.sorted.first_changed.push_back(first_difference(
        edited.view().row(i).data(), recorded.view().row(i).data(),
        cases.shape()[1], cases.shape()[2]));
  }
}

SeriesInput input_of(const FinishedRun& run) {
  const GenerateOptions made = given_options_of_run(run);
  return {run.found(run.input()), made.series.time, made.columns};
}

void check_recording(const StressInputs& inputs, const Series& recording,
                     const std::string& what) {
  const std::size_t width = inputs.cases.shape()[1];
  if (recording.channel_count() != inputs.cases.shape()[2] ||
      recording.rows() < width) {
    throw IoError(what,
                  "has " + std::to_string(recording.rows()) + " rows of " +
                      std::to_string(recording.channel_count()) +
                      " channels; windows of " + std::to_string(width) +
                      " rows of " + std::to_string(inputs.cases.shape()[2]) +
                      " channels are expected in it");
  }
}

// The recording of the run; nothing when it is not there and not needed.
void load_recording(const FinishedRun& run, const SeriesInput& input,
                    const StressInputOptions& options, StressInputs& inputs) {
  Events quiet;  // what was mended was told when the run was made
  try {
    inputs.recording = std::move(load_series(input, quiet).series);
  } catch (const IoError&) {
    if (options.needs_recording) throw;
    return;
  }
  check_recording(inputs, *inputs.recording, run.found(run.input()));
  const std::size_t width = inputs.cases.shape()[1];
  for (const std::size_t start : inputs.case_starts) {
    if (start + width <= inputs.recording->rows()) continue;
    throw IoError(run.found(run.input()),
                  "is not what the run in " + run.folder() + " was made from");
  }
}

void cut_controls(const Series& recording,
                  const std::vector<std::size_t>& starts,
                  StressInputs& inputs) {
  const std::size_t width = inputs.cases.shape()[1];
  const std::size_t channels = inputs.cases.shape()[2];
  std::vector<double> values;
  values.reserve(starts.size() * width * channels);
  for (const std::size_t start : starts) {
    for (std::size_t t = 0; t < width; ++t) {
      const auto row = recording.values.row(start + t);
      values.insert(values.end(), row.begin(), row.end());
    }
  }
  inputs.controls = windows_array(values, {starts.size(), width, channels});
  inputs.control_starts = starts;
}

void take_recorded(const StressInputOptions& options, StressInputs& inputs) {
  const Series& recording = *inputs.recording;
  const std::size_t width = inputs.cases.shape()[1];
  const std::size_t stride = std::max<std::size_t>(1, width / kStartsPerWidth);
  std::set<std::size_t> anchors(inputs.case_starts.begin(),
                                inputs.case_starts.end());
  // Sources first, then the grid: choose_controls draws from both.
  std::vector<std::size_t> starts(anchors.begin(), anchors.end());
  std::vector<std::size_t> sources(starts.size());
  for (std::size_t i = 0; i < sources.size(); ++i) sources[i] = i;
  for (std::size_t t = 0; t + width <= recording.rows(); t += stride) {
    if (!anchors.contains(t)) starts.push_back(t);
  }
  const ControlChoice choice = choose_controls(sources, starts.size(), options);
  std::vector<std::size_t> chosen;
  for (const auto* list : {&choice.sources, &choice.others}) {
    for (const std::size_t i : *list) chosen.push_back(starts[i]);
  }
  cut_controls(recording, chosen, inputs);
  inputs.control_words = with_commas(choice.sources.size()) +
                         " recorded windows that cases were made from and " +
                         with_commas(choice.others.size()) +
                         " other recorded windows";
}

void take_file(const SeriesInput& input, const StressInputOptions& options,
               StressInputs& inputs, Events& events) {
  inputs.control_recording = std::move(load_series(input, events).series);
  check_recording(inputs, *inputs.control_recording, input.data);
  const std::size_t width = inputs.cases.shape()[1];
  const std::size_t last = inputs.control_recording->rows() - width;
  // Windows that overlap more would be counted as if they were independent.
  const std::size_t stride = std::max(
      {std::size_t{1}, width / kStartsPerWidth, last / options.control_count});
  std::vector<std::size_t> starts;
  for (std::size_t t = 0; t <= last; t += stride) starts.push_back(t);
  if (starts.size() > options.control_count) {
    std::vector<std::size_t> spread;
    for (std::size_t k = 0; k < options.control_count; ++k) {
      spread.push_back(starts[k * starts.size() / options.control_count]);
    }
    starts = std::move(spread);
  }
  cut_controls(*inputs.control_recording, starts, inputs);
  inputs.control_words =
      with_commas(starts.size()) + " windows of " + input.data;
}

}  // namespace

StressInputs load_windows(const FinishedRun& run,
                          const StressInputOptions& options, Events& events) {
  StressInputs inputs;
  inputs.kind = Kind::kSeries;
  inputs.cases = windows_of_run(run, "decoded/windows.npy");
  const Array sources = windows_of_run(run, "decoded/sources.npy");
  read_facts(run, inputs.cases.shape()[0], inputs);
  inputs.sorted.count = inputs.facts.size();
  find_changes(inputs.cases, sources, inputs);
  for (const Node& name : run.manifest().at("channels")) {
    inputs.channels.push_back(name.get<std::string>());
  }
  SeriesInput input = input_of(run);
  load_recording(run, input, options, inputs);
  if (!options.wants_controls) return inputs;
  if (!options.controls.empty()) {
    input.data = options.controls;
    take_file(input, options, inputs, events);
  } else if (inputs.recording) {
    take_recorded(options, inputs);
  } else {
    // What the run itself keeps of the recording.
    inputs.controls = sources;
    inputs.control_words = with_commas(sources.shape()[0]) +
                           " recorded windows that cases were made from";
  }
  return inputs;
}

}  // namespace sbog::job
