// SPDX-License-Identifier: Apache-2.0
// What each part adds: components of the sampler, the carrier of negatives, and
// the loss of the encoder.
#include <string>
#include <utility>
#include <vector>

#include "paper/learned.h"
#include "paper/registry.h"
#include "paper/series_data.h"
#include "paper/series_summary.h"
#include "paper/table.h"

namespace sbog::paper {
namespace series_ablation {
namespace {

constexpr const char* kTitle =
    "Ablation on series: components, carriers, encoder";
constexpr std::size_t kMachines = 6;

LearnedRun component(const char* name, Json changes) {
  return {name, "sbog-paper", "latent", 0, std::move(changes)};
}

// The parts with their runs, in the order of the table.
struct Part {
  std::string name;
  std::string loss;
  std::vector<LearnedRun> runs;
};

const std::vector<Part>& parts() {
  static const std::vector<Part> kParts = {
      {"component",
       "info-nce",
       {component("as published", {}),
        component("anchors: any point", {{"rule", "no-top"}}),
        component("no threshold", {{"rule", "no-threshold"}}),
        component("random feasible pick", {{"rule", "no-argmax"}}),
        component("no trimming", {{"trim", 0.0}}),
        component("eps 0.01", {{"epsilon", 0.01}}),
        component("eps 0.05", {{"epsilon", 0.05}}),
        component("eps 0.1", {{"epsilon", 0.1}})}},
      {"carrier",
       "info-nce",
       {{"A, frozen", "carla", "latent", 0},
        {"A8, frozen", "carla", "lifted", 0},
        {"A, r = 5", "carla", "latent", 5},
        {"8-D CARLA-R", "carla", "window", 0},
        {"B", "carla", "retrieval", 0}}},
      {"encoder",
       "pull-push",
       {{"V1 encoder, CARLA", "carla"},
        {"V1 encoder, RandomNeg", "random"},
        {"V1 encoder, SBOG (paper)", "sbog-paper"}}},
  };
  return kParts;
}

std::string part_of(const std::string& method) {
  for (const Part& part : parts()) {
    for (const LearnedRun& run : part.runs) {
      if (run.name == method) return part.name;
    }
  }
  return "";
}

// msl, and a few machines of smd; without these sets everything there is.
std::vector<SeriesName> chosen(const Settings& settings) {
  std::vector<SeriesName> names =
      thin_out(list_series(settings), "smd", kMachines);
  std::vector<SeriesName> kept;
  for (const SeriesName& name : names) {
    if (name.set == "smd" || name.set == "msl") kept.push_back(name);
  }
  return kept.empty() ? names : kept;
}

// Part by part, the quick one first.
std::vector<Cell> make_cells(const Settings& settings) {
  const auto names = shortest_first(chosen(settings), settings);
  std::vector<Cell> cells;
  for (const std::uint64_t seed : settings.seeds) {
    for (const Part& part : parts()) {
      const Json more =
          learned_fields({part.loss, settings.size == Size::kSmall}, part.runs);
      for (const SeriesName& name : names) {
        cells.push_back(series_cell(part.name, name, settings, seed, more));
      }
    }
  }
  return cells;
}

constexpr const char* kAbout =
    "Components: SBOG with the paper's profile and one change, frozen "
    "encoder. Carriers: the rule of CARLA; A: points on the sphere, A8: "
    "lifted to features, 8-D CARLA-R: injected windows, B: the nearest of "
    "four injected windows per window; r = 5, 8-D and B train the network. "
    "Encoder: the pull-push loss V1 instead of InfoNCE. Score normal_set "
    "unless majority is named; figures and Gap as in the table series.";

Presentation present(const std::vector<FinishedCell>& cells) {
  const SeriesSummary summary(cells);
  Presentation shown{};
  shown.table.columns = {{"set", Style::kText},
                         {"part", Style::kText},
                         {"variant", Style::kText},
                         {"AP", Style::kMeanSd, 3},
                         {"best F1", Style::kMeanSd, 3},
                         {"VUS-PR", Style::kMeanSd, 3},
                         {"AP, majority", Style::kMeanSd, 3},
                         {"best F1, majority", Style::kMeanSd, 3},
                         {"Gap", Style::kMeanSd, 3},
                         {"Fill", Style::kMeanSd, 3},
                         {"collapsed", Style::kText},
                         {"seconds", Style::kFixed, 2}};
  Json values = Json::array();
  for (const std::string& set : summary.sets()) {
    for (const std::string& method : summary.methods()) {
      const std::string part = part_of(method);
      if (part.empty()) continue;  // majority: a column
      const std::string majority = method + ", majority";
      shown.table.rows.push_back(
          {set, part, method, summary.macro(set, method, "ap"),
           summary.macro(set, method, "best_f1"),
           summary.macro(set, method, "vus_pr"),
           summary.macro(set, majority, "ap"),
           summary.macro(set, majority, "best_f1"),
           summary.macro(set, method, "gap"),
           summary.macro(set, method, "fill"), summary.collapsed(set, method),
           summary.seconds(set, method)});
      values.push_back({{"set", set},
                        {"part", part},
                        {"variant", method},
                        {"AP", summary.macro_mean(set, method, "ap")}});
    }
  }
  shown.notes = notes_of_some(summary, kAbout);
  // One panel per part.
  shown.chart = chart(kTitle, values, {{"type", "bar"}},
                      {{"x", channel("AP", "quantitative", "AP")},
                       {"y", channel("variant", "nominal", "variant")},
                       {"color", channel("set", "nominal", "set")},
                       {"yOffset", channel("set", "nominal", "set")},
                       {"column", channel("part", "nominal", "part")}});
  shown.chart["resolve"] = {{"scale", {{"y", "independent"}}}};
  return shown;
}

}  // namespace
}  // namespace series_ablation

Experiment series_ablation_experiment() {
  using namespace series_ablation;
  return {"series-ablation", kTitle,  seeds_by_size(1, 3), make_cells,
          compute_learned,   present, series_obstacle};
}

}  // namespace sbog::paper
