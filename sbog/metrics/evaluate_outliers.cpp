// SPDX-License-Identifier: Apache-2.0
// One step per group of metrics; see evaluate_outliers.h.
#include "sbog/metrics/evaluate_outliers.h"

#include <array>
#include <initializer_list>
#include <set>
#include <string>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/energy/reference_measure.h"
#include "sbog/metrics/class_similarity.h"
#include "sbog/metrics/detail/points.h"
#include "sbog/metrics/distance_ratio.h"
#include "sbog/metrics/diversity.h"
#include "sbog/metrics/energy_margin.h"

namespace sbog {
namespace {

constexpr const char* kNeedsClasses = "needs labels and source classes";
constexpr const char* kNeedsDirections = "needs vectors that are not zero";

OutlierOptions with_one_seed(OutlierOptions options) {
  options.score.seed = options.seed;
  options.mmd.seed = options.seed;
  options.sliced.seed = options.seed;
  options.flips.seed = options.seed;
  options.purity.seed = options.seed;
  return options;
}

// A source class that nothing is known about, told before the work.
void check_known(std::span<const std::int64_t> source_classes,
                 std::span<const std::int64_t> known, const char* where) {
  const std::set<std::int64_t> classes(known.begin(), known.end());
  for (std::size_t i = 0; i < source_classes.size(); ++i) {
    if (classes.contains(source_classes[i])) continue;
    throw InvalidArgument("source classes: row " + std::to_string(i) +
                          " has class " + std::to_string(source_classes[i]) +
                          ", which no " + where + " has");
  }
}

template <typename T>
void check_problem(const OutlierProblem<T>& problem) {
  const auto check_count = [](std::size_t got, std::size_t expected,
                              const std::string& name) {
    if (got == 0 || got == expected) return;
    throw InvalidArgument(name + ": " + std::to_string(expected) +
                          " values are expected, got " + std::to_string(got));
  };
  if (problem.outliers.is_empty()) {
    throw InvalidArgument("outliers: at least one row is expected");
  }
  const std::size_t dim = problem.bank.cols();
  detail::check_same_dimension(dim, problem.outliers.cols(), "outliers");
  if (!problem.anchors.is_empty()) {
    detail::check_same_dimension(dim, problem.anchors.cols(), "anchors");
  }
  check_count(problem.labels.size(), problem.bank.rows(), "labels");
  check_count(problem.source_classes.size(), problem.outliers.rows(),
              "source classes");
  if (!problem.labels.empty()) {
    check_known(problem.source_classes, problem.labels, "bank row");
  }
  if (!problem.anchors.is_empty()) {
    check_known(problem.source_classes,
                class_anchors(problem.anchors, problem.anchor_classes).classes,
                "anchor");
  }
  check_count(problem.margins.size(), problem.outliers.rows(), "margins");
  if (problem.bank_feasible_counts.size() > problem.bank.rows()) {
    throw InvalidArgument("feasible counts of the bank: at most " +
                          std::to_string(problem.bank.rows()) +
                          " values are expected, got " +
                          std::to_string(problem.bank_feasible_counts.size()));
  }
}

template <typename T>
class Evaluator {
 public:
  Evaluator(const OutlierProblem<T>& problem, const OutlierOptions& options,
            const Context& context)
      : problem_(problem), options_(options), context_(context) {}

  OutlierMetrics run() {
    using Step = void (Evaluator::*)();
    // The energies come first: they check points, weights and options.
    constexpr std::array<Step, 11> kSteps = {
        &Evaluator::score,      &Evaluator::margins,  &Evaluator::flips,
        &Evaluator::kernel,     &Evaluator::sliced,   &Evaluator::diversities,
        &Evaluator::neighbours, &Evaluator::purity,   &Evaluator::prototypes,
        &Evaluator::tokens,     &Evaluator::proposals};
    for (const Step step : kSteps) {
      if (result_.status == SolveStatus::kDone) (this->*step)();
    }
    result_.table.rename(
        "FlipRate", "FlipRate@" + std::to_string(options_.flips.subset_size));
    return std::move(result_);
  }

 private:
  MetricTable& table() { return result_.table; }
  bool has_classes() const {
    return !problem_.labels.empty() && !problem_.source_classes.empty();
  }
  void miss(std::initializer_list<const char*> names,
            const std::string& reason) {
    for (const char* name : names) table().miss(name, reason);
  }

  ScoreProblem<T> score_problem() const {
    return {problem_.bank, problem_.weights, problem_.labels, problem_.outliers,
            problem_.source_classes};
  }
  ReferenceMeasure<T> measure() const {
    return {problem_.bank, problem_.weights, {}};
  }

  void score() {
    result_.score = score_bank(score_problem(), options_.score, context_);
    result_.status = result_.score.status;
  }

  void margins() {
    std::vector<double> own(problem_.margins.begin(), problem_.margins.end());
    if (own.empty()) {
      own = energy_margins(
          result_.score.energies,
          query_thresholds(result_.score,
                           options_.score.is_per_class
                               ? problem_.source_classes
                               : std::span<const std::int64_t>()));
    }
    table().set("Gap", energy_gap(own), "");
    table().set("Accepted", accepted_share(own), "");
    const bool has_pool = !problem_.pool_margins.empty();
    const BoundaryDistance distance =
        boundary_distance(has_pool ? problem_.pool_margins : own);
    table().set("Delta_acc", distance.accepted, "no point is accepted");
    if (has_pool) {
      table().set("Delta_all", distance.all, "");
    } else {
      table().miss("Delta_all", "needs the margins of all valid proposals");
    }
  }

  void flips() {
    ScoreOptions exclusive = options_.score;
    exclusive.includes_self = false;
    if (exclusive.local >= options_.flips.subset_size) {
      table().miss("FlipRate", "needs fewer local atoms than " +
                                   std::to_string(options_.flips.subset_size));
      return;
    }
    ScoreResult again;
    if (options_.score.includes_self) {
      again = score_bank(score_problem(), exclusive, context_);
      result_.status = again.status;
      if (result_.status != SolveStatus::kDone) return;
    }
    const ScoreResult& full =
        options_.score.includes_self ? again : result_.score;
    const FlipRate found =
        flip_rate(score_problem(), exclusive, full, options_.flips, context_);
    result_.status = found.status;
    table().set(
        "FlipRate", found.value,
        "needs more than " + std::to_string(options_.flips.subset_size) +
            " bank points" + (exclusive.is_per_class ? " of each class" : ""));
  }

  void kernel() {
    MmdOptions options = options_.mmd;
    if (options.bandwidth == 0.0) {
      const std::optional<double> median =
          median_distance(problem_.outliers, problem_.bank, options);
      options.bandwidth = median.value_or(0.0);
    }
    if (options.bandwidth == 0.0) {
      miss({"MMD2", "MMD2_unbiased"}, "the median distance of points is 0");
      return;
    }
    const MmdResult found =
        mmd_squared(problem_.outliers, problem_.bank, options, context_);
    table().set("MMD2", found.biased);
    table().set("MMD2_unbiased", found.unbiased,
                "needs two outliers and two bank points");
  }

  void sliced() {
    const SlicedWassersteinResult found = sliced_wasserstein(
        problem_.outliers, problem_.bank, options_.sliced, context_);
    result_.status = found.status;
    if (result_.status == SolveStatus::kDone) table().set("SW2", found.value);
  }

  void diversities() {
    if (!detail::has_directions(problem_.outliers)) {
      miss({"Diversity", "Diversity_class"}, kNeedsDirections);
      return;
    }
    table().set("Diversity", diversity(problem_.outliers),
                "needs at least two outliers");
    if (problem_.source_classes.empty()) {
      table().miss("Diversity_class", "needs source classes");
      return;
    }
    table().set(
        "Diversity_class",
        diversity_within_classes(problem_.outliers, problem_.source_classes),
        "needs two outliers of the same class");
  }

  void neighbours() {
    const NearestBank nearest = nearest_bank(measure(), problem_.outliers,
                                             options_.score.energy, context_);
    result_.status = nearest.status;
    if (result_.status != SolveStatus::kDone) return;
    const CostSummary costs = summarise_costs(nearest.costs).value();
    table().set("Nearest_min", costs.min);
    table().set("Nearest_median", costs.median);
    table().set("Nearest_mean", costs.mean);
    table().set("Nearest_max", costs.max);
    const DistanceRatio far = distance_ratio<T>(
        problem_.bank, problem_.outliers, options_.score.energy,
        {DistanceRatioOptions{}.sample, options_.seed}, context_);
    result_.status = far.status;
    if (result_.status != SolveStatus::kDone) return;
    table().set("Distance_ratio", far.ratio,
                "needs bank points that are not all equal");
    if (!has_classes()) {
      miss({"Fidelity_1nn", "Contam_TS"}, kNeedsClasses);
      return;
    }
    const double fidelity = neighbour_fidelity(nearest.rows, problem_.labels,
                                               problem_.source_classes)
                                .value();
    table().set("Fidelity_1nn", fidelity);
    table().set("Contam_TS", 1.0 - fidelity);
  }

  void purity() {
    if (!has_classes()) {
      table().miss("Purity", kNeedsClasses);
      return;
    }
    PurityResult found = class_purity(
        measure(), problem_.labels, problem_.outliers, problem_.source_classes,
        options_.score.energy, options_.purity, context_);
    result_.status = found.status;
    if (result_.status != SolveStatus::kDone) return;
    table().set("Purity", found.mean);
    result_.purity = std::move(found.classes);
  }

  // Cosines to one direction per class under three names.
  void set_similarity(const ClassDirections& directions, const char* cosine,
                      const char* contamination, const char* margin) {
    const ClassSimilarity found = class_similarity(
        problem_.outliers, problem_.source_classes, directions, context_);
    table().set(cosine, found.mean_cosine);
    table().set(contamination, found.contamination);
    table().set(margin, found.margin, "needs at least two classes");
  }

  void prototypes() {
    const auto miss_all = [&](const char* reason) {
      miss({"Fidelity_cos", "Contam_proto", "Margin_proto"}, reason);
    };
    if (!has_classes()) return miss_all(kNeedsClasses);
    if (!detail::has_directions(problem_.bank) ||
        !detail::has_directions(problem_.outliers)) {
      return miss_all(kNeedsDirections);
    }
    const std::optional<ClassDirections> means =
        class_prototypes(problem_.bank, problem_.labels);
    if (!means) return miss_all("the mean of a class is zero");
    set_similarity(*means, "Fidelity_cos", "Contam_proto", "Margin_proto");
  }

  void tokens() {
    const auto miss_all = [&](const char* reason) {
      miss({"Token_cosine", "Contam_token", "Margin_token"}, reason);
    };
    if (problem_.anchors.is_empty() || problem_.source_classes.empty()) {
      return miss_all("needs class anchors and source classes");
    }
    if (!detail::has_directions(problem_.outliers)) {
      return miss_all(kNeedsDirections);
    }
    set_similarity(class_anchors(problem_.anchors, problem_.anchor_classes),
                   "Token_cosine", "Contam_token", "Margin_token");
  }

  void proposals() {
    table().set("Fill_A", fill_rate(problem_.anchor_feasible_counts),
                "needs the feasible proposals of each anchor");
    table().set("Fill_n", fill_rate(problem_.bank_feasible_counts),
                "needs the feasible proposals of each bank point");
    const std::optional<Yield> found =
        options_.semantic_floor
            ? perturbation_yield(problem_.perturbed_energies,
                                 problem_.perturbed_cosines,
                                 *options_.semantic_floor)
            : std::nullopt;
    if (!found) {
      miss({"Yield", "Pass", "Ebar_pass"},
           "needs perturbed anchors and a cosine floor");
      return;
    }
    table().set("Yield", found->value);
    table().set("Pass", found->pass);
    table().set("Ebar_pass", found->mean_energy);
  }

  const OutlierProblem<T>& problem_;
  const OutlierOptions& options_;
  const Context& context_;
  OutlierMetrics result_;
};

}  // namespace

template <typename T>
OutlierMetrics evaluate_outliers(const OutlierProblem<T>& problem,
                                 const OutlierOptions& options,
                                 const Context& context) {
  if (options.score.finds_epsilon) {
    throw InvalidArgument(
        "epsilon: a number is expected, since some metrics look at all "
        "classes at once");
  }
  check_problem(problem);
  const OutlierOptions seeded = with_one_seed(options);
  return Evaluator<T>(problem, seeded, context).run();
}

template OutlierMetrics evaluate_outliers(const OutlierProblem<float>&,
                                          const OutlierOptions&,
                                          const Context&);
template OutlierMetrics evaluate_outliers(const OutlierProblem<double>&,
                                          const OutlierOptions&,
                                          const Context&);

}  // namespace sbog
