// SPDX-License-Identifier: Apache-2.0
// The last figure: energy gap, strength, alignment and fill of the outputs of
// Algorithm 1 over epsilon and the margin that is added to the threshold.
//   gap        mean E(v) - tau            strength  mean E(v)
//   alignment  mean cosine to the mean direction of the source class
//   fill       share of anchors (and of all bank points) with a feasible
//              proposal among M
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "paper/latents.h"
#include "paper/registry.h"
#include "paper/table.h"
#include "sbog/metrics/class_similarity.h"
#include "sbog/metrics/energy_margin.h"
#include "sbog/sample/sample_outliers.h"

namespace sbog::paper {
namespace energy_ablation {
namespace {

// The paper's own setting for series, and what it prints for it (on its data).
constexpr double kPaperEpsilon = 0.02;
constexpr double kPaperMargin = 0.04;
constexpr double kPaperGap = 0.126;
constexpr double kPaperFill = 1.0;

std::vector<Cell> cells(const Settings& settings) {
  const bool is_small = settings.size == Size::kSmall;
  std::vector<Cell> list;
  for (const double epsilon : {0.01, 0.02, 0.05, 0.1}) {
    for (const double margin : {0.0, 0.02, 0.04, 0.08}) {
      for (const std::uint64_t seed : settings.seeds) {
        const auto thousandths = [](double value) {
          return std::to_string(std::lround(1000 * value));
        };
        list.push_back({"e" + thousandths(epsilon) + "-m" +
                            thousandths(margin) + "-s" + std::to_string(seed),
                        {{"seed", seed},
                         {"dim", 4},
                         {"components", 3},
                         {"spread", 0.35},
                         {"epsilon", epsilon},
                         {"margin", margin},
                         {"bank", is_small ? 300 : 3000},
                         {"outputs", is_small ? 10 : 100},
                         {"proposals", is_small ? 32 : 128},
                         {"rounds", is_small ? 8 : 64},
                         {"fill_rows", is_small ? 30 : 300}}});
      }
    }
  }
  return list;
}

// Feasible proposals of the first `count` anchors, or of all if there are less.
void probe_into(std::vector<std::size_t>& feasible, const ClassRun<float>& run,
                std::size_t count, std::size_t proposals,
                const Context& context) {
  std::vector<std::size_t> anchors(std::min(count, run.anchor_count()));
  std::iota(anchors.begin(), anchors.end(), std::size_t{0});
  const Probe probe = run.probe(anchors, proposals, 0, context);
  feasible.insert(feasible.end(), probe.feasible.begin(), probe.feasible.end());
}

// The sum of the points of each class, which has its mean direction.
Matrix<double> class_sums(const LatentSample<float>& bank,
                          const std::vector<std::int64_t>& classes) {
  Matrix<double> sums(classes.size(), bank.points.cols());
  for (std::size_t i = 0; i < bank.points.rows(); ++i) {
    const auto found =
        std::find(classes.begin(), classes.end(), bank.labels[i]);
    const std::span<double> sum =
        sums.row(static_cast<std::size_t>(found - classes.begin()));
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += bank.points(i, k);
  }
  return sums;
}

// Mean cosine to the mean direction of the class; null without outputs.
Json alignment(const OutlierSet<float>& made, const LatentSample<float>& bank,
               const std::vector<std::int64_t>& classes) {
  if (made.outputs.empty()) return nullptr;
  const ClassDirections means =
      class_anchors<double>(class_sums(bank, classes), classes);
  return class_similarity<float>(made.points(bank.points.cols()), made.classes,
                                 means)
      .mean_cosine;
}

SamplerOptions to_options(const Json& config) {
  SamplerOptions options = profile_options("paper-series");
  options.energy.epsilon = config.at("epsilon");
  options.margin = config.at("margin");
  options.proposal_count = config.at("proposals");
  options.max_rounds = config.at("rounds");
  options.count = config.at("outputs");
  options.seed = config.at("seed");
  return options;
}

Json compute(const Json& config, const Context& context) {
  const LatentLaw law{config.at("seed"), config.at("dim"),
                      config.at("components"), config.at("spread")};
  const LatentSample<float> bank =
      draw_latents<float>(law, LatentPart::kBank, config.at("bank"));
  const SampleProblem<float> problem{bank.points.view(), bank.labels, {}, {}};
  const SamplerOptions options = to_options(config);
  const Sampler<float> sampler(problem, options);
  SamplerOptions everywhere = options;
  everywhere.rule = Rule::kNoTop;
  const Sampler<float> whole(problem, everywhere);
  const OutlierSet<float> made =
      sample_outliers<float>(problem, options, context);
  std::vector<std::size_t> anchor_feasible;
  std::vector<std::size_t> bank_feasible;
  for (std::size_t c = 0; c < sampler.labels().size(); ++c) {
    const ClassRun<float> run = sampler.prepare(c, context);
    probe_into(anchor_feasible, run, run.anchor_count(), options.proposal_count,
               context);
    probe_into(bank_feasible, whole.prepare(c, context), config.at("fill_rows"),
               options.proposal_count, context);
  }
  const std::size_t asked = options.count * sampler.labels().size();
  std::vector<double> margins;
  std::vector<double> energies;
  for (const Output<float>& output : made.outputs) {
    margins.push_back(output.margin);
    energies.push_back(output.energy);
  }
  Json strength = nullptr;
  if (!energies.empty()) {
    strength = std::accumulate(energies.begin(), energies.end(), 0.0) /
               static_cast<double>(energies.size());
  }
  return {{"gap", number(energy_gap(margins))},
          {"strength", strength},
          {"alignment", alignment(made, bank, sampler.labels())},
          {"fill_anchors", number(fill_rate(anchor_feasible))},
          {"fill_bank", number(fill_rate(bank_feasible))},
          {"produced", static_cast<double>(made.outputs.size()) /
                           static_cast<double>(asked)}};
}

Presentation present(const std::vector<FinishedCell>& all) {
  Presentation shown{};
  shown.table.columns = {{"eps", Style::kGeneral, 6},
                         {"margin", Style::kGeneral, 6},
                         {"gap", Style::kMeanSd, 4},
                         {"strength", Style::kFixed, 4},
                         {"alignment", Style::kFixed, 3},
                         {"fill, anchors", Style::kFixed, 3},
                         {"fill, bank", Style::kFixed, 3},
                         {"produced", Style::kFixed, 3},
                         {"gap", Style::kFixed, 3, Source::kPaper},
                         {"fill", Style::kFixed, 3, Source::kPaper}};
  Json values = Json::array();
  for (const auto& group : group_by(all, {"epsilon", "margin"})) {
    const Json& config = group[0].configuration;
    const bool is_papers =
        config["epsilon"] == kPaperEpsilon && config["margin"] == kPaperMargin;
    shown.table.rows.push_back(
        {config["epsilon"], config["margin"], mean_sd_of(group, "/gap"),
         mean_of(group, "/strength"), mean_of(group, "/alignment"),
         mean_of(group, "/fill_anchors"), mean_of(group, "/fill_bank"),
         mean_of(group, "/produced"), is_papers ? Json(kPaperGap) : Json(),
         is_papers ? Json(kPaperFill) : Json()});
    for (const char* metric :
         {"gap", "strength", "alignment", "fill_anchors"}) {
      values.push_back({{"epsilon", config["epsilon"]},
                        {"margin", config["margin"]},
                        {"metric", metric},
                        {"value", mean_of(group, std::string("/") + metric)}});
    }
  }
  shown.notes = {
      "Means over the seeds (s.d.); a dash where nothing was produced.",
      "The paper's figures are those of its series at its own setting: other "
      "data, so they show the scale and are no target."};
  Json encoding = {{"x", log_channel("epsilon", "epsilon")},
                   {"y", channel("value", "quantitative", "")},
                   {"color", channel("margin", "nominal", "margin")},
                   {"facet", channel("metric", "nominal", "")}};
  encoding["facet"]["columns"] = 2;
  shown.chart = chart("Outputs over epsilon and margin", values,
                      {{"type", "line"}, {"point", true}}, encoding);
  shown.chart["resolve"] = {{"scale", {{"y", "independent"}}}};
  return shown;
}

}  // namespace
}  // namespace energy_ablation

Experiment energy_ablation_experiment() {
  using namespace energy_ablation;
  return {"energy-ablation",
          "Energy gap, strength, alignment and fill over epsilon and margin",
          seeds_by_size(1, 4),
          cells,
          compute,
          present};
}

}  // namespace sbog::paper
