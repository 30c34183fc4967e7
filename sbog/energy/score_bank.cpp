// SPDX-License-Identifier: Apache-2.0
// One scorer per class; see score_bank.h.
#include "sbog/energy/score_bank.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "sbog/base/copy_rows.h"
#include "sbog/base/errors.h"
#include "sbog/base/labels.h"
#include "sbog/base/philox.h"
#include "sbog/energy/perplexity.h"
#include "sbog/energy/pruned_energy.h"
#include "sbog/energy/refined_reference.h"

namespace sbog {
namespace {

constexpr std::uint32_t kSubsetClass = 65535;  // reserved for subsampling
constexpr std::uint32_t kSplitPurpose = 1;
constexpr std::uint32_t kCalibrationPurpose = 2;

// Rows of a matrix: the matrix itself when they are all rows, else a copy.
template <typename T>
class Rows {
 public:
  Rows(MatrixView<const T> all, std::span<const std::size_t> rows)
      : view_(all) {
    if (rows.size() == all.rows()) return;
    copy_ = copy_rows(all, rows);
    view_ = copy_;
  }
  MatrixView<const T> view() const { return view_; }

 private:
  Matrix<T> copy_;
  MatrixView<const T> view_;
};

std::vector<std::size_t> pick(const std::vector<std::size_t>& rows,
                              const std::vector<std::size_t>& positions) {
  std::vector<std::size_t> picked;
  picked.reserve(positions.size());
  for (const std::size_t p : positions) picked.push_back(rows[p]);
  return picked;
}

std::vector<std::size_t> without(const std::vector<std::size_t>& rows,
                                 const std::vector<std::size_t>& removed) {
  std::vector<std::size_t> rest;
  std::set_difference(rows.begin(), rows.end(), removed.begin(), removed.end(),
                      std::back_inserter(rest));
  return rest;
}

// Scores the members of one class, or everything.
template <typename T>
class Scorer {
 public:
  Scorer(const ScoreProblem<T>& problem, const ScoreOptions& options,
         const Context& context, ScoreResult& result)
      : problem_(problem),
        options_(options),
        context_(context),
        result_(result) {}

  // Energies of the queries of `part`, or of its bank when there are none at
  // all in any class.
  void score(std::int64_t label, const ScoreProblem<T>& part, bool has_queries,
             std::span<double> energies) {
    bank_ = part.bank;
    weights_ = part.weights;
    const std::vector<std::size_t> members = all_rows(bank_.rows());
    ClassScore outcome;
    outcome.label = label;
    outcome.bank_count = bank_.rows();
    outcome.query_count = part.queries.rows();
    const bool is_split = options_.threshold.rule == ThresholdRule::kConformal;
    // Lists of rows are copied only where they differ from the members: for a
    // bank of a million points each costs 8 MB.
    std::vector<std::size_t> held_out;
    if (is_split) held_out = split_off(members);
    const std::vector<std::size_t>& calibration = is_split ? held_out : members;
    std::vector<std::size_t> reference;
    if (is_split) reference = without(members, held_out);
    const EnergyOptions energy = settle(reference, outcome);
    if (result_.status != SolveStatus::kDone) return;
    ReferenceMeasure<T> measure = whole();
    measure.atoms = reference;
    const EnergyModel<T> model(measure, energy);
    const bool is_limited =
        has_queries && calibration.size() > options_.calibration_limit;
    std::vector<std::size_t> fewer;
    if (is_limited) fewer = limited(calibration);
    const std::vector<std::size_t>& calibrated =
        is_limited ? fewer : calibration;
    std::vector<double> calibration_energies;
    std::vector<double> scored;  // of the bank, when there are no queries
    if (has_queries) {
      calibration_energies = bank_energies(model, calibrated);
    } else {
      scored = bank_energies(model, members);
      if (result_.status != SolveStatus::kDone) return;
      std::ranges::copy(scored, energies.begin());
      for (const std::size_t row : calibration) {
        calibration_energies.push_back(scored[row]);
      }
    }
    if (result_.status != SolveStatus::kDone) return;
    outcome.threshold =
        calibrate_threshold(calibration_energies, options_.threshold);
    outcome.median_self_share =
        median_self_share(model, calibrated, calibration_energies);
    outcome.share_above = share_above(scored, outcome.threshold.value);
    if (has_queries) score_queries(model, part.queries, outcome, energies);
    result_.classes.push_back(outcome);
  }

 private:
  ReferenceMeasure<T> whole() const { return {bank_, weights_, {}}; }

  // Finds the temperature, trims the reference (rows, none: all) and says so in
  // the outcome.
  EnergyOptions settle(std::vector<std::size_t>& reference,
                       ClassScore& outcome) {
    ReferenceMeasure<T> measure = whole();
    measure.atoms = reference;
    EnergyOptions energy = options_.energy;
    energy.epsilon = epsilon_of(measure);
    if (result_.status != SolveStatus::kDone) return energy;
    reference = trimmed(std::move(reference), energy);
    if (result_.status != SolveStatus::kDone) return energy;
    measure.atoms = reference;
    outcome.reference_count = measure.atom_count();
    outcome.epsilon = energy.epsilon;
    if (options_.measures_perplexity) {
      outcome.perplexity = perplexity_of(measure, energy);
    }
    return energy;
  }

  double epsilon_of(const ReferenceMeasure<T>& measure) {
    if (!options_.finds_epsilon) return options_.energy.epsilon;
    const std::optional<double> found =
        find_epsilon_if_any(measure, options_.energy, {}, context_);
    if (!found && !of_whole_) {
      of_whole_ = find_epsilon<T>({problem_.bank, problem_.weights, {}},
                                  options_.energy, {}, context_);
    }
    const double epsilon = found ? *found : *of_whole_;
    if (std::isnan(epsilon)) note(SolveStatus::kCancelled);
    return epsilon;
  }

  double perplexity_of(const ReferenceMeasure<T>& measure,
                       const EnergyOptions& energy) {
    std::size_t atoms = 0;  // of weight 0 there are none
    for (std::size_t i = 0; i < measure.atom_count(); ++i) {
      atoms += measure.weight_of(i) > 0.0 ? 1 : 0;
    }
    if (atoms < 2) return 0.0;
    const double perplexity = median_perplexity(measure, energy, {}, context_);
    if (std::isnan(perplexity)) note(SolveStatus::kCancelled);
    return perplexity;
  }

  // Half of the members, drawn by the seed: the calibration half.
  std::vector<std::size_t> split_off(
      const std::vector<std::size_t>& members) const {
    if (members.size() < 2) {
      throw InvalidArgument(
          "threshold: the conformal split needs at least 2 points, got " +
          std::to_string(members.size()));
    }
    return pick(members, draw_subset(members.size(), members.size() / 2,
                                     options_.seed, kSplitPurpose));
  }

  std::vector<std::size_t> limited(const std::vector<std::size_t>& rows) const {
    return pick(rows, draw_subset(rows.size(), options_.calibration_limit,
                                  options_.seed, kCalibrationPurpose));
  }

  std::vector<std::size_t> trimmed(std::vector<std::size_t> reference,
                                   const EnergyOptions& energy) {
    if (options_.trim == 0.0) return reference;
    ReferenceMeasure<T> measure = whole();
    measure.atoms = reference;
    RefineOptions refine;
    refine.trim = options_.trim;
    refine.includes_self = options_.includes_self;
    RefinedReference refined =
        refine_reference(measure, energy, refine, context_);
    note(refined.status);
    return std::move(refined.kept);
  }

  std::vector<double> bank_energies(const EnergyModel<T>& model,
                                    const std::vector<std::size_t>& rows) {
    const Rows<T> points(bank_, rows);
    return energies(model, points.view(),
                    options_.includes_self ? std::vector<std::size_t>() : rows);
  }

  std::vector<double> energies(const EnergyModel<T>& model,
                               MatrixView<const T> points,
                               const std::vector<std::size_t>& self) {
    const double pairs = static_cast<double>(points.rows()) *
                         static_cast<double>(model.atom_count());
    result_.pairs += pairs;
    if (options_.local > 0) {
      EnergyResult found =
          local_energies(model, points, options_.local,
                         options_.local_convention, self, context_);
      note(found.status);
      return std::move(found.energies);
    }
    if (options_.tolerance > 0.0) {
      PrunedResult found =
          evaluate_pruned(model, points, options_.tolerance, self, context_);
      note(found.status);
      skipped_ += (1.0 - found.evaluated_share) * pairs;
      result_.evaluated_share = 1.0 - skipped_ / result_.pairs;
      return std::move(found.energies);
    }
    EnergyResult found = model.evaluate(points, self, context_);
    note(found.status);
    return std::move(found.energies);
  }

  void score_queries(const EnergyModel<T>& model, MatrixView<const T> queries,
                     ClassScore& outcome, std::span<double> out) {
    if (queries.rows() == 0) return;
    const std::vector<double> found = energies(model, queries, {});
    if (result_.status != SolveStatus::kDone) return;
    std::ranges::copy(found, out.begin());
    outcome.share_above = share_above(found, outcome.threshold.value);
  }

  // nu_i / K(z_i) where z_i is in the reference: how much of a point's own
  // support would be itself.
  double median_self_share(const EnergyModel<T>& model,
                           const std::vector<std::size_t>& rows,
                           const std::vector<double>& energies) const {
    const ReferenceMeasure<T>& measure = model.reference();
    double mass = 0.0;
    for (std::size_t i = 0; i < measure.atom_count(); ++i) {
      mass += measure.weight_of(i);
    }
    std::vector<double> shares;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const bool is_atom = measure.atoms.empty() ||
                           std::binary_search(measure.atoms.begin(),
                                              measure.atoms.end(), rows[i]);
      if (!is_atom) continue;
      const double nu =
          (measure.weights.empty() ? 1.0 : measure.weights[rows[i]]) / mass;
      const double support = std::exp(-energies[i] / model.epsilon());
      const double full =
          options_.includes_self ? support : nu + (1.0 - nu) * support;
      shares.push_back(std::min(1.0, nu / full));
    }
    return shares.empty() ? 0.0 : quantile(shares, 0.5);
  }

  void note(SolveStatus status) {
    if (status != SolveStatus::kDone) result_.status = status;
  }

  const ScoreProblem<T>& problem_;
  MatrixView<const T> bank_;         // of the class
  std::span<const double> weights_;  // of the class
  const ScoreOptions& options_;
  const Context& context_;
  ScoreResult& result_;
  std::optional<double> of_whole_;  // epsilon of the whole bank, once needed
  double skipped_ = 0.0;
};

// What would otherwise be found after the work is done, or not at all.
void check_options(const ScoreOptions& options) {
  const std::array<double, 1> any = {0.0};
  static_cast<void>(calibrate_threshold(any, options.threshold));
  if (!(options.tolerance >= 0.0) || std::isinf(options.tolerance)) {
    throw InvalidArgument(
        "tolerance: a finite number of at least 0 is expected, got " +
        std::to_string(options.tolerance));
  }
}

}  // namespace

std::vector<std::size_t> draw_subset(std::size_t n, std::size_t count,
                                     std::uint64_t seed,
                                     std::uint32_t purpose) {
  const std::array<std::uint32_t, 2> key = {
      static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
  // A heap of the smallest keys: memory for the subset only.
  std::vector<std::pair<std::uint64_t, std::size_t>> smallest;
  smallest.reserve(std::min(count, n) + 1);
  for (std::size_t i = 0; i < n && count > 0; ++i) {
    const PhiloxBlock block =
        philox4x32({static_cast<std::uint32_t>(i), kSubsetClass << 16,
                    static_cast<std::uint32_t>(i >> 32), purpose},
                   key);
    const std::pair candidate(block.low64(), i);
    if (smallest.size() == count && !(candidate < smallest.front())) continue;
    smallest.push_back(candidate);
    std::push_heap(smallest.begin(), smallest.end());
    if (smallest.size() <= count) continue;
    std::pop_heap(smallest.begin(), smallest.end());
    smallest.pop_back();
  }
  std::vector<std::size_t> subset;
  subset.reserve(smallest.size());
  for (const auto& [value, i] : smallest) subset.push_back(i);
  std::sort(subset.begin(), subset.end());
  return subset;
}

namespace {

// A class by itself: with a copy of its rows nothing takes longer because there
// are other classes.
template <typename T>
void score_class(const ScoreProblem<T>& problem, std::int64_t label,
                 const std::vector<std::size_t>& rows,
                 const std::vector<std::size_t>& queries, Scorer<T>& scorer,
                 ScoreResult& result) {
  const bool has_queries = !problem.queries.is_empty();
  const Matrix<T> bank = copy_rows(problem.bank, rows);
  // Labels may be given without queries.
  const Matrix<T> asked =
      has_queries ? copy_rows(problem.queries, queries) : Matrix<T>();
  std::vector<double> weights;
  for (const std::size_t row : rows) {
    if (!problem.weights.empty()) weights.push_back(problem.weights[row]);
  }
  std::vector<double> energies(has_queries ? queries.size() : rows.size());
  scorer.score(label, {bank.view(), weights, {}, asked.view(), {}}, has_queries,
               energies);
  const std::vector<std::size_t>& scored = has_queries ? queries : rows;
  for (std::size_t i = 0; i < scored.size(); ++i) {
    result.energies[scored[i]] = energies[i];
  }
}

}  // namespace

template <typename T>
ScoreResult score_bank(const ScoreProblem<T>& problem,
                       const ScoreOptions& options, const Context& context) {
  check_options(options);
  const bool has_queries = !problem.queries.is_empty();
  ScoreResult result;
  result.energies.resize(has_queries ? problem.queries.rows()
                                     : problem.bank.rows());
  Scorer<T> scorer(problem, options, context, result);
  if (!options.is_per_class) {
    scorer.score(0, problem, has_queries, result.energies);
    return result;
  }
  check_label_count(problem.labels, problem.bank.rows(), "labels");
  if (has_queries) {
    check_label_count(problem.query_labels, problem.queries.rows(),
                      "query labels");
  }
  // Once for all classes, so that messages name rows of the whole bank.
  check_points(problem.bank, options.energy.cost, "bank");
  check_measure<T>({problem.bank, problem.weights, {}});
  if (has_queries)
    check_points(problem.queries, options.energy.cost, "queries");
  const auto members = rows_by_label(problem.labels);
  auto queries = rows_by_label(problem.query_labels);
  for (const auto& [label, rows] : queries) {
    if (!members.contains(label)) {
      throw InvalidArgument("query labels: row " + std::to_string(rows[0]) +
                            " has label " + std::to_string(label) +
                            ", which no bank row has");
    }
  }
  for (const auto& [label, rows] : members) {
    if (result.status != SolveStatus::kDone) break;
    score_class(problem, label, rows, queries[label], scorer, result);
  }
  return result;
}

template ScoreResult score_bank(const ScoreProblem<float>&, const ScoreOptions&,
                                const Context&);
template ScoreResult score_bank(const ScoreProblem<double>&,
                                const ScoreOptions&, const Context&);

}  // namespace sbog
