// SPDX-License-Identifier: Apache-2.0
// Halves, temperature, reference and scores; see class_scores.h.
#include "sbog/sample/class_scores.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string>

#include "sbog/base/errors.h"
#include "sbog/energy/local_reference.h"
#include "sbog/energy/perplexity.h"
#include "sbog/energy/refined_reference.h"
#include "sbog/energy/score_bank.h"

namespace sbog {
namespace {

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
  if (prepared.problem.known != nullptr) {
    prepared.options.energy.epsilon = prepared.problem.known->epsilon;
    prepared.plan.epsilon = prepared.options.energy.epsilon;
    return;
  }
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
  prepared.whole = std::make_shared<const ProposalScorer<T>>(
      measure, prepared.problem.losses, prepared.options);
}

// Leave-one-out scores of all points, by the functional that proposals see.
template <typename T>
std::vector<double> score_bank_points(const PreparedClass<T>& prepared,
                                      const Context& context) {
  if (prepared.problem.known != nullptr) return prepared.problem.known->scores;
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

}  // namespace

template <typename T>
std::vector<double> calibration_scores(const PreparedClass<T>& prepared) {
  std::vector<double> scores;
  scores.reserve(prepared.calibration.size());
  for (const std::size_t i : prepared.calibration) {
    scores.push_back(prepared.scores[i]);
  }
  return scores;
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
void start_class(PreparedClass<T>& prepared, const ClassProblem<T>& problem,
                 const SamplerOptions& options, const Context& context) {
  prepared.problem = problem;
  prepared.options = options;
  split_rows(prepared);
  settle_epsilon(prepared, context);
  trim_reference(prepared, context);
  prepared.scores = score_bank_points(prepared, context);
}

template <typename T>
ScoredClass score_class(const ClassProblem<T>& problem,
                        const SamplerOptions& options, const Context& context) {
  PreparedClass<T> prepared;
  start_class(prepared, problem, options, context);
  return {prepared.plan.epsilon, prepared.scores, calibration_scores(prepared)};
}

template ScoredClass score_class(const ClassProblem<float>&,
                                 const SamplerOptions&, const Context&);
template ScoredClass score_class(const ClassProblem<double>&,
                                 const SamplerOptions&, const Context&);
template void start_class(PreparedClass<float>&, const ClassProblem<float>&,
                          const SamplerOptions&, const Context&);
template void start_class(PreparedClass<double>&, const ClassProblem<double>&,
                          const SamplerOptions&, const Context&);
template std::vector<double> calibration_scores(const PreparedClass<float>&);
template std::vector<double> calibration_scores(const PreparedClass<double>&);

}  // namespace sbog
