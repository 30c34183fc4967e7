// SPDX-License-Identifier: Apache-2.0
// The quantile behind the energy threshold of SBOG, on one frozen encoder per
// entity and seed.
#include <array>
#include <string>
#include <vector>

#include "paper/learned.h"
#include "paper/registry.h"
#include "paper/series_data.h"
#include "paper/series_summary.h"
#include "paper/table.h"

namespace sbog::paper {
namespace threshold {
namespace {

constexpr const char* kTitle =
    "Negatives over the quantile of the energy threshold, frozen encoder";
constexpr std::array<double, 7> kLevels = {0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99};
constexpr std::size_t kMachines = 6;

std::string name_of(double level) {
  return "q " + format_value(level, {"", Style::kFixed, 2});
}

std::vector<LearnedRun> runs() {
  std::vector<LearnedRun> list;
  list.reserve(kLevels.size());
  for (const double level : kLevels) {
    list.push_back(
        {name_of(level), "sbog-paper", "latent", 0, {{"quantile", level}}});
  }
  return list;
}

std::vector<Cell> make_cells(const Settings& settings) {
  const Json more =
      learned_fields({"info-nce", settings.size == Size::kSmall}, runs());
  const auto names = shortest_first(
      thin_out(list_series(settings), "smd", kMachines), settings);
  std::vector<Cell> cells;
  for (const std::uint64_t seed : settings.seeds) {
    for (const SeriesName& name : names) {
      cells.push_back(series_cell("sweep", name, settings, seed, more));
    }
  }
  return cells;
}

constexpr const char* kAbout =
    "SBOG with the paper's profile, threshold = quantile of the refined "
    "energies + margin. Figures as in the table series, score normal_set "
    "(AP, majority: the other one). Gap: mean energy less this threshold "
    "over the negatives that reach it; reached: their share; Fill: share of "
    "the anchors that gave one. F1*: at the 99th percentile of the training "
    "windows.";

Presentation present(const std::vector<FinishedCell>& cells) {
  const SeriesSummary summary(cells);
  Presentation shown{};
  shown.table.columns = {{"set", Style::kText},
                         {"q", Style::kFixed, 2},
                         {"AP", Style::kMeanSd, 3},
                         {"best F1", Style::kMeanSd, 3},
                         {"F1*", Style::kMeanSd, 3},
                         {"VUS-PR", Style::kMeanSd, 3},
                         {"AP, majority", Style::kMeanSd, 3},
                         {"Gap", Style::kMeanSd, 3},
                         {"Fill", Style::kMeanSd, 3},
                         {"reached", Style::kMeanSd, 3},
                         {"collapsed", Style::kText}};
  Json values = Json::array();
  for (const std::string& set : summary.sets()) {
    for (const double level : kLevels) {
      const std::string name = name_of(level);
      shown.table.rows.push_back({set, level, summary.macro(set, name, "ap"),
                                  summary.macro(set, name, "best_f1"),
                                  summary.macro(set, name, "threshold_f1"),
                                  summary.macro(set, name, "vus_pr"),
                                  summary.macro(set, name + ", majority", "ap"),
                                  summary.macro(set, name, "own_gap"),
                                  summary.macro(set, name, "fill"),
                                  summary.macro(set, name, "feasible_share"),
                                  summary.collapsed(set, name)});
      for (const auto& [field, measure] :
           {std::pair("ap", "AP"), std::pair("best_f1", "best F1"),
            std::pair("own_gap", "Gap"), std::pair("fill", "Fill")}) {
        values.push_back({{"set", set},
                          {"q", level},
                          {"measure", measure},
                          {"value", summary.macro_mean(set, name, field)}});
      }
    }
  }
  shown.notes = notes_of_some(summary, kAbout);
  shown.chart = chart(kTitle, values, {{"type", "line"}, {"point", true}},
                      {{"x", channel("q", "quantitative", "quantile")},
                       {"y", channel("value", "quantitative", "mean")},
                       {"color", channel("set", "nominal", "set")},
                       {"column", channel("measure", "nominal", "measure")}});
  shown.chart["resolve"] = {{"scale", {{"y", "independent"}}}};
  return shown;
}

}  // namespace
}  // namespace threshold

Experiment threshold_experiment() {
  using namespace threshold;
  return {"threshold",     kTitle,  seeds_by_size(1, 3), make_cells,
          compute_learned, present, series_obstacle};
}

}  // namespace sbog::paper
