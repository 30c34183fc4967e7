// SPDX-License-Identifier: Apache-2.0
// How many reference points it takes to decide the half of a pool of proposals
// that is farthest from the threshold: Theorem 3.4 (Hoeffding) beside the
// one-sided kl bound and the kl / empirical Bernstein intervals. The population
// is a large sample that neither bank nor pool had a part in.
#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "paper/latents.h"
#include "paper/registry.h"
#include "paper/table.h"
#include "sbog/certify/required_count.h"
#include "sbog/certify/support_interval.h"
#include "sbog/energy/energy_model.h"
#include "sbog/energy/threshold.h"
#include "sbog/sample/anchors.h"

namespace sbog::paper {
namespace certificates {
namespace {

constexpr double kLevel = 0.95;
constexpr double kDelta = 0.05;
constexpr double kAnchorShare = 0.02;

std::vector<Cell> cells(const Settings& settings) {
  const bool is_small = settings.size == Size::kSmall;
  std::vector<Cell> list;
  for (const auto& [dim, spread, sigma, epsilons] :
       {std::tuple(4, 0.35, 0.02, std::vector{0.01, 0.02, 0.05, 0.1, 0.2}),
        std::tuple(16, 0.6, 0.02, std::vector{0.02, 0.05, 0.1, 0.2}),
        std::tuple(64, 0.8, 0.012, std::vector{0.05, 0.1, 0.2})}) {
    for (const double epsilon : epsilons) {
      for (const std::uint64_t seed : settings.seeds) {
        const int thousandths = static_cast<int>(std::lround(1000 * epsilon));
        list.push_back({"d" + std::to_string(dim) + "-e" +
                            std::to_string(thousandths) + "-s" +
                            std::to_string(seed),
                        {{"seed", seed},
                         {"dim", dim},
                         {"spread", spread},
                         {"sigma", sigma},
                         {"epsilon", epsilon},
                         {"bank", is_small ? 200 : 2000},
                         {"population", is_small ? 1000 : 50000},
                         {"copies", is_small ? 4 : 32},
                         {"level", kLevel},
                         {"delta", kDelta},
                         {"anchor_share", kAnchorShare}}});
      }
    }
  }
  return list;
}

// Log of the mean support and its variance for each point of the pool. The
// square of exp(-d/eps) is the kernel of eps/2.
std::vector<SupportSample> supports(MatrixView<const float> population,
                                    MatrixView<const float> pool,
                                    double epsilon, const Context& context) {
  const auto energies = [&](double temperature) {
    const EnergyModel<float> model({population, {}, {}},
                                   {GroundCost::kCosine, temperature, {}});
    return model.evaluate(pool, {}, context).energies;
  };
  const std::vector<double> whole = energies(epsilon);
  const std::vector<double> half = energies(epsilon / 2.0);
  std::vector<SupportSample> samples;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const double log_mean = -whole[i] / epsilon;
    const double square = std::exp(-half[i] / (epsilon / 2.0));
    const double variance = std::max(0.0, square - std::exp(2.0 * log_mean));
    samples.push_back(
        {log_mean, variance, static_cast<double>(population.rows())});
  }
  return samples;
}

Json compute(const Json& config, const Context& context) {
  const LatentLaw law{config.at("seed"), config.at("dim"), 5,
                      config.at("spread")};
  const double epsilon = config.at("epsilon");
  const double delta = config.at("delta");
  const Matrix<float> bank =
      draw_latents<float>(law, LatentPart::kBank, config.at("bank")).points;
  const Matrix<float> population =
      draw_latents<float>(law, LatentPart::kPopulation, config.at("population"))
          .points;
  const EnergyModel<float> model({population.view(), {}, {}},
                                 {GroundCost::kCosine, epsilon, {}});
  const std::vector<double> of_bank =
      model.evaluate(bank, {}, context).energies;
  const double tau = quantile(of_bank, config.at("level"));
  std::vector<std::size_t> anchors = order_by_score(of_bank);
  anchors.resize(static_cast<std::size_t>(
      std::ceil(config.at("anchor_share").get<double>() *
                static_cast<double>(bank.rows()))));
  const Matrix<float> pool =
      perturb_rows<float>(bank, anchors, config.at("copies"),
                          config.at("sigma"), config.at("seed"));
  const std::vector<SupportSample> samples =
      supports(population, pool, epsilon, context);
  const auto count = static_cast<double>(samples.size());
  std::vector<double> distances;
  std::vector<double> needed;
  double highest = 0.0;
  for (const SupportSample& sample : samples) {
    const double energy = -epsilon * sample.log_mean;
    distances.push_back(std::abs(energy - tau));
    highest = std::max(highest, energy);
    needed.push_back(required_count(sample, delta / count, epsilon, tau));
  }
  const double margin = quantile(distances, 0.5);
  const RequiredCounts counts =
      required_counts({epsilon, tau, margin, count, delta, highest});
  return {{"pool", samples.size()},
          {"threshold", tau},
          {"margin", margin},
          {"smallest_margin", quantile(distances, 0.0)},
          {"highest_energy", highest},
          {"hoeffding", number(counts.hoeffding)},
          {"relative", number(counts.relative)},
          {"one_sided", number(counts.one_sided)},
          {"intervals", number(quantile(needed, 0.5))}};
}

Presentation present(const std::vector<FinishedCell>& all) {
  Presentation shown{};
  shown.table.columns = {{"dim", Style::kGeneral, 6},
                         {"eps", Style::kGeneral, 6},
                         {"pool", Style::kGeneral, 6},
                         {"tau", Style::kFixed, 4},
                         {"margin", Style::kFixed, 4},
                         {"n, Theorem 3.4 (Hoeffding)", Style::kGeneral, 3},
                         {"n, two-sided kl", Style::kGeneral, 3},
                         {"n, one-sided kl", Style::kGeneral, 3},
                         {"n, kl and Bernstein intervals", Style::kGeneral, 3},
                         {"gain", Style::kGeneral, 3}};
  Json values = Json::array();
  for (const auto& group : group_by(all, {"dim", "epsilon"})) {
    const Json& config = group[0].configuration;
    const Json hoeffding = geometric_mean_of(group, "/hoeffding");
    const Json ours = geometric_mean_of(group, "/one_sided");
    const bool is_finite = hoeffding.is_number() && ours.is_number();
    shown.table.rows.push_back(
        {config["dim"], config["epsilon"], mean_of(group, "/pool"),
         mean_of(group, "/threshold"), mean_of(group, "/margin"), hoeffding,
         geometric_mean_of(group, "/relative"), ours,
         geometric_mean_of(group, "/intervals"),
         is_finite ? Json(hoeffding.get<double>() / ours.get<double>())
                   : Json(nullptr)});
    for (const auto& [field, bound] :
         {std::pair("hoeffding", "Theorem 3.4 (Hoeffding)"),
          std::pair("one_sided", "one-sided kl"),
          std::pair("intervals", "kl and Bernstein intervals")}) {
      values.push_back(
          {{"epsilon", config["epsilon"]},
           {"dim", config["dim"]},
           {"bound", bound},
           {"n", geometric_mean_of(group, std::string("/") + field)}});
    }
  }
  shown.notes = {
      "Needed n, with probability 0.95, to decide the half of the pool that is "
      "at least the margin (the median |E - tau|) from the threshold.",
      "All bounds are computed here; n and gain are geometric means over the "
      "seeds. Theorem 3.4 pays for the deepest point of the pool, kl for the "
      "contour."};
  Json encoding = {{"x", log_channel("epsilon", "epsilon")},
                   {"y", log_channel("n", "needed n")},
                   {"color", channel("bound", "nominal", "bound")},
                   {"column", channel("dim", "ordinal", "dimension")}};
  shown.chart = chart("Reference points that decide half of a pool", values,
                      {{"type", "line"}, {"point", true}}, encoding);
  return shown;
}

}  // namespace
}  // namespace certificates

Experiment certificates_experiment() {
  using namespace certificates;
  return {"certificates",
          "Needed n: Theorem 3.4 (Hoeffding) beside the kl bounds",
          seeds_by_size(1, 4),
          cells,
          compute,
          present};
}

}  // namespace sbog::paper
