// SPDX-License-Identifier: Apache-2.0
// The preparation of prepared_class.h, step by step.
#include "sbog/sample/prepared_class.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/energy/exact_energy.h"
#include "sbog/energy/local_reference.h"
#include "sbog/energy/perplexity.h"
#include "sbog/energy/refined_reference.h"
#include "sbog/energy/score_bank.h"
#include "sbog/energy/threshold.h"
#include "sbog/sample/preflight.h"
#include "sbog/sample/proposals.h"
#include "sbog/sample/step_radius.h"

namespace sbog {
namespace {

constexpr std::size_t kFewestSeeds = 8;
constexpr std::size_t kFewestSplit = 4;
constexpr std::uint32_t kSplitPurpose = 1 << 20;  // plus the class

std::vector<std::size_t> all_rows(std::size_t n) {
  std::vector<std::size_t> rows(n);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

// The rows of [0, n) that are not in `taken`, which increases.
std::vector<std::size_t> other_rows(std::size_t n,
                                    const std::vector<std::size_t>& taken) {
  const std::vector<std::size_t> all = all_rows(n);
  std::vector<std::size_t> others;
  std::set_difference(all.begin(), all.end(), taken.begin(), taken.end(),
                      std::back_inserter(others));
  return others;
}

// All rows, or two halves drawn by the seed.
template <typename T>
void split_rows(PreparedClass<T>& prepared) {
  const std::size_t n = prepared.problem.points.rows();
  prepared.calibration =
      calibration_rows(n, prepared.options, prepared.problem.cls);
  prepared.kept = prepared.options.certify ? other_rows(n, prepared.calibration)
                                           : prepared.calibration;
}

// The temperature that suits the points.
template <typename T>
void settle_epsilon(PreparedClass<T>& prepared, const Context& context) {
  if (prepared.options.auto_epsilon) {
    const ReferenceMeasure<T> measure{prepared.problem.points, {}, {}};
    // One point, or equal points, leave the temperature as it is.
    prepared.options.energy.epsilon =
        find_epsilon_if_any(measure, prepared.options.energy, {}, context)
            .value_or(prepared.options.energy.epsilon);
  }
  prepared.plan.epsilon = prepared.options.energy.epsilon;
}

template <typename T>
void trim_reference(PreparedClass<T>& prepared, const Context& context) {
  const std::size_t n = prepared.problem.points.rows();
  if (prepared.options.trim > 0.0) {
    RefineOptions refine;
    refine.trim = prepared.options.trim;
    refine.includes_self = prepared.options.includes_self;
    ReferenceMeasure<T> all{prepared.problem.points, {}, {}};
    if (prepared.kept.size() < n) all.atoms = prepared.kept;
    prepared.kept =
        refine_reference(all, prepared.options.energy, refine, context).kept;
  }
  // An anchor's neighbours are at most all the others.
  prepared.options.local =
      std::min(prepared.options.local, prepared.kept.size() - 1);
  prepared.plan.point_count = n;
  prepared.plan.reference_count = prepared.kept.size();
  ReferenceMeasure<T> measure{prepared.problem.points, {}, {}};
  if (prepared.kept.size() < n) measure.atoms = prepared.kept;
  prepared.whole = std::make_unique<ProposalScorer<T>>(
      measure, prepared.problem.losses, prepared.options);
}

// Leave-one-out scores of all points, by the functional that proposals see.
template <typename T>
std::vector<double> score_bank_points(const PreparedClass<T>& prepared,
                                      const Context& context) {
  std::vector<std::size_t> self;
  if (!prepared.options.includes_self) {
    self.resize(prepared.problem.points.rows());
    std::iota(self.begin(), self.end(), std::size_t{0});
  }
  const SupportScore<T>& support = prepared.whole->support();
  if (prepared.options.local > 0 && support.kind() == ScoreKind::kEnergy) {
    return local_energies(support.energy(), prepared.problem.points,
                          prepared.options.local,
                          prepared.options.local_convention, self, context)
        .energies;
  }
  return support.score(prepared.problem.points, self, context);
}

template <typename T>
std::vector<double> calibration_scores(const PreparedClass<T>& prepared) {
  std::vector<double> scores;
  scores.reserve(prepared.calibration.size());
  for (const std::size_t i : prepared.calibration) {
    scores.push_back(prepared.scores[i]);
  }
  return scores;
}

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
         options.task_beta == 0.0 &&
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
  prepared.span = std::make_unique<ClassSubspace<T>>(
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

std::vector<std::size_t> calibration_rows(std::size_t n,
                                          const SamplerOptions& options,
                                          std::uint32_t cls) {
  if (!options.certify) return all_rows(n);
  if (n < kFewestSplit) {
    throw InvalidArgument(
        "split bank: at least " + std::to_string(kFewestSplit) +
        " points of each class are expected, got " + std::to_string(n));
  }
  return other_rows(n,
                    draw_subset(n, n / 2, options.seed, kSplitPurpose + cls));
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
  auto prepared = std::make_unique<PreparedClass<T>>();
  prepared->problem = problem;
  prepared->options = options;
  split_rows(*prepared);
  settle_epsilon(*prepared, context);
  trim_reference(*prepared, context);
  prepared->scores = score_bank_points(*prepared, context);
  choose_threshold(*prepared, context);
  std::vector<double> cosines;
  if (!problem.class_anchor.empty()) cosines = class_cosines(problem);
  choose_anchors(*prepared, cosines, context);
  decide_proposal_mode(*prepared);
  build_local(*prepared, context);
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
