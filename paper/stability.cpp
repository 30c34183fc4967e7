// SPDX-License-Identifier: Apache-2.0
// Figure 3: how far proposals are from the threshold, and how often a decision
// changes when only n points of the bank are known, over epsilon and n; beside
// it the n that Theorem 3.4 and the kl bounds demand.
#include <cmath>
#include <string>
#include <vector>

#include "paper/latents.h"
#include "paper/registry.h"
#include "paper/table.h"
#include "sbog/certify/required_count.h"
#include "sbog/metrics/energy_margin.h"
#include "sbog/metrics/flip_rate.h"
#include "sbog/sample/anchors.h"

namespace sbog::paper {
namespace stability {
namespace {

std::vector<Cell> cells(const Settings& settings) {
  const bool is_small = settings.size == Size::kSmall;
  std::vector<Cell> list;
  for (const double epsilon : {0.01, 0.02, 0.05, 0.1, 0.2}) {
    for (const std::uint64_t seed : settings.seeds) {
      const int thousandths = static_cast<int>(std::lround(1000 * epsilon));
      list.push_back(
          {"e" + std::to_string(thousandths) + "-s" + std::to_string(seed),
           {{"seed", seed},
            {"dim", 4},
            {"spread", 0.35},
            {"epsilon", epsilon},
            {"sigma", 0.02},
            {"bank", is_small ? 600 : 4000},
            {"trim", 0.08},
            {"level", 0.95},
            {"anchor_share", 0.1},
            {"copies", 4},
            {"subsets", is_small ? 5 : 30},
            {"subset_sizes",
             is_small ? Json{64, 256} : Json{64, 128, 256, 512, 1024}},
            {"delta", 0.05}}});
    }
  }
  return list;
}

std::vector<std::size_t> top_rows(const ScoreResult& bank, double share) {
  std::vector<std::size_t> rows = order_by_score(bank.energies);
  rows.resize(static_cast<std::size_t>(
      std::ceil(share * static_cast<double>(rows.size()))));
  return rows;
}

Json compute(const Json& config, const Context& context) {
  const LatentLaw law{config.at("seed"), config.at("dim"), 5,
                      config.at("spread")};
  const double epsilon = config.at("epsilon");
  const Matrix<float> bank =
      draw_latents<float>(law, LatentPart::kBank, config.at("bank")).points;
  ScoreOptions options;
  options.energy.epsilon = epsilon;
  options.trim = config.at("trim");
  options.threshold.level = config.at("level");
  options.seed = config.at("seed");
  const ScoreResult of_bank =
      score_bank<float>({bank.view(), {}, {}, {}, {}}, options, context);
  const Matrix<float> pool = perturb_rows<float>(
      bank, top_rows(of_bank, config.at("anchor_share")), config.at("copies"),
      config.at("sigma"), config.at("seed"));
  const ScoreProblem<float> problem{bank.view(), {}, {}, pool.view(), {}};
  const ScoreResult scored = score_bank(problem, options, context);
  const std::vector<double> margins =
      energy_margins(scored.energies, query_thresholds(scored));
  const BoundaryDistance distance = boundary_distance(margins);
  const auto count = static_cast<double>(pool.rows());
  const RequiredCounts counts = required_counts(
      {epsilon, scored.classes[0].threshold.value, distance.all.value(), count,
       config.at("delta"), quantile(scored.energies, 1.0)});
  Json json = {{"pool", pool.rows()},
               {"threshold", scored.classes[0].threshold.value},
               {"accepted", accepted_share(margins).value()},
               {"margin_all", distance.all.value()},
               {"margin_accepted", distance.accepted.has_value()
                                       ? Json(*distance.accepted)
                                       : Json(nullptr)},
               {"hoeffding", number(counts.hoeffding)},
               {"one_sided", number(counts.one_sided)},
               {"flips", Json::object()}};
  for (const Json& size : config.at("subset_sizes")) {
    const FlipRate flips =
        flip_rate(problem, options, scored,
                  {size, config.at("subsets"), config.at("seed")}, context);
    json["flips"][size.dump()] = flips.value.value();
  }
  return json;
}

Presentation present(const std::vector<FinishedCell>& all) {
  Presentation shown{};
  shown.table.columns = {{"eps", Style::kGeneral, 6},
                         {"n", Style::kGeneral, 6},
                         {"flip rate", Style::kMeanSd, 3},
                         {"tau", Style::kFixed, 4},
                         {"Delta, all", Style::kFixed, 4},
                         {"Delta, accepted", Style::kFixed, 4},
                         {"accepted", Style::kFixed, 3},
                         {"n of Theorem 3.4 (Hoeffding)", Style::kGeneral, 3},
                         {"n of one-sided kl", Style::kGeneral, 3}};
  Json values = Json::array();
  for (const auto& group : group_by(all, {"epsilon"})) {
    const Json& config = group[0].configuration;
    for (const Json& size : config.at("subset_sizes")) {
      const Json flips = mean_sd_of(group, "/flips/" + size.dump());
      shown.table.rows.push_back(
          {config["epsilon"], size, flips, mean_of(group, "/threshold"),
           mean_of(group, "/margin_all"), mean_of(group, "/margin_accepted"),
           mean_of(group, "/accepted"), geometric_mean_of(group, "/hoeffding"),
           geometric_mean_of(group, "/one_sided")});
      values.push_back({{"epsilon", config["epsilon"]},
                        {"n", size},
                        {"flip", flips[0]},
                        {"margin", mean_of(group, "/margin_all")}});
    }
  }
  shown.notes = {
      "Proposals are perturbations of the top 10 % of the bank, so that some "
      "are accepted and some are not.",
      "Flip rate: share of proposals that n points of the bank decide "
      "otherwise "
      "than all of it, mean (s.d.) over the seeds; the paper's flip rate has n "
      "= 256.",
      "The last two columns are what the bounds demand to decide, with "
      "probability 0.95, all proposals that are at least Delta from tau; Delta "
      "is the median |E - tau|, and these n are geometric means over the "
      "seeds.",
      "There is no column of the paper: the numbers behind its figure are not "
      "available to us."};
  shown.chart = chart("Flip rate of decisions on n points", values,
                      {{"type", "line"}, {"point", true}},
                      {{"x", log_channel("n", "n")},
                       {"y", channel("flip", "quantitative", "flip rate")},
                       {"color", channel("epsilon", "nominal", "epsilon")}});
  return shown;
}

}  // namespace
}  // namespace stability

Experiment stability_experiment() {
  using namespace stability;
  return {"stability",
          "Decision margin and flip rate over epsilon and n (Figure 3)",
          seeds_by_size(1, 4),
          cells,
          compute,
          present};
}

}  // namespace sbog::paper
