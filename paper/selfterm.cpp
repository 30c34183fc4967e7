// SPDX-License-Identifier: Apache-2.0
// What leave-one-out changes: how many fresh points of the same law lie above
// a threshold that should leave 5 % of them there, when bank points are scored
// with or without themselves in the reference.
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "paper/latents.h"
#include "paper/registry.h"
#include "paper/table.h"
#include "sbog/energy/refined_reference.h"
#include "sbog/energy/score_bank.h"

namespace sbog::paper {
namespace selfterm {
namespace {

constexpr double kTrim = 0.08;
constexpr double kLevel = 0.95;

// Readings of the reference and the threshold, with their headings.
struct Reading {
  const char* key;
  const char* heading;
};
constexpr Reading kReadings[] = {
    {"include", "include"},
    {"exclude", "exclude"},
    {"trimmed_exclude", "trimmed, exclude"},
    {"trimmed_include", "trimmed, kept only, include"},
    {"conformal", "split conformal"},
};

std::vector<Cell> cells(const Settings& settings) {
  const bool is_small = settings.size == Size::kSmall;
  std::vector<Cell> list;
  for (const auto& [dim, bank, epsilon, spread] :
       {std::tuple(4, 256, 0.02, 0.35), std::tuple(4, 1000, 0.02, 0.35),
        std::tuple(64, 1000, 0.05, 0.8), std::tuple(768, 1000, 0.05, 0.8)}) {
    for (const std::uint64_t seed : settings.seeds) {
      list.push_back({"d" + std::to_string(dim) + "-n" + std::to_string(bank) +
                          "-s" + std::to_string(seed),
                      {{"seed", seed},
                       {"dim", dim},
                       {"bank", bank},
                       {"epsilon", epsilon},
                       {"spread", spread},
                       {"trim", kTrim},
                       {"level", kLevel},
                       {"fresh", is_small ? 200 : 2000}}});
    }
  }
  return list;
}

Json entry(double threshold, std::span<const double> fresh) {
  return {{"threshold", number(threshold)},
          {"flagged", share_above(fresh, threshold)}};
}

// Threshold and flagged share by the library's own scoring.
Json scored(const ScoreProblem<float>& problem, const ScoreOptions& options,
            const Context& context) {
  const ScoreResult result = score_bank(problem, options, context);
  Json json = entry(result.classes[0].threshold.value, result.energies);
  json["self_share"] = result.classes[0].median_self_share;
  return json;
}

// The literal reading of a trimmed reference: the quantile is taken over the
// points that were kept, each of which sees itself.
Json trimmed_literal(const ScoreProblem<float>& problem,
                     const ScoreOptions& options, const Context& context) {
  const RefinedReference refined = refine_reference<float>(
      {problem.bank, {}, {}}, options.energy, {options.trim, 1, true}, context);
  std::vector<double> kept;
  for (const std::size_t row : refined.kept) {
    kept.push_back(refined.energies[row]);
  }
  const EnergyModel<float> model({problem.bank, {}, refined.kept},
                                 options.energy);
  const EnergyResult fresh = model.evaluate(problem.queries, {}, context);
  return entry(quantile(kept, options.threshold.level), fresh.energies);
}

Json compute(const Json& config, const Context& context) {
  const LatentLaw law{config.at("seed"), config.at("dim"), 5,
                      config.at("spread")};
  const Matrix<float> bank =
      draw_latents<float>(law, LatentPart::kBank, config.at("bank")).points;
  const Matrix<float> fresh =
      draw_latents<float>(law, LatentPart::kFresh, config.at("fresh")).points;
  const ScoreProblem<float> problem{bank.view(), {}, {}, fresh.view(), {}};
  ScoreOptions options;
  options.energy.epsilon = config.at("epsilon");
  options.threshold.level = config.at("level");
  options.seed = config.at("seed");
  Json json;
  json["exclude"] = scored(problem, options, context);
  ScoreOptions changed = options;
  changed.includes_self = true;
  json["include"] = scored(problem, changed, context);
  changed = options;
  changed.threshold.rule = ThresholdRule::kConformal;
  json["conformal"] = scored(problem, changed, context);
  changed = options;
  changed.trim = config.at("trim");
  json["trimmed_exclude"] = scored(problem, changed, context);
  json["trimmed_include"] = trimmed_literal(problem, changed, context);
  return json;
}

Presentation present(const std::vector<FinishedCell>& all) {
  Presentation shown{};
  shown.table.columns = {
      {"dim", Style::kGeneral, 6},       {"n", Style::kGeneral, 6},
      {"eps", Style::kGeneral, 6},       {"self share", Style::kFixed, 3},
      {"tau include", Style::kFixed, 4}, {"tau exclude", Style::kFixed, 4}};
  for (const Reading& reading : kReadings) {
    shown.table.columns.push_back({reading.heading, Style::kMeanSd, 3});
  }
  Json values = Json::array();
  for (const auto& group : group_by(all, {"dim", "bank", "epsilon"})) {
    const Json& config = group[0].configuration;
    std::vector<Json> row = {config["dim"],
                             config["bank"],
                             config["epsilon"],
                             mean_of(group, "/exclude/self_share"),
                             mean_of(group, "/include/threshold"),
                             mean_of(group, "/exclude/threshold")};
    const std::string where =
        "dim " + config["dim"].dump() + ", n " + config["bank"].dump();
    for (const Reading& reading : kReadings) {
      const std::string pointer = std::string("/") + reading.key + "/flagged";
      row.push_back(mean_sd_of(group, pointer));
      values.push_back({{"where", where},
                        {"reading", reading.heading},
                        {"flagged", mean_of(group, pointer)}});
    }
    shown.table.rows.push_back(std::move(row));
  }
  shown.notes = {
      "The last five columns are the share of fresh points above the "
      "threshold, which should be 0.05: mean (s.d.) over the seeds.",
      "Self share is the median of a bank point's own part in its support."};
  shown.chart =
      chart("Fresh points above a threshold made for 5 %", values, "bar",
            {{"x", channel("where", "nominal", "latents")},
             {"xOffset", {{"field", "reading"}}},
             {"y", channel("flagged", "quantitative", "flagged share")},
             {"color", channel("reading", "nominal", "reading")}});
  return shown;
}

}  // namespace
}  // namespace selfterm

Experiment selfterm_experiment() {
  using namespace selfterm;
  return {"selfterm",
          "What leave-one-out changes: fresh points above the 0.95 threshold",
          seeds_by_size(2, 12),
          cells,
          compute,
          present};
}

}  // namespace sbog::paper
