// SPDX-License-Identifier: Apache-2.0
// The room metrics: quality of outliers and of detection, on arrays.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "rooms.h"
#include "run_call.h"
#include "sbog/metrics/detection.h"
#include "sbog/metrics/distance_ratio.h"
#include "sbog/metrics/diversity.h"
#include "sbog/metrics/evaluate_outliers.h"
#include "sbog/metrics/flip_rate.h"
#include "sbog/metrics/mmd.h"
#include "sbog/metrics/nearest_bank.h"
#include "sbog/metrics/range_detection.h"
#include "sbog/metrics/sliced_wasserstein.h"

namespace sbog::python {
namespace {

using Scores = VectorIn<double>;
using Labels = VectorIn<std::int64_t>;
using OptionalLabels = std::optional<Labels>;

std::optional<Facts> to_facts(const std::optional<F1Score>& score) {
  if (!score) return std::nullopt;
  Facts out;
  out["value"] = score->value;
  out["threshold"] = score->threshold;
  out["precision"] = score->precision;
  out["recall"] = score->recall;
  return out;
}

void bind_detection(nb::module_& module) {
  const auto positives = nb::arg("positives");
  const auto negatives = nb::arg("negatives");
  module.def(
      "auroc",
      [](const Scores& p, const Scores& n) {
        return auroc(span_of(p), span_of(n));
      },
      positives, negatives);
  module.def(
      "average_precision",
      [](const Scores& p, const Scores& n) {
        return average_precision(span_of(p), span_of(n));
      },
      positives, negatives);
  module.def(
      "best_f1",
      [](const Scores& p, const Scores& n) {
        return to_facts(best_f1(span_of(p), span_of(n)));
      },
      positives, negatives);
  module.def(
      "f1_at",
      [](const Scores& p, const Scores& n, double threshold) {
        return to_facts(f1_at(span_of(p), span_of(n), threshold));
      },
      positives, negatives, nb::arg("threshold"));
  module.def("f1_floor", f1_floor, positives, negatives);
  module.def(
      "fpr_at_tpr",
      [](const Scores& p, const Scores& n, double tpr) -> std::optional<Facts> {
        const auto result = fpr_at_tpr(span_of(p), span_of(n), tpr);
        if (!result) return std::nullopt;
        Facts out;
        out["value"] = result->value;
        out["threshold"] = result->threshold;
        out["recall"] = result->recall;
        return out;
      },
      positives, negatives, nb::arg("tpr"));
  module.def(
      "vus_pr",
      [](const Scores& scores, const Labels& labels) {
        return vus_pr(span_of(scores), span_of(labels));
      },
      nb::arg("scores"), nb::arg("labels"));
  module.def(
      "range_auc_pr",
      [](const Scores& scores, const Labels& labels, std::size_t buffer) {
        return range_auc_pr(span_of(scores), span_of(labels), buffer);
      },
      nb::arg("scores"), nb::arg("labels"), nb::arg("buffer"));
}

template <typename T>
Facts mmd(const MatrixIn<T>& first, const MatrixIn<T>& second, double bandwidth,
          std::uint64_t seed, const nb::object& listener, std::size_t threads) {
  MmdOptions options;
  options.bandwidth = bandwidth;
  options.seed = seed;
  MmdResult result;
  run_call(threads, listener, [&](job::Events&, const Context& context) {
    result = mmd_squared(view_of(first), view_of(second), options, context);
  });
  Facts out;
  out["biased"] = result.biased;
  out["unbiased"] = result.unbiased;
  out["bandwidth"] = result.bandwidth;
  return out;
}

template <typename T>
double sliced(const MatrixIn<T>& first, const MatrixIn<T>& second,
              std::size_t directions, std::uint64_t seed,
              const nb::object& listener, std::size_t threads) {
  SlicedWassersteinResult result;
  run_call(threads, listener, [&](job::Events&, const Context& context) {
    result = sliced_wasserstein(view_of(first), view_of(second),
                                {directions, seed}, context);
  });
  require_done(result.status == SolveStatus::kDone);
  return result.value;
}

template <typename T>
std::optional<double> ratio(const MatrixIn<T>& bank,
                            const MatrixIn<T>& outliers,
                            const std::string& cost, std::uint64_t seed,
                            const nb::object& listener, std::size_t threads) {
  EnergyOptions energy;
  energy.cost = parse_ground_cost(cost);
  DistanceRatioOptions options;
  options.seed = seed;
  DistanceRatio result;
  run_call(threads, listener, [&](job::Events&, const Context& context) {
    result = distance_ratio(view_of(bank), view_of(outliers), energy, options,
                            context);
  });
  require_done(result.status == SolveStatus::kDone);
  return result.ratio;
}

using Nearest =
    nb::typed<nb::tuple, VectorOut<std::int64_t>, VectorOut<double>>;

template <typename T>
Nearest nearest(const MatrixIn<T>& bank, const MatrixIn<T>& points,
                const std::string& cost, const nb::object& listener,
                std::size_t threads) {
  EnergyOptions energy;
  energy.cost = parse_ground_cost(cost);
  NearestBank found;
  run_call(threads, listener, [&](job::Events&, const Context& context) {
    found = nearest_bank<T>({view_of(bank), {}, {}}, view_of(points), energy,
                            context);
  });
  require_done(found.status == SolveStatus::kDone);
  std::vector<std::int64_t> rows(found.rows.begin(), found.rows.end());
  return nb::make_tuple(to_numpy(std::move(rows)),
                        to_numpy(std::move(found.costs)));
}

template <typename T>
std::optional<double> flips(const MatrixIn<T>& bank, const MatrixIn<T>& points,
                            const std::string& cost, double epsilon,
                            double level, std::size_t subset_size,
                            std::size_t subsets, std::uint64_t seed,
                            const nb::object& listener, std::size_t threads) {
  ScoreProblem<T> problem;
  problem.bank = view_of(bank);
  problem.queries = view_of(points);
  ScoreOptions options;
  options.energy.cost = parse_ground_cost(cost);
  options.energy.epsilon = epsilon;
  options.threshold.level = level;
  FlipRate found;
  run_call(threads, listener, [&](job::Events&, const Context& context) {
    const ScoreResult scored = score_bank(problem, options, context);
    require_done(scored.status == SolveStatus::kDone);
    found = flip_rate(problem, options, scored, {subset_size, subsets, seed},
                      context);
  });
  require_done(found.status == SolveStatus::kDone);
  return found.value;
}

template <typename T>
FactsList evaluate(const MatrixIn<T>& bank, const MatrixIn<T>& outliers,
                   const OptionalLabels& labels,
                   const OptionalLabels& source_classes,
                   const std::optional<MatrixIn<T>>& anchors,
                   const std::string& cost, double epsilon, double level,
                   std::uint64_t seed, const nb::object& listener,
                   std::size_t threads) {
  OutlierProblem<T> problem;
  problem.bank = view_of(bank);
  problem.outliers = view_of(outliers);
  if (labels) problem.labels = span_of(*labels);
  if (source_classes) problem.source_classes = span_of(*source_classes);
  if (anchors) problem.anchors = view_of(*anchors);
  OutlierOptions options;
  options.score.energy.cost = parse_ground_cost(cost);
  options.score.energy.epsilon = epsilon;
  options.score.threshold.level = level;
  options.seed = seed;
  OutlierMetrics metrics;
  run_call(threads, listener, [&](job::Events&, const Context& context) {
    metrics = evaluate_outliers(problem, options, context);
  });
  require_done(metrics.status == SolveStatus::kDone);
  FactsList rows;
  for (const MetricEntry& entry : metrics.table.entries()) {
    Facts row;
    row["name"] = entry.name;
    row["value"] = entry.value;
    row["direction"] = to_string(entry.direction);
    row["meaning"] = entry.meaning;
    row["reason"] = entry.reason;
    rows.append(row);
  }
  return rows;
}

template <typename T>
void bind_type(nb::module_& module) {
  const auto listener = nb::arg("listener").none();
  const auto threads = nb::arg("threads");
  module.def("mmd_squared", mmd<T>, nb::arg("first").noconvert(),
             nb::arg("second").noconvert(), nb::arg("bandwidth"),
             nb::arg("seed"), listener, threads);
  module.def("sliced_wasserstein", sliced<T>, nb::arg("first").noconvert(),
             nb::arg("second").noconvert(), nb::arg("directions"),
             nb::arg("seed"), listener, threads);
  module.def("distance_ratio", ratio<T>, nb::arg("bank").noconvert(),
             nb::arg("outliers").noconvert(), nb::arg("cost"), nb::arg("seed"),
             listener, threads);
  module.def("nearest_bank", nearest<T>, nb::arg("bank").noconvert(),
             nb::arg("points").noconvert(), nb::arg("cost"), listener, threads);
  module.def("flip_rate", flips<T>, nb::arg("bank").noconvert(),
             nb::arg("points").noconvert(), nb::arg("cost"), nb::arg("epsilon"),
             nb::arg("level"), nb::arg("subset_size"), nb::arg("subsets"),
             nb::arg("seed"), listener, threads);
  module.def(
      "diversity",
      [](const MatrixIn<T>& points) { return diversity(view_of(points)); },
      nb::arg("points").noconvert());
  module.def("evaluate_outliers", evaluate<T>, nb::arg("bank").noconvert(),
             nb::arg("outliers").noconvert(), nb::arg("labels").none(),
             nb::arg("source_classes").none(),
             nb::arg("class_anchors").noconvert().none(), nb::arg("cost"),
             nb::arg("epsilon"), nb::arg("level"), nb::arg("seed"), listener,
             threads);
}

}  // namespace

void bind_metrics(nb::module_& module) {
  bind_detection(module);
  bind_type<float>(module);
  bind_type<double>(module);
}

}  // namespace sbog::python
