// SPDX-License-Identifier: Apache-2.0
// The report of a run on a series; see report_files.h. The run keeps the points
// of its windows, so that neither the series nor its model is needed again.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
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

constexpr std::size_t kMostNamed = 6;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

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

Scenarios scenarios_of(const std::string& path, std::size_t recorded) {
  Scenarios result;
  Node entries = json_of_file(path);
  for (Node& entry : entries) {
    const auto row = entry.at("anchor_window").get<std::size_t>();
    const auto tries = entry.at("tries").get<std::uint64_t>();
    if (row >= recorded) {
      throw IoError(path, "names a window that the recording does not have");
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
  return result;
}

// Without what an encoder says of them.
std::vector<ReportOutlier> outliers_of(const Scenarios& scenarios) {
  std::vector<ReportOutlier> outliers;
  for (const Node& entry : scenarios.kept) {
    ReportOutlier o;
    o.index = entry.at("index").get<std::size_t>();
    o.energy = kUnknown;
    o.margin = kUnknown;
    o.anchor_row = entry.at("anchor_window").get<std::size_t>();
    o.origin = entry.at("status").get<std::string>() + ", try " +
               std::to_string(entry.at("tries").get<std::size_t>());
    o.words = entry.at("sentence").get<std::string>();
    outliers.push_back(std::move(o));
  }
  return outliers;
}

void add_energies(const Scenarios& scenarios, double threshold,
                  MatrixView<const float> bank, MatrixView<const float> points,
                  std::vector<ReportOutlier>& outliers) {
  for (std::size_t i = 0; i < outliers.size(); ++i) {
    ReportOutlier& o = outliers[i];
    o.energy = scenarios.kept[i].at("energy").get<double>();
    o.margin = o.energy - threshold;
    o.anchor_cosine = cosine_of(bank.row(*o.anchor_row), points.row(i));
  }
}

ReportMetric told_metric(const char* name, double value, const char* direction,
                         const char* meaning) {
  return {name, value, direction, meaning, ""};
}

// How the run went; with an encoder also what it makes of the windows.
std::vector<ReportMetric> run_metrics(
    const Node& found, const ReportRun& run,
    const std::vector<ReportOutlier>& outliers) {
  std::vector<ReportMetric> metrics = {told_metric(
      "Kept",
      static_cast<double>(run.produced) /
          static_cast<double>(std::max<std::size_t>(1, run.requested)),
      "higher is better", "share of the outliers asked for")};
  const auto tell = [&](auto&&... told) {
    metrics.push_back(told_metric(told...));
  };
  const bool has_encoder = found.contains("threshold");
  if (has_encoder) {
    double gap = 0.0;
    for (const ReportOutlier& o : outliers) gap += o.margin;
    tell("Gap", gap / static_cast<double>(outliers.size()), "higher is better",
         "mean energy above the threshold, E - tau");
  }
  // At a severity the strength follows from the recording, not from a target.
  if (!found.contains("severities")) {
    tell("Missed", found.at("mean_reached").get<double>(), "lower is better",
         "mean distance to the target, as a share of the way to it");
  }
  tell("Edits", found.at("mean_edits").get<double>(), "neutral",
       "mean number of edits of a window");
  tell("Tries", found.at("mean_tries").get<double>(), "lower is better",
       has_encoder ? "mean number of targets drawn for a window"
                   : "mean number of edits drawn for a window");
  if (!has_encoder) return metrics;
  tell("Outside", found.at("share_outside").get<double>(), "neutral",
       "share of the recorded windows at or above the threshold");
  tell("Moves", found.at("realised_direction_rank").get<double>(),
       "higher is better",
       "number of directions in which windows were moved, about");
  return metrics;
}

// What the points say: all that `evaluate` found when it was asked, else what
// needs no threshold, which would take a second reference.
void add_point_metrics(const Node& found, const ReportRun& run,
                       MatrixView<const float> bank,
                       MatrixView<const float> points,
                       std::vector<ReportMetric>& metrics,
                       const Context& context) {
  if (found.contains("metrics")) {
    for (ReportMetric& entry : metrics_of(found)) {
      if (entry.name != "Gap") metrics.push_back(std::move(entry));
    }
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
}

ReportClass window_class(const Node& manifest, const Node& metrics,
                         const Scenarios& scenarios, const ReportRun& run) {
  ReportClass cls;
  cls.name = "all windows";
  cls.points = manifest.at("windows").get<std::size_t>();
  cls.reference = manifest.value("reference", std::size_t{0});
  cls.requested = run.requested;
  cls.produced = run.produced;
  cls.threshold = metrics.value("threshold", kUnknown);
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
        " windows were made";
    if (entry.contains("outside")) {
      note += ", " + std::to_string(entry["outside"].get<std::size_t>()) +
              " of them outside of the encoder's threshold";
    }
    const Node& beyond = entry.at("unreachable");
    const std::size_t named = std::min(kMostNamed, beyond.size());
    for (std::size_t i = 0; i < named; ++i) {
      note +=
          i == 0 ? "; never reached within the limits of the channel: " : ", ";
      note += beyond[i].get<std::string>();
    }
    if (beyond.size() > named) {
      note += " and " + std::to_string(beyond.size() - named) +
              " more (metrics.json has them)";
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
  if (metrics.contains("drift")) {
    const Node& drift = metrics["drift"];
    char share[64];
    std::snprintf(share, sizeof share, "%.3g %% of spans exceed what %.3g %%",
                  100.0 * drift.at("observed").get<double>(),
                  100.0 * drift.at("asked").get<double>());
    data.notes.push_back(
        std::string("Self-check: in the last fifth of the recording ") + share +
        " did before, over all channels.");
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
  const bool has_encoder = metrics.contains("threshold");
  data.notes.push_back(
      std::string(has_encoder ? "Targets" : "Edits") + " were drawn " +
      std::to_string(cls.proposals) + " times by the " + data.run.rule +
      " law" +
      (misses.empty() ? "; every one was reached."
                      : "; tries that failed, by reason: " + misses + "."));
  add_graded_notes(metrics, data);
  data.notes.push_back(
      has_encoder ? "A point of the bank is a recorded window."
                  : "The run was made without an encoder, so that there are no "
                    "energies and no map.");
  data.notes.push_back(
      "A sentence tells one of "
      "several edits that reach its point, never a cause; physical laws "
      "between channels are not enforced.");
}

// Points of the bank and of the outliers, with their places on the map. False
// when stopped.
bool add_points(const ReportOptions& options, const FinishedRun& run,
                const Scenarios& scenarios, const Node& metrics,
                std::vector<ReportOutlier>& outliers, ReportData& data,
                const Context& context) {
  const LoadedMatrix<float> bank =
      to_matrix<float>(read_array(run.file("bank.npy")));
  const LoadedMatrix<float> points =
      to_matrix<float>(read_array(run.file("outliers.npy")));
  if (points.rows() != outliers.size()) {
    throw IoError(run.file("decoded/edits.json"),
                  "has " + std::to_string(outliers.size()) + " windows for " +
                      std::to_string(points.rows()) + " outliers");
  }
  if (points.rows() > 0 && points.cols() != bank.cols()) {
    throw IoError(options.run, "has outliers of another dimension");
  }
  if (bank.rows() != data.classes[0].points) {
    throw IoError(run.file("bank.npy"),
                  "has another number of rows than the run has windows");
  }
  data.run.bank_rows = bank.rows();
  data.run.dimension = bank.cols();
  add_energies(scenarios, data.classes[0].threshold, bank.view(), points.view(),
               outliers);
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
  if (fill_report_points(problem,
                         {.bank_limit = options.sample, .seed = run.seed()},
                         data, context) != SolveStatus::kDone) {
    return false;
  }
  if (outliers.empty()) return true;
  data.metrics = run_metrics(metrics, data.run, outliers);
  add_point_metrics(metrics, data.run, bank.view(), points.view(),
                    *data.metrics, context);
  return true;
}

// Outliers that no encoder has seen have no place on a map.
void add_unplaced(const Node& metrics,
                  const std::vector<ReportOutlier>& outliers,
                  ReportData& data) {
  ReportOutliers& shown = data.outliers;
  shown.total = outliers.size();
  for (const ReportOutlier& o : outliers) {
    if (shown.facts.size() == ReportLimits::kOutliers) break;
    shown.cls.push_back(0);
    shown.energy.push_back(kUnknown);
    shown.x.push_back(kUnknown);
    shown.y.push_back(kUnknown);
    shown.facts.push_back(o);
    shown.anchor.push_back(-1);
    shown.nearest.emplace_back();
  }
  if (!outliers.empty()) {
    data.metrics = run_metrics(metrics, data.run, outliers);
  }
}

void add_certificate(const FinishedRun& run, bool has_encoder,
                     ReportData& data) {
  if (run.has_file("certificate.json")) {
    data.certificate =
        certificate_of(run.file("certificate.json"), {0}, data.classes);
    return;
  }
  data.certificate_note =
      has_encoder
          ? "There is none: scenarios start from all recorded windows, and the "
            "reference was trimmed by its own energies, so that no point is "
            "left that had no say. sbog certify on this run gives the numbers "
            "as a heuristic; to certify points of this encoder, run sbog "
            "generate --certify true on bank.npy of this run."
          : "There is none: a certificate is about points, and the run was "
            "made without an encoder that gives them.";
}

}  // namespace

std::optional<ReportData> series_report(const ReportOptions& options,
                                        const FinishedRun& run, Events& events,
                                        const Context& context) {
  const Node& manifest = run.manifest();
  ReportData data;
  read_run_facts(run, data);
  data.run.rule = manifest.at("law").get<std::string>();
  const Node metrics = json_of_file(run.file("metrics.json"));
  const Scenarios scenarios =
      scenarios_of(run.file("decoded/edits.json"),
                   manifest.at("windows").get<std::size_t>());
  data.classes.push_back(window_class(manifest, metrics, scenarios, data.run));
  name_classes(options.names, data.classes);
  add_notes(manifest, metrics, data);
  std::vector<ReportOutlier> outliers = outliers_of(scenarios);
  data.metrics_note = "There are no outliers to measure.";
  const bool has_encoder = run.has_file("bank.npy");
  if (has_encoder) {
    Stage stage(events, context, "placing");
    if (!add_points(options, run, scenarios, metrics, outliers, data,
                    stage.context())) {
      return std::nullopt;
    }
  } else {
    add_unplaced(metrics, outliers, data);
  }
  add_certificate(run, has_encoder, data);
  data.stress = stress_of(run, outliers);
  add_report_windows(run, scenarios.kept, data);
  if (events.is_stopped()) return std::nullopt;
  return data;
}

}  // namespace sbog::job
