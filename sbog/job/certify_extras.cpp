// SPDX-License-Identifier: Apache-2.0
// Calculators and diagnostics of certify_extras.h.
#include "sbog/job/certify_extras.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "sbog/certify/coupled_bootstrap.h"
#include "sbog/energy/local_reference.h"
#include "sbog/energy/threshold.h"
#include "sbog/metrics/flip_rate.h"
#include "sbog/run/run_json.h"

namespace sbog::job {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kNeighbours = 5;
constexpr std::size_t kFittedRadii = 50;
constexpr std::size_t kBootstrapRounds = 200;

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
std::optional<KnnTheorem> knn_theorem(const CertifyInputs<T>& inputs,
                                      const Certificate& certificate,
                                      const Context& context) {
  const std::size_t n = inputs.reference.rows();
  const std::size_t count = std::min(kFittedRadii, n);
  if (count < kNeighbours) return std::nullopt;
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
    return std::nullopt;
  }
  const auto size = static_cast<double>(n);
  KnnTheorem theorem;
  theorem.neighbours = kNeighbours;
  theorem.radius = radii[kNeighbours - 1];
  theorem.fit = fit_ball_mass(radii, size);
  theorem.bound =
      knn_radius_bound(theorem.fit, kNeighbours, theorem.radius, size);
  return theorem;
}

UniformBound uniform_of(const Certificate& certificate, double dim) {
  UniformSetting setting;
  setting.epsilon = certificate.epsilon;
  setting.count = static_cast<double>(certificate.classes[0].reference_count);
  setting.dim = dim;
  setting.delta = certificate.delta;
  setting.log_min_support = log_sphere_support(certificate.epsilon);
  return uniform_bound(setting);
}

template <typename T>
std::optional<double> flip_rate_of(const CertifyInputs<T>& inputs,
                                   const Context& context) {
  sbog::ScoreOptions options;
  options.energy = inputs.options.energy;
  options.threshold.level = inputs.options.level;
  options.is_per_class = !inputs.outlier_labels.empty();
  const ScoreProblem<T> problem{std::as_const(inputs.reference).view(),
                                inputs.weights, inputs.reference_labels,
                                std::as_const(inputs.outliers).view(),
                                inputs.outlier_labels};
  const sbog::ScoreResult scored = score_bank(problem, options, context);
  if (scored.status != SolveStatus::kDone) return std::nullopt;
  return flip_rate(problem, options, scored, {}, context).value;
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
std::optional<BootstrapSummary> bootstrap_of(const CertifyInputs<T>& inputs,
                                             std::size_t replicates,
                                             const Context& context) {
  SamplerOptions options = *inputs.sampler;
  options.certify = false;
  options.semantic = false;
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
  if (count == 0.0) return std::nullopt;
  return BootstrapSummary{replicates, change / count, high, overlap / count};
}

std::vector<ClassCoverage> coverage_of(const std::vector<AnchorHits>& hits,
                                       double delta) {
  std::vector<ClassCoverage> all;
  for (const AnchorHits& hit : hits) {
    CoverageSetting setting;
    for (const std::uint64_t count : hit.counts) setting.pilot += count;
    if (setting.pilot == 0 || hit.counts.empty()) continue;
    setting.outputs = setting.pilot;
    setting.delta = delta;
    setting.pilot_delta = delta;
    all.push_back({hit.label, hit.counts.size(), setting.pilot,
                   plan_coverage(hit.counts, setting)});
  }
  return all;
}

}  // namespace

template <typename T>
CertifyCalculators certify_calculators(const CertifyInputs<T>& inputs,
                                       const Certificate& certificate,
                                       const Context& context) {
  CertifyCalculators calculators;
  const PoolSetting setting = setting_of(certificate);
  if (setting.margin > 0.0) {
    calculators.required = RequiredReference{
        setting, required_counts(setting),
        hoeffding_bound(setting, static_cast<double>(
                                     certificate.classes[0].reference_count))};
  }
  calculators.knn = knn_theorem(inputs, certificate, context);
  calculators.uniform =
      uniform_of(certificate, static_cast<double>(inputs.reference.cols()));
  return calculators;
}

template <typename T>
CertifyDiagnostics certify_diagnostics(const CertifyInputs<T>& inputs,
                                       std::size_t replicates,
                                       const Context& context) {
  CertifyDiagnostics diagnostics;
  diagnostics.flip_rate_256 = flip_rate_of(inputs, context);
  diagnostics.coverage = coverage_of(inputs.hits, inputs.options.delta);
  const bool has_rounds =
      inputs.sampler &&
      score_kind(inputs.sampler->rule) == ScoreKind::kEnergy &&
      inputs.sampler->rule != Rule::kVos && inputs.sampler->rule != Rule::kBood;
  if (has_rounds && replicates > 0) {
    diagnostics.bootstrap = bootstrap_of(inputs, replicates, context);
  }
  return diagnostics;
}

Json to_json(const CertifyCalculators& calculators) {
  Json json;
  if (calculators.required) {
    const auto& [setting, counts, bound] = *calculators.required;
    json["required_n"] = {
        {"margin", setting.margin},
        {"pool", setting.pool},
        {"hoeffding_paper", finite_or_null(counts.hoeffding)},
        {"two_sided_relative", finite_or_null(counts.relative)},
        {"one_sided_kl", finite_or_null(counts.one_sided)}};
    json["hoeffding"] = {
        {"vacuous", bound.is_vacuous},
        {"deviation", bound.deviation},
        {"covers_energies_up_to", finite_or_null(bound.highest_energy)}};
  }
  json["knn_theorem"] = nullptr;
  if (calculators.knn) {
    const auto& [neighbours, radius, fit, bound] = *calculators.knn;
    json["knn_theorem"] = {{"label", to_string(bound.evidence)},
                           {"k", neighbours},
                           {"radius", radius},
                           {"constant", finite_or_null(fit.constant)},
                           {"exponent", fit.exponent},
                           {"vacuous", bound.is_vacuous},
                           {"reason", bound.reason},
                           {"probability", bound.probability}};
  }
  const UniformBound& uniform = calculators.uniform;
  json["uniform_bound"] = {
      {"vacuous", uniform.is_vacuous},
      {"reason", uniform.reason},
      {"needed_support", finite_or_null(uniform.needed_support)},
      {"error", finite_or_null(uniform.error)}};
  return json;
}

Json to_json(const CertifyDiagnostics& diagnostics) {
  Json json;
  json["flip_rate_256"] = nullptr;
  if (diagnostics.flip_rate_256) {
    json["flip_rate_256"] = *diagnostics.flip_rate_256;
  }
  json["bootstrap"] = nullptr;
  if (diagnostics.bootstrap) {
    json["bootstrap"] = {
        {"label", "bootstrap diagnostic"},
        {"replicates", diagnostics.bootstrap->replicates},
        {"mean_change", diagnostics.bootstrap->mean_change},
        {"high_change", diagnostics.bootstrap->high_change},
        {"anchor_overlap", diagnostics.bootstrap->anchor_overlap}};
  }
  json["coverage"] = Json::array();
  for (const ClassCoverage& entry : diagnostics.coverage) {
    json["coverage"].push_back(
        {{"label", entry.label},
         {"anchors", entry.anchors},
         {"outliers", entry.outliers},
         {"anchors_not_hit", entry.plan.empty_regions.size()},
         {"vacuous", entry.plan.is_vacuous},
         {"reason", entry.plan.reason},
         {"needed_outliers", finite_or_null(entry.plan.needed_sharp)},
         {"probability_of_all", entry.plan.probability_sharp}});
  }
  return json;
}

template CertifyCalculators certify_calculators(const CertifyInputs<float>&,
                                                const Certificate&,
                                                const Context&);
template CertifyCalculators certify_calculators(const CertifyInputs<double>&,
                                                const Certificate&,
                                                const Context&);
template CertifyDiagnostics certify_diagnostics(const CertifyInputs<float>&,
                                                std::size_t, const Context&);
template CertifyDiagnostics certify_diagnostics(const CertifyInputs<double>&,
                                                std::size_t, const Context&);

}  // namespace sbog::job
