// SPDX-License-Identifier: Apache-2.0
// The room dro: the worst expected loss over a transport ball, and logits that
// are robust to one.
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
#include "sbog/dro/robust_logits.h"
#include "sbog/dro/sinkhorn_dro.h"

namespace sbog::python {
namespace {

using OptionalVector = std::optional<VectorIn<double>>;
using OptionalMatrix = std::optional<MatrixIn<double>>;

Facts to_dict(DroResult result) {
  Facts out;
  out["status"] = to_string(result.status);
  out["kind"] = to_string(result.kind);
  out["radius"] = result.radius;
  out["value"] = result.value;
  out["primal_value"] = result.primal_value;
  out["duality_gap"] = result.duality_gap;
  out["lambda"] = result.lambda;
  out["theta"] = result.theta;
  out["nominal_value"] = result.nominal_value;
  out["essential_supremum"] = result.essential_supremum;
  out["largest_radius"] = result.largest_radius;
  out["evaluations"] = result.evaluations;
  out["worst_case"] = to_numpy(std::move(result.worst_case));
  return out;
}

template <typename T>
FactsList solve(const VectorIn<double>& losses, const MatrixIn<T>& bank,
                const std::optional<MatrixIn<T>>& nominal,
                const OptionalVector& weights,
                const OptionalVector& nominal_weights, const std::string& cost,
                double epsilon, const OptionalMatrix& metric,
                const std::vector<double>& radii, const nb::object& listener,
                std::size_t threads) {
  EnergyOptions energy;
  energy.cost = parse_ground_cost(cost);
  energy.epsilon = epsilon;
  if (metric) energy.metric = view_of(*metric);
  DroPoints<T> points;
  points.reference.points = view_of(bank);
  if (weights) points.reference.weights = span_of(*weights);
  points.nominal = nominal ? view_of(*nominal) : view_of(bank);
  if (nominal_weights) {
    points.nominal_weights = span_of(*nominal_weights);
  } else if (!nominal && weights) {
    points.nominal_weights = span_of(*weights);
  }
  std::vector<DroResult> results;
  run_call(threads, listener, [&](job::Events&, const Context& context) {
    SinkhornDro problem =
        SinkhornDro::from_points(points, span_of(losses), energy);
    results = problem.solve(std::span<const double>(radii), {}, context);
  });
  FactsList out;
  for (DroResult& result : results) {
    require_done(result.status != SolveStatus::kCancelled);
    out.append(to_dict(std::move(result)));
  }
  return out;
}

RobustSign sign_of(const std::string& name) {
  if (name == "paper") return RobustSign::kPaper;
  if (name == "adversarial") return RobustSign::kAdversarial;
  if (name == "upper") return RobustSign::kUpper;
  throw InvalidArgument(
      "sign: 'paper', 'adversarial' or 'upper' is expected, "
      "got '" +
      name + "'");
}

template <typename T>
Facts logits(const MatrixIn<T>& similarities, const MatrixIn<T>& costs,
             const OptionalVector& weights,
             const std::optional<VectorIn<std::int64_t>>& labels,
             double epsilon, double radius, const std::string& sign,
             const nb::object& listener, std::size_t threads) {
  RobustBatch<T> batch;
  batch.similarities = view_of(similarities);
  batch.costs = view_of(costs);
  if (weights) batch.weights = span_of(*weights);
  std::vector<std::size_t> classes;
  if (labels) {
    for (const std::int64_t label : span_of(*labels)) {
      require("robust_logits", label >= 0, "labels must not be negative");
      classes.push_back(static_cast<std::size_t>(label));
    }
  }
  batch.labels = classes;
  const std::size_t samples = costs.shape(0);
  require("robust_logits", samples > 0 && similarities.shape(0) % samples == 0,
          "similarities must have one row per sample and class");
  const std::size_t count = similarities.shape(0) / samples;
  Matrix<T> values(samples, count);
  Matrix<T> lambdas(samples, count);
  Matrix<T> tilted(similarities.shape(0), similarities.shape(1));
  Matrix<T> gradients(similarities.shape(0), similarities.shape(1));
  SolveStatus status = SolveStatus::kDone;
  run_call(threads, listener, [&](job::Events&, const Context& context) {
    const RobustOutput<T> out{values, lambdas, tilted, gradients};
    status =
        robust_logits(batch, {epsilon, radius, sign_of(sign)}, out, context);
  });
  require_done(status == SolveStatus::kDone);
  Facts result;
  result["values"] = to_numpy(std::move(values));
  result["lambdas"] = to_numpy(std::move(lambdas));
  result["tilted"] = to_numpy(std::move(tilted));
  result["cost_gradients"] = to_numpy(std::move(gradients));
  return result;
}

template <typename T>
void bind_type(nb::module_& module) {
  module.def("solve_dro", solve<T>, nb::arg("losses"),
             nb::arg("bank").noconvert(), nb::arg("nominal").noconvert().none(),
             nb::arg("weights").none(), nb::arg("nominal_weights").none(),
             nb::arg("cost"), nb::arg("epsilon"), nb::arg("metric").none(),
             nb::arg("radii"), nb::arg("listener").none(), nb::arg("threads"));
  module.def("robust_logits", logits<T>, nb::arg("similarities").noconvert(),
             nb::arg("costs").noconvert(), nb::arg("weights").none(),
             nb::arg("labels").none(), nb::arg("epsilon"), nb::arg("radius"),
             nb::arg("sign"), nb::arg("listener").none(), nb::arg("threads"));
}

}  // namespace

void bind_dro(nb::module_& module) {
  bind_type<float>(module);
  bind_type<double>(module);
}

}  // namespace sbog::python
