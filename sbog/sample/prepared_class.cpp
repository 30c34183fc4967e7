// SPDX-License-Identifier: Apache-2.0
// The preparation of prepared_class.h, step by step.
#include "sbog/sample/prepared_class.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/energy/exact_energy.h"
#include "sbog/energy/threshold.h"
#include "sbog/sample/class_scores.h"
#include "sbog/sample/preflight.h"
#include "sbog/sample/proposals.h"
#include "sbog/sample/step_radius.h"

namespace sbog {
namespace {

constexpr std::size_t kFewestSeeds = 8;

template <typename T>
void choose_threshold(PreparedClass<T>& prepared, const Context& context) {
  const SamplerOptions& options = prepared.options;
  const std::vector<double> scores = calibration_scores(prepared);
  ThresholdOptions rule;
  rule.rule =
      options.certify ? ThresholdRule::kConformal : ThresholdRule::kQuantile;
  rule.level = options.quantile;
  prepared.plan.quantile_value = calibrate_threshold(scores, rule).value;
  if (std::isinf(prepared.plan.quantile_value) && options.certify) {
    throw InvalidArgument("split bank: " + std::to_string(scores.size()) +
                          " points of a class are too few for a threshold at "
                          "level " +
                          std::to_string(options.quantile));
  }
  double margin = options.margin;
  // Margins are in units of energy: rescale for other scores.
  if (margin != 0.0 && prepared.whole->support().kind() != ScoreKind::kEnergy) {
    std::vector<std::size_t> self(options.includes_self ? 0 : scores.size());
    std::iota(self.begin(), self.end(), std::size_t{0});
    const std::vector<double> energies =
        prepared.whole->support()
            .energy()
            .evaluate(prepared.problem.points, self, context)
            .energies;
    const double spread = quantile(energies, 0.95) - quantile(energies, 0.5);
    const double other = quantile(scores, 0.95) - quantile(scores, 0.5);
    margin *= spread > 0.0 ? other / spread : 1.0;
  }
  prepared.plan.threshold = prepared.plan.quantile_value + margin;
  const bool has_energy_test =
      options.rule != Rule::kRandom && options.rule != Rule::kNoThreshold;
  if (has_energy_test) {
    prepared.limits.threshold = prepared.plan.threshold;
    if (options.ceiling) {
      prepared.limits.ceiling = prepared.plan.threshold + *options.ceiling;
    }
  }
  prepared.limits.allow_unsupported =
      options.allow_unsupported || !has_energy_test;
}

template <typename T>
std::vector<double> class_cosines(const ClassProblem<T>& problem) {
  std::vector<double> cosines(problem.points.rows());
  for (std::size_t i = 0; i < cosines.size(); ++i) {
    cosines[i] =
        cosine_of<T, double>(problem.points.row(i), problem.class_anchor);
  }
  return cosines;
}

template <typename T>
void choose_floors(PreparedClass<T>& prepared,
                   const std::vector<double>& cosines) {
  const SamplerOptions& options = prepared.options;
  if (options.seed_floor >= -1.0) {
    prepared.limits.seed_floor = options.seed_floor;
  }
  if (prepared.problem.class_anchor.empty() || !options.semantic) {
    return;
  }
  if (options.semantic_floor) {
    prepared.limits.semantic_floor = *options.semantic_floor;
  } else if (options.semantic_slack) {
    prepared.limits.semantic_floor =
        quantile(cosines, options.semantic_quantile) - *options.semantic_slack;
  } else {
    // Noise of this size lowers every cosine by this factor.
    const double noise = prepared.scale.high * prepared.scale.high *
                         static_cast<double>(prepared.problem.points.cols());
    const double factor = 1.0 / std::sqrt(1.0 + noise);
    prepared.limits.semantic_floor =
        factor * quantile(cosines, options.semantic_quantile);
  }
  prepared.plan.semantic_floor = prepared.limits.semantic_floor;
}

// Points that may become anchors.
template <typename T>
std::vector<std::size_t> eligible_seeds(PreparedClass<T>& prepared,
                                        const std::vector<double>& cosines,
                                        std::size_t wanted) {
  const std::vector<std::size_t>& all = prepared.calibration;
  double floor = prepared.options.seed_eligibility;
  if (cosines.empty() || floor < -1.0 ||
      prepared.options.seed_eligibility == -1.0) {
    return all;
  }
  const auto pick = [&] {
    std::vector<std::size_t> seeds;
    for (const std::size_t i : all) {
      if (cosines[i] >= floor) seeds.push_back(i);
    }
    return seeds;
  };
  std::vector<std::size_t> seeds = pick();
  if (seeds.size() < std::min(all.size(), std::max(kFewestSeeds, wanted / 4))) {
    floor = std::min(floor, quantile(cosines, 0.5));
    prepared.plan.is_eligibility_lowered = true;
    seeds = pick();
  }
  prepared.plan.seed_eligibility = floor;
  return seeds;
}

template <typename T>
Matrix<double> map_points(const PreparedClass<T>& prepared,
                          const std::vector<std::size_t>& rows) {
  const bool is_sphere = prepared.options.projection == Projection::kSphere;
  Matrix<double> mapped(rows.size(), prepared.problem.points.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = prepared.problem.points.row(rows[i]);
    const double norm =
        is_sphere ? std::sqrt(inner_product<T, T>(row, row)) : 1.0;
    if (!(norm > 0.0)) {
      throw InvalidArgument("bank: row " + std::to_string(rows[i]) +
                            " of the class is a zero vector, which has no "
                            "place on the sphere");
    }
    for (std::size_t k = 0; k < row.size(); ++k) {
      mapped(i, k) = static_cast<double>(row[k]) / norm;
    }
  }
  return mapped;
}

// What ranks the seeds. With a split bank, their energies among their own half:
// the other half must not have a say in what is proposed.
template <typename T>
std::vector<double> seed_scores(const PreparedClass<T>& prepared,
                                const std::vector<std::size_t>& seeds,
                                const Context& context) {
  std::vector<double> scores = prepared.scores;
  if (prepared.options.certify) {
    const ReferenceMeasure<T> half{
        prepared.problem.points, {}, prepared.calibration};
    const EnergyModel<T> model(half, prepared.options.energy);
    scores = model.evaluate_bank(false, context).energies;
  }
  std::vector<double> chosen;
  chosen.reserve(seeds.size());
  for (const std::size_t i : seeds) chosen.push_back(scores[i]);
  return chosen;
}

// Keeps the seeds below the threshold, from the wanted quantile on.
void keep_inner(const SamplerOptions& options, double threshold,
                std::vector<std::size_t>& seeds, std::vector<double>& scores) {
  if (!options.inner_anchors) return;
  const double least = quantile(scores, *options.inner_anchors);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    if (!(scores[i] >= least && scores[i] < threshold)) continue;
    seeds[kept] = seeds[i];
    scores[kept] = scores[i];
    ++kept;
  }
  if (kept == 0) {
    throw InvalidArgument(
        "inner-anchors: no point has an energy between this quantile of the "
        "energies and the threshold");
  }
  seeds.resize(kept);
  scores.resize(kept);
}

// Anchors of bands lie below the lowest one, of which the highest are taken. A
// split bank ranks seeds by other energies, which have no such limit.
template <typename T>
void keep_below_bands(const PreparedClass<T>& prepared,
                      std::vector<std::size_t>& seeds,
                      std::vector<double>& scores) {
  const SamplerOptions& options = prepared.options;
  if (options.severities.empty() || options.certify) return;
  const double limit =
      prepared.problem.tails
          ->band(prepared.problem.cls, options.severities.front())
          .first;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    if (!(scores[i] < limit)) continue;
    seeds[kept] = seeds[i];
    scores[kept] = scores[i];
    ++kept;
  }
  if (kept == 0) return;  // all points are beyond: any will do
  seeds.resize(kept);
  scores.resize(kept);
}

template <typename T>
void choose_anchors(PreparedClass<T>& prepared,
                    const std::vector<double>& cosines,
                    const Context& context) {
  const SamplerOptions& options = prepared.options;
  const std::size_t n = prepared.calibration.size();
  const bool takes_all =
      options.rule == Rule::kRandom || options.rule == Rule::kNoTop;
  if (takes_all) {
    prepared.anchors.anchors = prepared.calibration;
    std::vector<std::size_t> region(prepared.calibration.size());
    std::iota(region.begin(), region.end(), std::size_t{0});
    prepared.anchors.regions = {std::move(region)};
  } else {
    const std::size_t wanted = anchor_count(options, n);
    std::vector<std::size_t> seeds = eligible_seeds(prepared, cosines, wanted);
    std::vector<double> scores = seed_scores(prepared, seeds, context);
    AnchorProblem problem;
    problem.threshold = options.certify ? quantile(scores, options.quantile)
                                        : prepared.plan.threshold;
    keep_inner(options, problem.threshold, seeds, scores);
    keep_below_bands(prepared, seeds, scores);
    const Matrix<double> mapped = map_points(prepared, seeds);
    problem.points = mapped;
    problem.scores = scores;
    problem.class_anchor = prepared.problem.class_anchor;
    problem.count = wanted;
    prepared.anchors = select_anchors(problem, options);
    for (std::size_t& a : prepared.anchors.anchors) a = seeds[a];
  }
  prepared.mapped_anchors = map_points(prepared, prepared.anchors.anchors);
}

bool can_use_subspace(const SamplerOptions& options) {
  return options.proposal_law == ProposalLaw::kIsotropic &&
         is_cosine(options.energy.cost) &&
         options.projection == Projection::kSphere &&
         options.rules == nullptr && options.task_beta == 0.0 &&
         score_kind(options.rule) == ScoreKind::kEnergy &&
         options.pick != PickRule::kLangevin &&
         // Splitting is ambient, and fits the whole reference.
         (options.local == 0 || !options.splitting);
}

template <typename T>
void decide_proposal_mode(PreparedClass<T>& prepared) {
  const SamplerOptions& options = prepared.options;
  const std::size_t dim = prepared.problem.points.cols();
  const bool is_possible = can_use_subspace(options);
  if (options.proposal_mode == ProposalMode::kSubspace && !is_possible) {
    throw InvalidArgument(
        "proposals: subspace needs isotropic steps, a cosine cost, the sphere, "
        "and neither Langevin picks, a task loss, nor splitting with a local "
        "reference");
  }
  const std::size_t atoms =
      options.local > 0 ? options.local : prepared.problem.points.rows();
  const bool pays = atoms + 2 < dim / 2;
  prepared.plan.uses_subspace =
      is_possible && (options.proposal_mode == ProposalMode::kSubspace ||
                      (options.proposal_mode == ProposalMode::kAuto && pays));
  if (!prepared.plan.uses_subspace || options.local > 0) return;
  prepared.span = std::make_shared<const ClassSubspace<T>>(
      prepared.problem.points, prepared.kept, prepared.problem.class_anchor,
      options.energy.epsilon);
}

template <typename T>
void build_local(PreparedClass<T>& prepared, const Context& context) {
  if (prepared.options.local == 0 ||
      prepared.whole->support().kind() != ScoreKind::kEnergy) {
    return;
  }
  AnchorReferenceProblem<T> problem;
  problem.points = prepared.problem.points;
  problem.losses = prepared.problem.losses;
  problem.class_anchor = prepared.problem.class_anchor;
  problem.anchors = prepared.mapped_anchors;
  problem.anchor_rows = prepared.anchors.anchors;
  problem.has_subspace = prepared.plan.uses_subspace;
  prepared.local = AnchorReferences<T>(
      problem, prepared.whole->support().energy(), prepared.options, context);
}

// The same class with the limits, steps and floors of one band.
template <typename T>
std::unique_ptr<PreparedClass<T>> band_of(const PreparedClass<T>& base,
                                          std::size_t number,
                                          const RadiusRange& radius,
                                          const std::vector<double>& cosines) {
  auto band = std::make_unique<PreparedClass<T>>();
  band->problem = base.problem;
  band->options = base.options;
  if (band->options.pick != PickRule::kLangevin) {
    band->options.pick = PickRule::kLevel;  // spread over the band
  }
  band->plan = base.plan;
  band->limits = base.limits;
  band->anchors = base.anchors;
  band->kept = base.kept;
  band->calibration = base.calibration;
  band->mapped_anchors = base.mapped_anchors.clone();
  band->whole = base.whole;
  band->span = base.span;
  band->output_stride = base.options.severities.size();
  band->output_offset = number;
  const int severity = base.options.severities[number];
  const auto [low, high] = base.problem.tails->band(base.problem.cls, severity);
  band->plan.severity = severity;
  band->plan.band_low = low;
  band->plan.band_high = high;
  band->limits.threshold = low;
  band->limits.ceiling =
      std::nextafter(high, -std::numeric_limits<double>::infinity());
  set_radius(*band, radius);
  choose_floors(*band, cosines);
  run_preflight(*band);
  return band;
}

template <typename T>
void prepare_bands(PreparedClass<T>& prepared,
                   const std::vector<double>& cosines, const Context& context) {
  const std::vector<RadiusRange> radii = band_radii(prepared, context);
  for (std::size_t b = 0; b < radii.size(); ++b) {
    prepared.bands.push_back(band_of(prepared, b, radii[b], cosines));
  }
  // What is said about the class as a whole: from the first band to the last.
  const ClassPlan& first = prepared.bands.front()->plan;
  const ClassPlan& last = prepared.bands.back()->plan;
  set_radius(prepared, {false, first.radius_low, last.radius_high});
  prepared.limits.threshold = prepared.bands.front()->limits.threshold;
  prepared.limits.ceiling = prepared.bands.back()->limits.ceiling;
  choose_floors(prepared, cosines);
}

}  // namespace

template <typename T>
std::vector<double> PreparedClass<T>::score(std::size_t a,
                                            MatrixView<const T> points) const {
  if (local.empty()) return whole->score(points);
  const auto near = local.at(a);
  std::vector<double> result = near->scorer->score(points);
  for (double& value : result) value += near->energy_offset;
  return result;
}

template <typename T>
std::vector<double> PreparedClass<T>::acquire(
    std::size_t a, MatrixView<const T> points,
    const std::vector<double>& point_scores) const {
  if (local.empty()) return whole->acquire(points, point_scores);
  // Phi belongs to normalised weights: take the offset off and put it back.
  const auto near = local.at(a);
  const double offset = near->energy_offset;
  std::vector<double> values = point_scores;
  for (double& value : values) value -= offset;
  values = near->scorer->acquire(points, values);
  for (double& value : values) value += offset;
  return values;
}

template <typename T>
double PreparedClass<T>::exact_energy_at(std::size_t a,
                                         std::span<const double> point) const {
  if (local.empty()) return exact_energy(whole->support().energy(), point);
  const auto near = local.at(a);
  return exact_energy(near->scorer->support().energy(), point) +
         near->energy_offset;
}

template <typename T>
double PreparedClass<T>::exact_score_at(std::size_t a,
                                        std::span<const double> point) const {
  if (whole->support().kind() == ScoreKind::kEnergy) {
    return exact_energy_at(a, point);
  }
  if (whole->support().kind() == ScoreKind::kKde) {
    return exact_energy(whole->support().kernel(), point);
  }
  std::vector<T> stored(point.begin(), point.end());
  return whole->score({stored.data(), 1, stored.size()})[0];
}

template <typename T>
std::unique_ptr<PreparedClass<T>> prepare_class(const ClassProblem<T>& problem,
                                                const SamplerOptions& options,
                                                const Context& context) {
  if (problem.points.rows() == 0) {
    throw InvalidArgument("sample: a class without points cannot be sampled");
  }
  if (!problem.losses.empty() &&
      problem.losses.size() != problem.points.rows()) {
    throw InvalidArgument("losses: one per bank point is expected");
  }
  require("sample", options.severities.empty() || problem.tails != nullptr,
          "severities need the tails of all classes");
  auto prepared = std::make_unique<PreparedClass<T>>();
  start_class(*prepared, problem, options, context);
  choose_threshold(*prepared, context);
  std::vector<double> cosines;
  if (!problem.class_anchor.empty()) cosines = class_cosines(problem);
  choose_anchors(*prepared, cosines, context);
  decide_proposal_mode(*prepared);
  build_local(*prepared, context);
  if (!options.severities.empty()) {
    prepare_bands(*prepared, cosines, context);
    return prepared;
  }
  settle_radius(*prepared, context);
  choose_floors(*prepared, cosines);
  run_preflight(*prepared);
  return prepared;
}

template struct PreparedClass<float>;
template struct PreparedClass<double>;
template std::unique_ptr<PreparedClass<float>> prepare_class(
    const ClassProblem<float>&, const SamplerOptions&, const Context&);
template std::unique_ptr<PreparedClass<double>> prepare_class(
    const ClassProblem<double>&, const SamplerOptions&, const Context&);

}  // namespace sbog
