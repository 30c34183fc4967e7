// SPDX-License-Identifier: Apache-2.0
// The main table about series: negatives by several rules in the same stages,
// the detectors of the tool, and what anybody would try first.
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "paper/learned.h"
#include "paper/registry.h"
#include "paper/series_data.h"
#include "paper/series_quality.h"
#include "paper/series_summary.h"
#include "paper/table.h"
#include "sbog/series/baselines.h"
#include "sbog/series/detector_options.h"

namespace sbog::paper {
namespace series_table {
namespace {

constexpr const char* kTitle =
    "Anomaly detection in series: rules of negatives, detectors, simple rules";
constexpr const char* kSbog = "SBOG (paper)";

// Figures of the paper's table for its method, on all entities of its sets.
struct PaperRow {
  const char* set;
  double precision;
  double f1;
};
constexpr std::array<PaperRow, 3> kPaperRows = {{
    {"smd", 0.413, 0.471},
    {"msl", 0.352, 0.463},
    {"smap", 0.449, 0.515},
}};

std::vector<LearnedRun> frozen_runs() {
  return {{"CARLA", "carla"},    {"RandomNeg", "random"},
          {"k-NNNeg", "knn"},    {"KDENeg", "kde"},
          {kSbog, "sbog-paper"}, {"SBOG (default)", "sbog-default"}};
}

std::vector<LearnedRun> exposure_runs() {
  return {{"SBOG (exposure)", "sbog-exposure"}};
}

std::vector<LearnedRun> refreshed_runs() {
  return {{"CARLA, r = 5", "carla", "latent", 5},
          {std::string(kSbog) + ", r = 5", "sbog-paper", "latent", 5}};
}

Json detector_fields() {
  const DetectorOptions options;
  Json simple = Json::array();
  for (const Baseline rule : kAllBaselines) simple.push_back(to_string(rule));
  return {{"joint_rows", options.joint_rows},
          {"line_rows", options.line_rows},
          {"level", options.level},
          {"simple_rules", simple}};
}

// Detectors first, then seed by seed, so that a run that was stopped has whole
// tables of fewer seeds.
std::vector<Cell> make_cells(const Settings& settings) {
  const std::vector<SeriesName> names = list_series(settings);
  std::vector<Cell> cells;
  cells.reserve(names.size());
  for (const SeriesName& name : names) {
    cells.push_back(series_cell("detectors", name, settings, nullptr,
                                {{"detector", detector_fields()}}));
  }
  const std::vector<SeriesName> ordered = shortest_first(names, settings);
  const LearnedEncoder encoder{"info-nce", settings.size == Size::kSmall};
  const Json frozen = learned_fields(encoder, frozen_runs());
  for (const std::uint64_t seed : settings.seeds) {
    for (const SeriesName& name : ordered) {
      cells.push_back(series_cell("rules", name, settings, seed, frozen));
    }
  }
  const auto add_first_seed = [&](const char* part, const Json& fields) {
    for (const SeriesName& name : ordered) {
      cells.push_back(
          series_cell(part, name, settings, settings.seeds.at(0), fields));
    }
  };
  add_first_seed("refreshed", learned_fields(encoder, refreshed_runs()));
  add_first_seed("exposure", learned_fields(encoder, exposure_runs()));
  return cells;
}

Json compute(const Json& configuration, const CellContext& context) {
  if (configuration.at("part") != "detectors") {
    return compute_learned(configuration, context);
  }
  const SeriesEntity entity = load_series(configuration, context.data);
  return {{"entity", entity_figures(entity)},
          {"rows", detector_rows(entity, context)}};
}

// The paper's figures for a row: precision and F1, or nulls.
std::pair<Json, Json> paper_figures(const std::string& set,
                                    const std::string& method) {
  for (const PaperRow& row : kPaperRows) {
    if (set == row.set && method == kSbog) return {row.precision, row.f1};
  }
  return {nullptr, nullptr};
}

std::string counts_sentence(const SeriesSummary& summary) {
  std::string text = "Entities (without the development ones):";
  for (const std::string& set : summary.sets()) {
    text += (text.back() == ':' ? " " : ", ") + set + " " +
            std::to_string(summary.entity_count(set, Entities::kAll)) + " (" +
            std::to_string(summary.entity_count(set, Entities::kConfirming)) +
            ")";
  }
  return text + ".";
}

std::string encoder_sentence(const SeriesSummary& summary) {
  std::string text = "Processor seconds of one encoder:";
  bool is_known = false;
  for (const std::string& set : summary.sets()) {
    const Json seconds = summary.seconds(set, "encoder");
    if (seconds.is_null()) continue;
    text += (is_known ? ", " : " ") + set + " " +
            format_value(seconds, {"", Style::kFixed, 1});
    is_known = true;
  }
  return is_known ? text + "." : "";
}

std::vector<std::string> notes(const SeriesSummary& summary) {
  std::vector<std::string> notes = {
      "Figures are row by row without adjustment of segments, means over the "
      "entities of a set, and mean (s.d.) over the seeds. Best F1 is tuned on "
      "the labels; 'floor' is the base rate and the F1 of flagging "
      "everything. F1* is at a threshold that needs no labels: the 99th "
      "percentile of the scores of the training windows, for the detectors "
      "the conformal one. Columns with 'dev' leave out the six entities that "
      "settings were chosen on.",
      "Rules: one encoder per entity and seed (repaired profile, windows of "
      "200, stride 5 on all sets, tail window, mean over the windows of a "
      "row, batches of 50 or of all windows of a shorter series), frozen and "
      "shared by all rules; r = 5 lets it learn and makes "
      "the negatives again every 5 epochs, on the first seed only, as is "
      "SBOG (exposure). Without "
      "'majority' the score is normal_set. Gap: mean energy of the negatives "
      "less the threshold, both of the paper's profile, for every rule.",
      "Seconds: of one processor per entity, for rules without the encoder.",
      counts_sentence(summary)};
  const std::string encoders = encoder_sentence(summary);
  if (!encoders.empty()) notes.push_back(encoders);
  for (const std::string& sentence : summary.sentences()) {
    notes.push_back(sentence);
  }
  notes.push_back(
      "The paper's figures are of other entities (all of each set) and of an "
      "encoder and a threshold that it does not fully describe; they are no "
      "targets for ours.");
  return notes;
}

Presentation present(const std::vector<FinishedCell>& cells) {
  const SeriesSummary summary(cells);
  Presentation shown{};
  shown.table.columns = {{"set", Style::kText},
                         {"method", Style::kText},
                         {"AP", Style::kMeanSd, 3},
                         {"best F1", Style::kMeanSd, 3},
                         {"F1*", Style::kMeanSd, 3},
                         {"VUS-PR", Style::kMeanSd, 3},
                         {"AP, no dev", Style::kMeanSd, 3},
                         {"best F1, no dev", Style::kMeanSd, 3},
                         {"Fill", Style::kMeanSd, 3},
                         {"Gap", Style::kMeanSd, 3},
                         {"collapsed", Style::kText},
                         {"seconds", Style::kFixed, 2},
                         {"AU-PR", Style::kFixed, 3, Source::kPaper},
                         {"best F1", Style::kFixed, 3, Source::kPaper}};
  Json values = Json::array();
  for (const std::string& set : summary.sets()) {
    for (const std::string& method : summary.methods()) {
      const Json precision = summary.macro(set, method, "ap");
      if (precision.is_null()) continue;
      const auto [paper_ap, paper_f1] = paper_figures(set, method);
      shown.table.rows.push_back(
          {set, method, precision, summary.macro(set, method, "best_f1"),
           summary.macro(set, method, "threshold_f1"),
           summary.macro(set, method, "vus_pr"),
           summary.macro(set, method, "ap", Entities::kConfirming),
           summary.macro(set, method, "best_f1", Entities::kConfirming),
           summary.macro(set, method, "fill"),
           summary.macro(set, method, "gap"), summary.collapsed(set, method),
           summary.seconds(set, method), paper_ap, paper_f1});
      values.push_back({{"set", set},
                        {"method", method},
                        {"AP", precision[0]},
                        {"best F1", summary.macro_mean(set, method, "best_f1")},
                        {"VUS-PR", summary.macro_mean(set, method, "vus_pr")}});
    }
  }
  shown.notes = notes(summary);
  shown.chart = chart(kTitle, values, {{"type", "bar"}},
                      {{"y", channel("method", "nominal", "method")},
                       {"x", channel("AP", "quantitative", "AP")},
                       {"column", channel("set", "nominal", "set")}});
  return shown;
}

}  // namespace
}  // namespace series_table

Experiment series_experiment() {
  using namespace series_table;
  return {"series", kTitle,  seeds_by_size(1, 3), make_cells,
          compute,  present, series_obstacle};
}

}  // namespace sbog::paper
