// SPDX-License-Identifier: Apache-2.0
// Calculators and diagnostics of certify_extras.h.
#include "certify_extras.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sbog/certify/coupled_bootstrap.h"
#include "sbog/certify/coverage_plan.h"
#include "sbog/certify/knn_bound.h"
#include "sbog/certify/required_count.h"
#include "sbog/certify/uniform_bound.h"
#include "sbog/energy/local_reference.h"
#include "sbog/energy/threshold.h"
#include "sbog/metrics/flip_rate.h"

namespace sbog::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kNeighbours = 5;
constexpr std::size_t kFittedRadii = 50;
constexpr std::size_t kBootstrapRounds = 200;

// JSON has no infinity.
Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

// The pool as the theorems see it: margins of the accepted outliers.
PoolSetting setting_of(const Certificate& certificate) {
  PoolSetting setting;
  setting.epsilon = certificate.epsilon;
  setting.delta = certificate.delta;
  setting.pool = certificate.pool;
  setting.threshold = certificate.classes[0].threshold;
  std::vector<double> margins;
  double highest = setting.threshold;
  for (const OutlierCertificate& outlier : certificate.outliers) {
    const double tau = certificate.classes[outlier.cls].threshold;
    if (!outlier.is_accepted || !std::isfinite(outlier.energy)) continue;
    margins.push_back(outlier.energy - tau);
    highest = std::max(highest, outlier.energy);
  }
  if (margins.empty()) return setting;
  setting.margin = quantile(margins, 0.5);
  setting.highest_energy =
      std::max(highest, setting.threshold + setting.margin);
  return setting;
}

template <typename T>
Json knn_json(const CertifyInputs<T>& inputs, const Certificate& certificate,
              const Context& context) {
  const std::size_t n = inputs.reference.rows();
  const std::size_t count = std::min(kFittedRadii, n);
  if (count < kNeighbours) return nullptr;
  // The outlier in the middle of the energies stands for all.
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < certificate.outliers.size(); ++i) {
    order.emplace_back(certificate.outliers[i].energy, i);
  }
  std::nth_element(
      order.begin(),
      order.begin() + static_cast<std::ptrdiff_t>(order.size() / 2),
      order.end());
  const EnergyModel<T> model(
      {std::as_const(inputs.reference).view(), inputs.weights, {}},
      inputs.options.energy);
  const Neighbours near =
      nearest_atoms<T>(model,
                       std::as_const(inputs.outliers)
                           .view()
                           .subrows(order[order.size() / 2].second, 1),
                       count, {}, context);
  std::vector<double> radii(near.costs.row(0).begin(), near.costs.row(0).end());
  for (double& radius : radii) radius = std::max(radius, 0.0);
  if (!(radii.back() > radii.front()) || !(radii[kNeighbours - 1] > 0.0)) {
    return nullptr;
  }
  const auto size = static_cast<double>(n);
  const BallMassFit fit = fit_ball_mass(radii, size);
  const double radius = radii[kNeighbours - 1];
  const KnnBound bound = knn_radius_bound(fit, kNeighbours, radius, size);
  Json json;
  json["label"] = bound.label;
  json["k"] = kNeighbours;
  json["radius"] = radius;
  json["constant"] = number(fit.constant);
  json["exponent"] = fit.exponent;
  json["vacuous"] = bound.is_vacuous;
  json["reason"] = bound.reason;
  json["probability"] = bound.probability;
  return json;
}

Json uniform_json(const Certificate& certificate, double dim) {
  UniformSetting setting;
  setting.epsilon = certificate.epsilon;
  setting.count = static_cast<double>(certificate.classes[0].reference_count);
  setting.dim = dim;
  setting.delta = certificate.delta;
  setting.log_min_support = log_sphere_support(certificate.epsilon);
  const UniformBound bound = uniform_bound(setting);
  return {{"vacuous", bound.is_vacuous},
          {"reason", bound.reason},
          {"needed_support", number(bound.needed_support)},
          {"error", number(bound.error)}};
}

template <typename T>
Json flip_json(const CertifyInputs<T>& inputs, const Context& context) {
  ScoreOptions options;
  options.energy = inputs.options.energy;
  options.threshold.level = inputs.options.level;
  options.is_per_class = !inputs.outlier_labels.empty();
  const ScoreProblem<T> problem{std::as_const(inputs.reference).view(),
                                inputs.weights, inputs.reference_labels,
                                std::as_const(inputs.outliers).view(),
                                inputs.outlier_labels};
  const ScoreResult scored = score_bank(problem, options, context);
  if (scored.status != SolveStatus::kDone) return nullptr;
  const FlipRate rate = flip_rate(problem, options, scored, {}, context);
  return rate.value ? Json(*rate.value) : Json(nullptr);
}

// Points of one label out of both halves.
template <typename T>
Matrix<T> class_points(const CertifyInputs<T>& inputs, std::int64_t label) {
  std::vector<const T*> rows;
  const auto add = [&](const Matrix<T>& points,
                       const std::vector<std::int64_t>& labels) {
    for (std::size_t i = 0; i < points.rows(); ++i) {
      if (labels.empty() || labels[i] == label) {
        rows.push_back(points.row(i).data());
      }
    }
  };
  add(inputs.calibration, inputs.calibration_labels);
  add(inputs.reference, inputs.reference_labels);
  Matrix<T> points(rows.size(), inputs.reference.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy_n(rows[i], points.cols(), points.row(i).data());
  }
  return points;
}

template <typename T>
Json bootstrap_json(const CertifyInputs<T>& inputs, std::size_t replicates,
                    const Context& context) {
  SamplerOptions options = *inputs.sampler;
  options.splits_bank = false;
  options.has_semantic_test = false;
  BootstrapOptions bootstrap;
  bootstrap.replicates = replicates;
  bootstrap.rounds =
      std::max<std::size_t>(20, kBootstrapRounds / inputs.hits.size());
  bootstrap.seed = options.seed;
  double change = 0.0;
  double high = 0.0;
  double overlap = 0.0;
  double count = 0.0;
  for (std::size_t c = 0; c < inputs.hits.size(); ++c) {
    const Matrix<T> points = class_points(inputs, inputs.hits[c].label);
    ClassProblem<T> problem;
    problem.points = points.view();
    problem.cls = static_cast<std::uint32_t>(c);
    const BootstrapResult result =
        coupled_bootstrap(problem, options, bootstrap, context);
    if (result.status != SolveStatus::kDone) continue;
    change += result.mean_change;
    high = std::max(high, result.high_change);
    overlap += result.mean_overlap;
    count += 1.0;
  }
  if (count == 0.0) return nullptr;
  return {{"label", "bootstrap diagnostic"},
          {"replicates", replicates},
          {"mean_change", change / count},
          {"high_change", high},
          {"anchor_overlap", overlap / count}};
}

Json coverage_json(const std::vector<AnchorHits>& hits, double delta) {
  Json json = Json::array();
  for (const AnchorHits& hit : hits) {
    CoverageSetting setting;
    for (const std::uint64_t count : hit.counts) setting.pilot += count;
    if (setting.pilot == 0 || hit.counts.empty()) continue;
    setting.outputs = setting.pilot;
    setting.delta = delta;
    setting.pilot_delta = delta;
    const CoveragePlan plan = plan_coverage(hit.counts, setting);
    json.push_back({{"label", hit.label},
                    {"anchors", hit.counts.size()},
                    {"outliers", setting.pilot},
                    {"anchors_not_hit", plan.empty_regions.size()},
                    {"vacuous", plan.is_vacuous},
                    {"reason", plan.reason},
                    {"needed_outliers", number(plan.needed_sharp)},
                    {"probability_of_all", plan.probability_sharp}});
  }
  return json;
}

}  // namespace

template <typename T>
Json calculators_json(const CertifyInputs<T>& inputs,
                      const Certificate& certificate, const Context& context) {
  Json json;
  const PoolSetting setting = setting_of(certificate);
  if (setting.margin > 0.0) {
    const RequiredCounts counts = required_counts(setting);
    json["required_n"] = {{"margin", setting.margin},
                          {"pool", setting.pool},
                          {"hoeffding_paper", number(counts.hoeffding)},
                          {"two_sided_relative", number(counts.relative)},
                          {"one_sided_kl", number(counts.one_sided)}};
    const HoeffdingBound bound = hoeffding_bound(
        setting, static_cast<double>(certificate.classes[0].reference_count));
    json["hoeffding"] = {
        {"vacuous", bound.is_vacuous},
        {"deviation", bound.deviation},
        {"covers_energies_up_to", number(bound.highest_energy)}};
  }
  json["knn_theorem"] = knn_json(inputs, certificate, context);
  json["uniform_bound"] =
      uniform_json(certificate, static_cast<double>(inputs.reference.cols()));
  return json;
}

template <typename T>
Json diagnostics_json(const CertifyInputs<T>& inputs, std::size_t replicates,
                      const Context& context) {
  Json json;
  json["flip_rate_256"] = flip_json(inputs, context);
  json["bootstrap"] = nullptr;
  json["coverage"] = coverage_json(inputs.hits, inputs.options.delta);
  const bool has_rounds =
      inputs.sampler &&
      score_kind(inputs.sampler->rule) == ScoreKind::kEnergy &&
      inputs.sampler->rule != Rule::kVos && inputs.sampler->rule != Rule::kBood;
  if (has_rounds && replicates > 0) {
    json["bootstrap"] = bootstrap_json(inputs, replicates, context);
  }
  return json;
}

template Json calculators_json(const CertifyInputs<float>&, const Certificate&,
                               const Context&);
template Json calculators_json(const CertifyInputs<double>&, const Certificate&,
                               const Context&);
template Json diagnostics_json(const CertifyInputs<float>&, std::size_t,
                               const Context&);
template Json diagnostics_json(const CertifyInputs<double>&, std::size_t,
                               const Context&);

}  // namespace sbog::cli
