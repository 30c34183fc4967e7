// SPDX-License-Identifier: Apache-2.0
// The report of a run on a series; see report_files.h. The run keeps the points
// of its windows, so that neither the series nor its model is needed again.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "sbog/base/errors.h"
#include "sbog/data/dataset.h"
#include "sbog/energy/rarity.h"
#include "sbog/job/report_files.h"
#include "sbog/job/report_stress.h"
#include "sbog/metrics/evaluate_outliers.h"
#include "sbog/report/report_points.h"

namespace sbog::job {
namespace {

using Node = nlohmann::json;

constexpr std::size_t kMostAlternatives = 2;

double cosine_of(std::span<const float> a, std::span<const float> b) {
  double product = 0.0;
  double square_a = 0.0;
  double square_b = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    product += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    square_a += static_cast<double>(a[i]) * static_cast<double>(a[i]);
    square_b += static_cast<double>(b[i]) * static_cast<double>(b[i]);
  }
  return product / std::sqrt(square_a * square_b);
}

// Entries of edits.json: those of kept windows, in the order of the windows,
// and what happened at the anchors.
struct Scenarios {
  std::vector<Node> kept;
  std::map<std::size_t, ReportAnchor> anchors;
  std::uint64_t tries = 0;
};

Scenarios scenarios_of(const std::string& path, std::size_t windows,
                       std::size_t bank_rows) {
  Scenarios result;
  Node entries = json_of_file(path);
  for (Node& entry : entries) {
    const auto row = entry.at("anchor_window").get<std::size_t>();
    const auto tries = entry.at("tries").get<std::uint64_t>();
    if (row >= bank_rows) {
      throw IoError(path, "names a window that bank.npy does not have");
    }
    ReportAnchor& anchor = result.anchors[row];
    anchor.row = row;
    anchor.draws += tries;
    result.tries += tries;
    if (!entry.contains("window")) continue;
    ++anchor.successes;
    if (entry.at("window").get<std::size_t>() != result.kept.size()) {
      throw IoError(path, "does not list the windows in their order");
    }
    result.kept.push_back(std::move(entry));
  }
  if (result.kept.size() != windows) {
    throw IoError(path, "has " + std::to_string(result.kept.size()) +
                            " windows for " + std::to_string(windows) +
                            " outliers");
  }
  return result;
}

std::vector<ReportOutlier> outliers_of(const Scenarios& scenarios,
                                       double threshold,
                                       MatrixView<const float> bank,
                                       MatrixView<const float> points) {
  std::vector<ReportOutlier> outliers;
  for (const Node& entry : scenarios.kept) {
    ReportOutlier o;
    o.index = entry.at("index").get<std::size_t>();
    o.energy = entry.at("energy").get<double>();
    o.margin = o.energy - threshold;
    o.anchor_row = entry.at("anchor_window").get<std::size_t>();
    o.origin = entry.at("status").get<std::string>() + ", try " +
               std::to_string(entry.at("tries").get<std::size_t>());
    o.anchor_cosine =
        cosine_of(bank.row(*o.anchor_row), points.row(outliers.size()));
    o.words = entry.at("sentence").get<std::string>();
    outliers.push_back(std::move(o));
  }
  return outliers;
}

ReportMetric told_metric(const char* name, double value, const char* direction,
                         const char* meaning) {
  return {name, value, direction, meaning, ""};
}

// How the run went, then what the points say: all that `evaluate` found when it
// was asked, else what needs no threshold, which would take a second reference.
void add_scenario_metrics(const Node& found, const ReportRun& run,
                          const std::vector<ReportOutlier>& outliers,
                          MatrixView<const float> bank,
                          MatrixView<const float> points, ReportData& data,
                          const Context& context) {
  if (outliers.empty()) {
    data.metrics_note = "There are no outliers to measure.";
    return;
  }
  double gap = 0.0;
  for (const ReportOutlier& o : outliers) gap += o.margin;
  gap /= static_cast<double>(outliers.size());
  std::vector<ReportMetric> metrics = {
      told_metric(
          "Kept",
          static_cast<double>(run.produced) /
              static_cast<double>(std::max<std::size_t>(1, run.requested)),
          "higher is better", "share of the outliers asked for"),
      told_metric("Gap", gap, "higher is better",
                  "mean energy above the threshold, E - tau"),
      told_metric("Edits", found.at("mean_edits").get<double>(), "neutral",
                  "mean number of edits of a window"),
      told_metric("Tries", found.at("mean_tries").get<double>(),
                  "lower is better",
                  "mean number of targets drawn for a window"),
      told_metric("Outside", found.at("share_outside").get<double>(), "neutral",
                  "share of the recorded windows at or above the threshold"),
      told_metric("Moves", found.at("realised_direction_rank").get<double>(),
                  "higher is better",
                  "number of directions in which windows were moved, about")};
  // At a severity the strength follows from the recording, not from a target.
  if (!found.contains("severities")) {
    metrics.insert(
        metrics.begin() + 2,
        told_metric(
            "Missed", found.at("mean_reached").get<double>(), "lower is better",
            "mean distance to the target, as a share of the way to it"));
  }
  if (found.contains("metrics")) {
    for (ReportMetric& entry : metrics_of(found)) {
      if (entry.name != "Gap") metrics.push_back(std::move(entry));
    }
    data.metrics = std::move(metrics);
    return;
  }
  constexpr std::array kOfPoints = {
      "MMD2",        "MMD2_unbiased",  "SW2",          "Diversity",
      "Nearest_min", "Nearest_median", "Nearest_mean", "Nearest_max"};
  OutlierProblem<float> problem;
  problem.bank = bank;
  problem.outliers = points;
  OutlierOptions options;
  options.seed = run.seed;
  const OutlierMetrics evaluated = evaluate_outliers(problem, options, context);
  for (const char* name : kOfPoints) {
    const MetricEntry& entry = evaluated.table.find(name);
    metrics.push_back({entry.name, entry.value, to_string(entry.direction),
                       entry.meaning, entry.reason});
  }
  data.metrics = std::move(metrics);
}

ReportClass window_class(const Node& manifest, const Node& metrics,
                         const Scenarios& scenarios, const ReportRun& run) {
  ReportClass cls;
  cls.name = "all windows";
  cls.points = run.bank_rows;
  cls.reference = manifest.at("reference").get<std::size_t>();
  cls.requested = run.requested;
  cls.produced = run.produced;
  cls.threshold = metrics.at("threshold").get<double>();
  cls.proposals = scenarios.tries;
  cls.anchors = std::max(metrics.at("anchors").get<std::size_t>(),
                         scenarios.anchors.size());
  cls.anchors_tried = scenarios.anchors.size();
  for (const auto& [row, anchor] : scenarios.anchors) {
    cls.anchors_hit += anchor.successes > 0 ? 1 : 0;
  }
  std::size_t most = 0;
  for (const auto& [name, count] : metrics.at("misses").items()) {
    if (run.produced >= run.requested || count.get<std::size_t>() <= most) {
      continue;
    }
    most = count.get<std::size_t>();
    cls.binding = name;
  }
  return cls;
}

// How many of each severity were made, and what none could be made of.
void add_graded_notes(const Node& metrics, ReportData& data) {
  if (!metrics.contains("severities")) return;
  for (const Node& entry : metrics["severities"]) {
    std::string note =
        "Severity " + std::to_string(entry.at("severity").get<std::size_t>()) +
        ": " + std::to_string(entry.at("kept").get<std::size_t>()) + " of " +
        std::to_string(entry.at("requested").get<std::size_t>()) +
        " windows were made, " +
        std::to_string(entry.value("outside", std::size_t{0})) +
        " of them outside of the encoder's threshold";
    std::string beyond;
    for (const Node& name : entry.at("unreachable")) {
      beyond += (beyond.empty() ? "" : ", ") + name.get<std::string>();
    }
    if (!beyond.empty()) {
      note += "; never reached within the limits of the channel: " + beyond;
    }
    data.notes.push_back(note + ".");
  }
  std::string drifting;
  for (const Node& name : metrics.at("drifting_channels")) {
    drifting += (drifting.empty() ? "" : ", ") + name.get<std::string>();
  }
  if (!drifting.empty()) {
    data.notes.push_back("The recording drifts in " + drifting +
                         ": how rare edits are there is unknown, and their "
                         "severities are shares of the recorded spans.");
  }
  data.notes.push_back(
      "How rare an edit is follows from the recorded period alone; drift voids "
      "it.");
}

void add_notes(const Node& manifest, const Node& metrics, ReportData& data) {
  for (const Node& note : manifest.at("notes")) {
    data.notes.push_back(note.get<std::string>());
  }
  const ReportClass& cls = data.classes[0];
  std::string misses;
  for (const auto& [name, count] : metrics.at("misses").items()) {
    misses += (misses.empty() ? "" : ", ") + name + " " + count.dump();
  }
  data.notes.push_back(
      "Targets were drawn " + std::to_string(cls.proposals) + " times by the " +
      data.run.rule + " law" +
      (misses.empty() ? "; every one was reached."
                      : "; tries that failed, by reason: " + misses + "."));
  add_graded_notes(metrics, data);
  data.notes.push_back(
      "A point of the bank is a recorded window. A sentence tells one of "
      "several edits that reach its point, never a cause; physical laws "
      "between channels are not enforced.");
}

// Windows of one file: kept x width x channels.
struct Windows {
  LoadedMatrix<double> values;
  std::size_t width = 0;
  std::size_t channels = 0;

  std::vector<double> column(std::size_t window, std::size_t channel) const {
    std::vector<double> samples(width);
    for (std::size_t t = 0; t < width; ++t) {
      samples[t] = values.view()(window, t * channels + channel);
    }
    return samples;
  }
};

Windows read_windows(const std::string& path, std::size_t count,
                     std::size_t channels) {
  const Array array = read_array(path);
  if (array.shape().size() != 3 || array.shape()[0] != count ||
      array.shape()[2] != channels) {
    throw IoError(path, "must hold " + std::to_string(count) + " windows of " +
                            std::to_string(channels) + " channels");
  }
  return {to_matrix<double>(array), array.shape()[1], channels};
}

// An edited channel and how much of the move it makes.
struct Edited {
  std::size_t channel = 0;
  double share = 0.0;
  std::string partner;  // its name, shown beside the channel
  std::vector<std::pair<std::size_t, std::size_t>> spans;
};

std::size_t channel_named(const std::string& name,
                          const std::vector<std::string>& names,
                          const std::string& path) {
  const auto known = std::find(names.begin(), names.end(), name);
  if (known == names.end()) {
    throw IoError(path, "names a channel that the run does not have");
  }
  return static_cast<std::size_t>(known - names.begin());
}

std::vector<Edited> edited_channels(const Node& entry,
                                    const std::vector<std::string>& names,
                                    std::size_t width,
                                    const std::string& path) {
  std::vector<Edited> found;
  const auto at = [&](const Node& name) -> Edited& {
    const std::size_t channel =
        channel_named(name.get<std::string>(), names, path);
    for (Edited& edited : found) {
      if (edited.channel == channel) return edited;
    }
    return found.emplace_back(Edited{channel, 0.0, "", {}});
  };
  for (const Node& edit : entry.at("edits")) {
    Edited& edited = at(edit.at("channel"));
    edited.share += edit.at("share_of_move").get<double>();
    if (edit.contains("partner")) edited.partner = edit.at("partner");
    const Node& realised = edit.at("realised");
    const auto first = realised.at("first_sample").get<std::size_t>();
    const auto last = realised.at("last_sample").get<std::size_t>();
    if (first > last || last >= width) {
      throw IoError(path, "has an edit outside of its window");
    }
    edited.spans.emplace_back(first, last + 1);
  }
  if (entry.contains("changes")) {
    for (const Node& change : entry.at("changes")) at(change.at("channel"));
  }
  std::stable_sort(
      found.begin(), found.end(),
      [](const Edited& a, const Edited& b) { return a.share > b.share; });
  return found;
}

// Windows that a model fails on come before others where there are too many;
// those of a severity stand together.
std::vector<std::size_t> shown_windows(
    const Scenarios& scenarios, const std::optional<ReportStress>& stress) {
  const std::size_t room =
      std::min(scenarios.kept.size(), ReportLimits::kWindows);
  std::vector<std::size_t> shown;
  const auto add = [&](std::size_t i) {
    if (shown.size() < room && std::ranges::find(shown, i) == shown.end()) {
      shown.push_back(i);
    }
  };
  for (const std::size_t index : clearest_cases(stress)) {
    for (std::size_t i = 0; i < scenarios.kept.size(); ++i) {
      if (scenarios.kept[i].at("index") == index) add(i);
    }
  }
  for (std::size_t i = 0; i < scenarios.kept.size(); ++i) add(i);
  std::ranges::sort(shown);
  std::ranges::stable_sort(shown, {}, [&](std::size_t i) {
    return scenarios.kept[i].value("severity", 0);
  });
  return shown;
}

// "Severity 2, 1 in 320: ", or nothing.
std::string grade_words(const Node& entry) {
  if (!entry.contains("severity")) return "";
  return "Severity " + std::to_string(entry["severity"].get<std::size_t>()) +
         ", " +
         one_in(std::clamp(entry.at("rarity").get<double>(), 1e-12, 1.0)) +
         ": ";
}

void add_windows(const FinishedRun& run, const Scenarios& scenarios,
                 ReportData& data) {
  const Node& manifest = run.manifest();
  const auto names = manifest.at("channels").get<std::vector<std::string>>();
  const auto ranges =
      manifest.at("ranges").get<std::vector<std::pair<double, double>>>();
  const std::string path = run.file("decoded/edits.json");
  const std::size_t count = scenarios.kept.size();
  if (count == 0) return;
  const Windows windows =
      read_windows(run.file("decoded/windows.npy"), count, names.size());
  const Windows sources =
      read_windows(run.file("decoded/sources.npy"), count, names.size());
  if (ranges.size() != names.size() || sources.width != windows.width) {
    throw IoError(run.folder(), "has windows that do not fit its manifest");
  }
  for (const std::size_t i : shown_windows(scenarios, data.stress)) {
    const Node& entry = scenarios.kept[i];
    ReportWindow window;
    window.outlier = entry.at("index").get<std::size_t>();
    window.sentences.push_back(grade_words(entry) +
                               entry.at("sentence").get<std::string>());
    for (const Node& other : entry.at("alternatives")) {
      if (window.sentences.size() > kMostAlternatives) break;
      window.sentences.push_back("Another way to this point: " +
                                 other.get<std::string>());
    }
    window.first_row = entry.at("anchor_row").get<std::size_t>();
    if (entry.contains("times")) {
      window.times = {entry["times"].at(0).get<std::string>(),
                      entry["times"].at(1).get<std::string>()};
    }
    window.channel_count = names.size();
    const auto shown =
        [&](std::size_t c, std::string name,
            const std::vector<std::pair<std::size_t, std::size_t>>& spans) {
          window.channels.push_back({std::move(name), sources.column(i, c),
                                     windows.column(i, c), spans,
                                     ranges[c].first, ranges[c].second});
        };
    std::vector<std::string> told;
    const std::vector<Edited> all =
        edited_channels(entry, names, windows.width, path);
    told.reserve(all.size());
    for (const Edited& edited : all) told.push_back(names[edited.channel]);
    for (const Edited& edited : all) {
      shown(edited.channel, names[edited.channel], edited.spans);
      if (edited.partner.empty() ||
          std::find(told.begin(), told.end(), edited.partner) != told.end()) {
        continue;
      }
      told.push_back(edited.partner);
      shown(channel_named(edited.partner, names, path),
            edited.partner + " (partner of " + names[edited.channel] + ")", {});
    }
    data.windows.push_back(std::move(window));
  }
}

}  // namespace

std::optional<ReportData> series_report(const ReportOptions& options,
                                        const FinishedRun& run, Events& events,
                                        const Context& context) {
  if (!run.has_file("bank.npy")) {
    throw IoError(options.run,
                  "has no bank.npy: its encoder gave no points to report on");
  }
  const Node& manifest = run.manifest();
  ReportData data;
  read_run_facts(run, data);
  data.run.rule = manifest.at("law").get<std::string>();
  const LoadedMatrix<float> bank =
      to_matrix<float>(read_array(run.file("bank.npy")));
  data.run.bank_rows = bank.rows();
  data.run.dimension = bank.cols();
  const LoadedMatrix<float> points =
      to_matrix<float>(read_array(run.file("outliers.npy")));
  const Node metrics = json_of_file(run.file("metrics.json"));
  const Scenarios scenarios =
      scenarios_of(run.file("decoded/edits.json"), points.rows(), bank.rows());
  if (points.rows() > 0 && points.cols() != bank.cols()) {
    throw IoError(options.run, "has outliers of another dimension");
  }
  data.classes.push_back(window_class(manifest, metrics, scenarios, data.run));
  name_classes(options.names, data.classes);
  add_notes(manifest, metrics, data);
  const std::vector<ReportOutlier> outliers = outliers_of(
      scenarios, data.classes[0].threshold, bank.view(), points.view());
  std::vector<ReportAnchor> anchors;
  for (const auto& [row, anchor] : scenarios.anchors) anchors.push_back(anchor);
  const std::vector<double> energies = bank_energies(run, bank.rows());
  const std::vector<std::size_t> bank_classes(bank.rows(), 0);
  ReportPointProblem<float> problem;
  problem.bank = bank.view();
  problem.bank_energies = energies;
  problem.bank_classes = bank_classes;
  problem.outliers = points.view();
  problem.outlier_facts = outliers;
  problem.anchors = anchors;
  {
    Stage stage(events, context, "placing");
    if (fill_report_points(problem,
                           {.bank_limit = options.sample, .seed = run.seed()},
                           data, stage.context()) != SolveStatus::kDone) {
      return std::nullopt;
    }
    add_scenario_metrics(metrics, data.run, outliers, bank.view(),
                         points.view(), data, stage.context());
  }
  if (run.has_file("certificate.json")) {
    data.certificate =
        certificate_of(run.file("certificate.json"), {0}, data.classes);
  } else {
    data.certificate_note =
        "There is none: scenarios start from all recorded windows, and the "
        "reference was trimmed by its own energies, so that no point is left "
        "that had no say. sbog certify on this run gives the numbers as a "
        "heuristic; to certify points of this encoder, run sbog generate "
        "--certify true on bank.npy of this run.";
  }
  data.stress = stress_of(run, outliers);
  add_windows(run, scenarios, data);
  if (events.is_stopped()) return std::nullopt;
  return data;
}

}  // namespace sbog::job
