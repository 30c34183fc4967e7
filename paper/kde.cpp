// SPDX-License-Identifier: Apache-2.0
// The cosine energy on the unit sphere is a Gaussian kernel density estimate
// with bandwidth h = sqrt(epsilon): there 1 - <z,u> = |z-u|^2 / 2, so
//   E(z) = -eps (log kde_h(z) + (m/2) log(2 pi h^2)).
// Energies are compared with a plain density, anchors and outputs with those
// of the sampler run on densities.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "paper/latents.h"
#include "paper/registry.h"
#include "paper/table.h"
#include "sbog/base/inner_product.h"
#include "sbog/energy/energy_model.h"
#include "sbog/sample/sampler.h"

namespace sbog::paper {
namespace kde {
namespace {

std::vector<Cell> cells(const Settings& settings) {
  const bool is_small = settings.size == Size::kSmall;
  std::vector<Cell> list;
  for (const auto& [dim, epsilon, spread] :
       {std::tuple(4, 0.02, 0.35), std::tuple(64, 0.05, 0.8),
        std::tuple(768, 0.05, 0.8)}) {
    for (const std::uint64_t seed : settings.seeds) {
      list.push_back({"d" + std::to_string(dim) + "-s" + std::to_string(seed),
                      {{"seed", seed},
                       {"dim", dim},
                       {"epsilon", epsilon},
                       {"spread", spread},
                       {"bank", is_small ? 200 : 1000},
                       {"queries", is_small ? 50 : 500},
                       {"outputs", is_small ? 10 : 100}}});
    }
  }
  return list;
}

// -eps (log kde + (m/2) log(2 pi h^2)) with h^2 = eps, by plain sums.
double density_energy(MatrixView<const double> bank,
                      std::span<const double> query, double epsilon) {
  std::vector<double> exponents;
  for (std::size_t i = 0; i < bank.rows(); ++i) {
    exponents.push_back(-squared_distance<double, double>(bank.row(i), query) /
                        (2.0 * epsilon));
  }
  const double highest = *std::max_element(exponents.begin(), exponents.end());
  double sum = 0.0;
  for (const double exponent : exponents) sum += std::exp(exponent - highest);
  const double log_scale = 0.5 * static_cast<double>(bank.cols()) *
                           std::log(2.0 * std::numbers::pi * epsilon);
  const double log_density =
      highest + std::log(sum / static_cast<double>(bank.rows())) - log_scale;
  return -epsilon * (log_density + log_scale);
}

// What a rule makes of the bank.
struct Generated {
  std::vector<std::size_t> anchors;  // increasing
  std::vector<Output<double>> outputs;
};

Generated generate(MatrixView<const double> bank, const Json& config, Rule rule,
                   const Context& context) {
  SamplerOptions options = profile_options("paper-series");
  options.rule = rule;
  // A density has no span to draw in: both draw every coordinate.
  options.proposal_mode = ProposalMode::kAmbient;
  options.energy.epsilon = config.at("epsilon");
  options.margin = 0.0;
  options.count = config.at("outputs");
  options.seed = config.at("seed");
  const Sampler<double> sampler({bank, {}, {}, {}}, options);
  const ClassRun<double> run = sampler.prepare(0, context);
  SampledRange<double> range = run.sample(0, options.count, context);
  if (range.status != SolveStatus::kDone) return {};
  Generated made{{}, std::move(range.outputs)};
  made.anchors = run.report(options.count, {}, {}, {}).anchor_rows;
  std::sort(made.anchors.begin(), made.anchors.end());
  return made;
}

std::size_t shared_anchors(const Generated& a, const Generated& b) {
  std::vector<std::size_t> both;
  std::set_intersection(a.anchors.begin(), a.anchors.end(), b.anchors.begin(),
                        b.anchors.end(), std::back_inserter(both));
  return both.size();
}

// Outputs that came from the same anchor, round and proposal, or failed alike.
std::size_t shared_outputs(const Generated& a, const Generated& b) {
  std::size_t count = 0;
  for (std::size_t k = 0; k < a.outputs.size(); ++k) {
    const Output<double>& x = a.outputs[k];
    const Output<double>& y = b.outputs[k];
    const bool is_same = x.anchor_row == y.anchor_row && x.round == y.round &&
                         x.proposal == y.proposal;
    if (x.is_accepted == y.is_accepted && (!x.is_accepted || is_same)) ++count;
  }
  return count;
}

// Largest difference of a coordinate; infinite when only one has an output.
double output_difference(const Generated& a, const Generated& b) {
  double largest = 0.0;
  for (std::size_t k = 0; k < a.outputs.size(); ++k) {
    const std::vector<double>& x = a.outputs[k].point;
    const std::vector<double>& y = b.outputs[k].point;
    if (x.size() != y.size()) return HUGE_VAL;
    for (std::size_t i = 0; i < x.size(); ++i) {
      largest = std::max(largest, std::abs(x[i] - y[i]));
    }
  }
  return largest;
}

Json compute(const Json& config, const Context& context) {
  const LatentLaw law{config.at("seed"), config.at("dim"), 5,
                      config.at("spread")};
  const double epsilon = config.at("epsilon");
  const Matrix<double> bank =
      draw_latents<double>(law, LatentPart::kBank, config.at("bank")).points;
  const Matrix<double> queries =
      draw_latents<double>(law, LatentPart::kFresh, config.at("queries"))
          .points;
  const EnergyModel<double> model({bank.view(), {}, {}},
                                  {GroundCost::kCosine, epsilon, {}});
  const std::vector<double> energies =
      model.evaluate(queries, {}, context).energies;
  double difference = 0.0;
  double sum = 0.0;
  for (std::size_t q = 0; q < queries.rows(); ++q) {
    const double density = density_energy(bank, queries.row(q), epsilon);
    difference = std::max(difference, std::abs(energies[q] - density));
    sum += energies[q];
  }
  const Generated ours = generate(bank, config, Rule::kSbog, context);
  const Generated matched = generate(bank, config, Rule::kKdeMatched, context);
  const Generated scott = generate(bank, config, Rule::kKdeScott, context);
  return {{"mean_energy", sum / static_cast<double>(queries.rows())},
          {"energy_difference", difference},
          {"anchors", ours.anchors.size()},
          {"anchors_matched", shared_anchors(ours, matched)},
          {"anchors_scott", shared_anchors(ours, scott)},
          {"outputs", ours.outputs.size()},
          {"outputs_matched", shared_outputs(ours, matched)},
          {"outputs_scott", shared_outputs(ours, scott)},
          {"output_difference", number(output_difference(ours, matched))}};
}

// Largest value over the cells.
Json largest(const std::vector<FinishedCell>& cells, const char* field) {
  double value = 0.0;
  for (const FinishedCell& cell : cells) {
    const Json& found = cell.result.at(field);
    value = std::max(value, found.is_number() ? found.get<double>() : HUGE_VAL);
  }
  return number(value);
}

Presentation present(const std::vector<FinishedCell>& all) {
  Presentation shown{};
  shown.table.columns = {
      {"dim", Style::kGeneral, 6},
      {"eps", Style::kGeneral, 6},
      {"h", Style::kFixed, 4},
      {"mean E", Style::kFixed, 4},
      {"max |E - E of kde|", Style::kGeneral, 2},
      {"anchors", Style::kGeneral, 6},
      {"shared, h = sqrt(eps)", Style::kGeneral, 6},
      {"shared, Scott", Style::kGeneral, 6},
      {"outputs", Style::kGeneral, 6},
      {"same, h = sqrt(eps)", Style::kGeneral, 6},
      {"same, Scott", Style::kGeneral, 6},
      {"max |v - v of kde|", Style::kGeneral, 2},
  };
  Json values = Json::array();
  for (const auto& group : group_by(all, {"dim", "epsilon"})) {
    const Json& config = group[0].configuration;
    shown.table.rows.push_back(
        {config["dim"], config["epsilon"],
         std::sqrt(config["epsilon"].get<double>()),
         mean_of(group, "/mean_energy"), largest(group, "energy_difference"),
         mean_of(group, "/anchors"), mean_of(group, "/anchors_matched"),
         mean_of(group, "/anchors_scott"), mean_of(group, "/outputs"),
         mean_of(group, "/outputs_matched"), mean_of(group, "/outputs_scott"),
         largest(group, "output_difference")});
    for (const char* rule : {"matched", "scott"}) {
      values.push_back(
          {{"dim", config["dim"]},
           {"bandwidth", rule},
           {"same", mean_of(group, std::string("/outputs_") + rule)}});
    }
  }
  shown.notes = {
      "Counts are means over the seeds, differences the largest over them.",
      "With h = sqrt(eps) a kernel density is the energy: nothing differs but "
      "rounding. With another bandwidth it is another score."};
  shown.chart = chart("Outputs shared with kernel densities", values, "bar",
                      {{"x", channel("dim", "ordinal", "dimension")},
                       {"y", channel("same", "quantitative", "same outputs")},
                       {"xOffset", {{"field", "bandwidth"}}},
                       {"color", channel("bandwidth", "nominal", "h")}});
  return shown;
}

}  // namespace
}  // namespace kde

Experiment kde_experiment() {
  using namespace kde;
  return {"kde",
          "The cosine energy on the sphere is a Gaussian kernel density with "
          "bandwidth sqrt(eps)",
          seeds_by_size(1, 4),
          cells,
          compute,
          present};
}

}  // namespace sbog::paper
