// SPDX-License-Identifier: Apache-2.0
// How often fresh rows are as rare as they are told: the tails of a labelled
// bank, from leave-one-out energies within each class as in sbog generate, and
// rows of the same classes that the bank has not seen.
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "paper/latent_tasks.h"
#include "paper/registry.h"
#include "paper/table.h"
#include "sbog/energy/class_tails.h"
#include "sbog/energy/score_bank.h"

namespace sbog::paper {
namespace rarity {
namespace {

constexpr std::array kAsked = {1e-1, 1e-2, 1e-3};
constexpr std::array kNames = {"1 in 10", "1 in 100", "1 in 1,000"};

// The two sets whose classes have rows enough.
bool is_taken(const std::string& task) {
  return task == "clinc150" || task == "cifar100-densenet" || task == "made";
}

std::vector<Cell> cells(const Settings& settings) {
  std::vector<Cell> list;
  for (const std::string& set :
       wanted_sets(settings, list_latent_tasks(settings))) {
    if (!is_taken(set)) continue;
    list.push_back({set, {{"set", set}, {"seed", nullptr}}});  // draws nothing
  }
  return list;
}

// Energies of each class: of its bank rows, each left out, or of other rows.
std::vector<std::vector<double>> energies_by_class(
    const detect::LabelledBank& bank, const ScoreResult& scored,
    std::span<const std::int64_t> labels) {
  const std::vector<std::int64_t>& known = bank.class_labels;
  std::vector<std::vector<double>> energies(known.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto at = std::lower_bound(known.begin(), known.end(), labels[i]);
    energies[static_cast<std::size_t>(at - known.begin())].push_back(
        scored.energies[i]);
  }
  return energies;
}

Json compute(const Json& config, const CellContext& context) {
  const std::string set = config.at("set");
  const LatentTask task = load_latent_task(set, /*seed=*/1, context.data);
  std::vector<std::int64_t> labels;
  for (const std::size_t c : task.bank.classes) {
    labels.push_back(task.bank.class_labels[c]);
  }
  ScoreOptions options;
  options.is_per_class = true;
  options.finds_epsilon = true;
  ScoreProblem<float> problem{task.bank.points.view(), {}, labels, {}, {}};
  const ClassTails tails(energies_by_class(
      task.bank, score_bank<float>(problem, options, context), labels));
  std::array<std::size_t, kAsked.size()> counts{};
  std::size_t fresh = 0;
  for (const LatentRows* rows : {&task.validation, &task.test}) {
    problem.queries = rows->known.view();
    problem.query_labels = rows->labels;
    const auto energies = energies_by_class(
        task.bank, score_bank<float>(problem, options, context), rows->labels);
    for (std::size_t c = 0; c < energies.size(); ++c) {
      for (const double energy : energies[c]) {
        ++fresh;
        const double p = tails.probability(c, energy);
        for (std::size_t k = 0; k < kAsked.size(); ++k) {
          counts[k] += p <= kAsked[k] ? 1 : 0;
        }
      }
    }
  }
  Json result = {{"bank", task.bank.rows()},
                 {"classes", task.bank.class_count()},
                 {"fresh", fresh},
                 {"observed", Json::array()}};
  for (const std::size_t count : counts) {
    result["observed"].push_back(static_cast<double>(count) /
                                 static_cast<double>(fresh));
  }
  return result;
}

Presentation present(const std::vector<FinishedCell>& all) {
  Presentation shown{};
  shown.table.columns = {{"set", Style::kText},
                         {"bank rows", Style::kGeneral, 6},
                         {"classes", Style::kGeneral, 6},
                         {"fresh rows", Style::kGeneral, 6}};
  for (const char* name : kNames) {
    shown.table.columns.push_back({name, Style::kFixed, 4});
  }
  Json values = Json::array();
  for (const FinishedCell& cell : all) {
    const Json& result = cell.result;
    std::vector<Json> row = {cell.configuration["set"], result["bank"],
                             result["classes"], result["fresh"]};
    for (std::size_t k = 0; k < kAsked.size(); ++k) {
      row.push_back(result["observed"][k]);
      values.push_back({{"set", cell.configuration["set"]},
                        {"told", kNames[k]},
                        {"share", result["observed"][k]}});
    }
    shown.table.rows.push_back(std::move(row));
  }
  shown.notes = {
      "The last columns are the shares of fresh rows of the same classes that "
      "are told to be as rare as 1 in 10, 100 and 1,000 of their class, or "
      "rarer: .1, .01 and .001 if the rows were like those of the bank."};
  shown.chart = chart("Fresh rows by the rarity they are told", values, "bar",
                      {{"x", channel("told", "ordinal", "told")},
                       {"y", channel("share", "quantitative", "share")},
                       {"xOffset", {{"field", "set"}}},
                       {"color", channel("set", "nominal", "set")}});
  return shown;
}

}  // namespace
}  // namespace rarity

Experiment rarity_experiment() {
  using namespace rarity;
  return {"rarity",
          "Fresh rows of known classes by the rarity they are told",
          seeds_by_size(1, 1),
          cells,
          compute,
          present,
          latents_obstacle};
}

}  // namespace sbog::paper
