// SPDX-License-Identifier: Apache-2.0
// How often the 95 % interval of a rarity covers the truth, on laws whose tail
// is known: closed forms, and energies of mixtures on the sphere, whose tail is
// that of a large sample. n scores are drawn again and again, and each time the
// score that is exceeded with probability 1 / n is asked about.
#include <algorithm>
#include <array>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "paper/latents.h"
#include "paper/registry.h"
#include "paper/table.h"
#include "sbog/base/find_root.h"
#include "sbog/base/philox.h"
#include "sbog/energy/energy_model.h"
#include "sbog/energy/rarity.h"
#include "sbog/energy/threshold.h"

namespace sbog::paper {
namespace rarity_intervals {
namespace {

constexpr std::uint32_t kScores = 7;  // streams of the draws
constexpr std::size_t kReference = 300;
constexpr double kEpsilon = 0.05;

// A score by the probability that it is exceeded.
using Quantile = std::function<double(double)>;

double normal_at(double p) {
  return boost::math::quantile(
      boost::math::complement(boost::math::normal(), p));
}

// |x| with x normal, of width 1 or, one time in twenty, 3: the tail is another
// law than what exceeds the 0.90 quantile mostly is.
double two_widths_at(double p) {
  const auto excess = [&](double x) {
    return std::log(0.95 * std::erfc(x / std::sqrt(2.0)) +
                    0.05 * std::erfc(x / (3.0 * std::sqrt(2.0)))) -
           std::log(p);
  };
  return find_root(excess, {0.0, 60.0, excess(0.0), excess(60.0)},
                   {200, 1e-10, 3})
      .root();
}

struct Law {
  const char* name;
  const char* about;
  Quantile at;
};

const std::vector<Law>& laws() {
  static const std::vector<Law> kLaws = {
      {"exponential", "xi = 0", [](double p) { return -std::log(p); }},
      {"pareto", "xi = 0.25",
       [](double p) { return (std::pow(p, -0.25) - 1.0) / 0.25; }},
      {"heavy", "xi = 0.5",
       [](double p) { return (std::pow(p, -0.5) - 1.0) / 0.5; }},
      {"bounded", "xi = -0.25",
       [](double p) { return (1.0 - std::pow(p, 0.25)) / 0.25; }},
      {"normal", "", normal_at},
      {"lognormal", "", [](double p) { return std::exp(normal_at(p)); }},
      {"two-widths", "the tail changes far out", two_widths_at},
  };
  return kLaws;
}

std::vector<Cell> cells(const Settings& settings) {
  const bool is_small = settings.size == Size::kSmall;
  std::vector<Cell> list;
  const auto add = [&](const std::string& law, std::size_t dim, std::size_t n) {
    for (const std::uint64_t seed : settings.seeds) {
      const std::string key = law + (dim > 0 ? std::to_string(dim) : "");
      list.push_back(
          {key + "-n" + std::to_string(n) + "-s" + std::to_string(seed),
           {{"law", law},
            {"dim", dim},
            {"n", n},
            {"seed", seed},
            {"repetitions", is_small ? 20 : 200}}});
    }
  };
  for (const std::size_t n : {std::size_t{1000}, std::size_t{4000}}) {
    if (is_small && n > 1000) break;
    for (const Law& law : laws()) add(law.name, 0, n);
    for (const std::size_t dim :
         {std::size_t{4}, std::size_t{16}, std::size_t{64}, std::size_t{256}}) {
      if (is_small && dim > 4) break;
      add("mixture", dim, n);
    }
  }
  return list;
}

// Energies of fresh points of a mixture to a fixed sample of it.
std::vector<double> mixture_energies(const Json& config, std::size_t count,
                                     const Context& context) {
  constexpr std::size_t kAtOnce = 20000;
  const LatentLaw law{config.at("seed"), config.at("dim"), 3, 0.5};
  const Matrix<float> reference =
      draw_latents<float>(law, LatentPart::kBank, kReference).points;
  const EnergyModel<float> model({reference.view(), {}, {}},
                                 {GroundCost::kCosine, kEpsilon, {}});
  const Matrix<float> points =
      draw_latents<float>(law, LatentPart::kFresh, count).points;
  std::vector<double> energies;
  for (std::size_t first = 0; first < count; first += kAtOnce) {
    const auto found =
        model
            .evaluate(
                points.view().subrows(first, std::min(kAtOnce, count - first)),
                {}, context)
            .energies;
    energies.insert(energies.end(), found.begin(), found.end());
  }
  return energies;
}

// All scores of a cell, and the one that is exceeded with probability 1 / n.
std::pair<std::vector<double>, double> scores_of(const Json& config,
                                                 const Context& context) {
  const std::size_t n = config.at("n");
  const std::size_t count = n * config.at("repetitions").get<std::size_t>();
  const double p = 1.0 / static_cast<double>(n);
  const std::string name = config.at("law");
  if (name == "mixture") {
    std::vector<double> energies = mixture_energies(config, count, context);
    const double score = quantile(energies, 1.0 - p);
    return {std::move(energies), score};
  }
  const auto law = std::ranges::find_if(
      laws(), [&](const Law& one) { return name == one.name; });
  std::vector<double> scores(count);
  for (std::size_t i = 0; i < count; ++i) {
    scores[i] =
        law->at(PhiloxStream(config.at("seed"), kScores, 0, i).uniform(0));
  }
  return {std::move(scores), law->at(p)};
}

Json compute(const Json& config, const CellContext& context) {
  const std::size_t n = config.at("n");
  const std::size_t repetitions = config.at("repetitions");
  const auto drawn = scores_of(config, context);
  const std::span<const double> scores(drawn.first);
  const double score = drawn.second;
  const double truth = 1.0 / static_cast<double>(n);
  std::vector<RarityEstimate> found(repetitions);
  parallel_for(context, repetitions, [&](std::size_t r, std::size_t) {
    const TailModel model(scores.subspan(r * n, n), {.seed = 1, .stream = r});
    found[r] = model.rarity(score);
  });
  std::size_t above = 0;
  std::size_t below = 0;
  std::vector<double> widths;
  std::vector<double> ratios;
  for (const RarityEstimate& one : found) {
    above += one.low > truth ? 1 : 0;
    below += one.high < truth ? 1 : 0;
    widths.push_back(one.high / one.low);
    ratios.push_back(*one.probability / truth);
  }
  const auto share = [&](std::size_t count) {
    return static_cast<double>(count) / static_cast<double>(repetitions);
  };
  return {{"covered", 1.0 - share(above + below)},
          {"all_above", share(above)},
          {"all_below", share(below)},
          {"median_width", quantile(widths, 0.5)},
          {"median_ratio", quantile(ratios, 0.5)}};
}

std::string words_of(const Json& config) {
  const std::string name = config.at("law");
  if (name == "mixture") {
    return "mixture on the sphere, dimension " +
           std::to_string(config.at("dim").get<std::size_t>());
  }
  const auto law = std::ranges::find_if(
      laws(), [&](const Law& one) { return name == one.name; });
  return name + (*law->about != '\0' ? std::string(", ") + law->about : "");
}

Presentation present(const std::vector<FinishedCell>& all) {
  Presentation shown{};
  shown.table.columns = {{"law of the scores", Style::kText},
                         {"n", Style::kGeneral, 6},
                         {"covered", Style::kFixed, 3},
                         {"told too common", Style::kFixed, 3},
                         {"told too rare", Style::kFixed, 3},
                         {"high / low", Style::kFixed, 1},
                         {"estimate / truth", Style::kFixed, 2}};
  Json values = Json::array();
  for (const auto& group : group_by(all, {"law", "dim", "n"})) {
    const Json& config = group[0].configuration;
    const std::string law = words_of(config);
    shown.table.rows.push_back(
        {law, config["n"], mean_of(group, "/covered"),
         mean_of(group, "/all_above"), mean_of(group, "/all_below"),
         mean_of(group, "/median_width"), mean_of(group, "/median_ratio")});
    values.push_back({{"law", law},
                      {"n", config["n"]},
                      {"covered", mean_of(group, "/covered")}});
  }
  shown.notes = {
      "Asked about the score that is exceeded with probability 1 / n. Covered: "
      "share of the repetitions whose 95 % interval holds the truth; told too "
      "common (rare): the whole interval lies above (below) it. High / low: "
      "median width of the interval as a factor. The last column is a median, "
      "too."};
  shown.chart =
      chart("Coverage of 95 % intervals of a rarity of 1 in n", values, "point",
            {{"x", channel("covered", "quantitative", "covered")},
             {"y", channel("law", "nominal", "law")},
             {"color", channel("n", "nominal", "n")}});
  return shown;
}

}  // namespace
}  // namespace rarity_intervals

Experiment rarity_intervals_experiment() {
  using namespace rarity_intervals;
  return {"rarity-intervals",
          "Coverage of the intervals of rarities",
          seeds_by_size(1, 1),
          cells,
          compute,
          present};
}

}  // namespace sbog::paper
