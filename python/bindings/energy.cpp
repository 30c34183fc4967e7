// SPDX-License-Identifier: Apache-2.0
// The room energy: EnergyModel in float and double, states that merge,
// thresholds and the temperature that suits a bank.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "rooms.h"
#include "run_call.h"
#include "sbog/base/errors.h"
#include "sbog/energy/derivatives.h"
#include "sbog/energy/energy_model.h"
#include "sbog/energy/perplexity.h"
#include "sbog/energy/threshold.h"

namespace sbog::python {
namespace {

using Positions = VectorIn<std::int64_t>;
using OptionalPositions = std::optional<Positions>;
using OptionalWeights = std::optional<VectorIn<double>>;
using OptionalMetric = std::optional<MatrixIn<double>>;

// -1 stands for kNoAtom.
std::vector<std::size_t> rows_of(const OptionalPositions& self) {
  std::vector<std::size_t> rows;
  if (!self) return rows;
  for (const std::int64_t row : span_of(*self)) {
    rows.push_back(row < 0 ? kNoAtom : static_cast<std::size_t>(row));
  }
  return rows;
}

/// A model together with the arrays that it looks at.
template <typename T>
class HeldModel {
 public:
  HeldModel(MatrixIn<T> points, OptionalWeights weights,
            const std::string& cost, double epsilon, OptionalMetric metric)
      : points_(std::move(points)),
        weights_(std::move(weights)),
        metric_(std::move(metric)) {
    options_.cost = parse_ground_cost(cost);
    options_.epsilon = epsilon;
    if (metric_) options_.metric = view_of(*metric_);
    reference_.points = view_of(points_);
    if (weights_) reference_.weights = span_of(*weights_);
    model_.emplace(reference_, options_);
  }

  const EnergyModel<T>& model() const { return *model_; }
  const ReferenceMeasure<T>& reference() const { return reference_; }
  const EnergyOptions& options() const { return options_; }

 private:
  MatrixIn<T> points_;
  OptionalWeights weights_;
  OptionalMetric metric_;
  EnergyOptions options_;
  ReferenceMeasure<T> reference_;
  std::optional<EnergyModel<T>> model_;
};

template <typename T>
VectorOut<double> evaluate(const HeldModel<T>& held, const MatrixIn<T>& queries,
                           const OptionalPositions& self,
                           const nb::object& listener, std::size_t threads) {
  EnergyResult result;
  const std::vector<std::size_t> rows = rows_of(self);
  run_call(threads, listener, [&](job::Events&, const Context& context) {
    result = held.model().evaluate(view_of(queries), rows, context);
  });
  require_done(result.status == SolveStatus::kDone);
  return to_numpy(std::move(result.energies));
}

template <typename T>
VectorOut<double> evaluate_bank(const HeldModel<T>& held, bool includes_self,
                                const nb::object& listener,
                                std::size_t threads) {
  EnergyResult result;
  run_call(threads, listener, [&](job::Events&, const Context& context) {
    result = held.model().evaluate_bank(includes_self, context);
  });
  require_done(result.status == SolveStatus::kDone);
  return to_numpy(std::move(result.energies));
}

template <typename T>
EnergyState evaluate_state(const HeldModel<T>& held, const MatrixIn<T>& queries,
                           const OptionalPositions& self,
                           std::size_t first_block, const nb::object& listener,
                           std::size_t threads) {
  EnergyStateResult result{SolveStatus::kDone, EnergyState(0, 0)};
  const std::vector<std::size_t> rows = rows_of(self);
  run_call(threads, listener, [&](job::Events&, const Context& context) {
    result = held.model().evaluate_state(view_of(queries), rows, first_block,
                                         context);
  });
  require_done(result.status == SolveStatus::kDone);
  return std::move(result.state);
}

template <typename T>
MatrixOut<double> gradient(const HeldModel<T>& held, const MatrixIn<T>& queries,
                           bool is_on_sphere, const nb::object& listener,
                           std::size_t threads) {
  Matrix<double> result;
  run_call(threads, listener, [&](job::Events&, const Context& context) {
    held.model().check_queries(view_of(queries), {});
    result = energy_gradient(
        held.model(), view_of(queries),
        is_on_sphere ? Surface::kSphere : Surface::kAmbient, context);
  });
  return to_numpy(std::move(result));
}

template <typename T>
VectorOut<double> weights_of(const HeldModel<T>& held,
                             const VectorIn<T>& query) {
  held.model().check_queries({query.data(), 1, query.shape(0)}, {});
  return to_numpy(gibbs_weights(held.model(), span_of(query)));
}

template <typename T>
double find_temperature(const MatrixIn<T>& points,
                        const OptionalWeights& weights, const std::string& cost,
                        const OptionalMetric& metric, double target,
                        std::uint64_t seed, const nb::object& listener,
                        std::size_t threads) {
  EnergyOptions energy;
  energy.cost = parse_ground_cost(cost);
  if (metric) energy.metric = view_of(*metric);
  ReferenceMeasure<T> reference{view_of(points), {}, {}};
  if (weights) reference.weights = span_of(*weights);
  PerplexityOptions options;
  options.target = target;
  options.seed = seed;
  double epsilon = 0.0;
  run_call(threads, listener, [&](job::Events&, const Context& context) {
    epsilon = find_epsilon(reference, energy, options, context);
  });
  return epsilon;
}

template <typename T>
double perplexity(const HeldModel<T>& held, std::uint64_t seed,
                  const nb::object& listener, std::size_t threads) {
  PerplexityOptions options;
  options.seed = seed;
  double result = 0.0;
  run_call(threads, listener, [&](job::Events&, const Context& context) {
    result =
        median_perplexity(held.reference(), held.options(), options, context);
  });
  return result;
}

// nanobind would convert an array that does not fit: `.noconvert()` sends it to
// the other overload or to a TypeError instead.
template <typename T>
void bind_model(nb::module_& module, const char* name) {
  using Held = HeldModel<T>;
  nb::class_<Held>(module, name,
                   "Energies against one reference; looks at the caller's "
                   "arrays and keeps them alive.")
      .def(nb::init<MatrixIn<T>, OptionalWeights, const std::string&, double,
                    OptionalMetric>(),
           nb::arg("points").noconvert(), nb::arg("weights").none(),
           nb::arg("cost"), nb::arg("epsilon"), nb::arg("metric").none())
      .def_prop_ro("dim", [](const Held& held) { return held.model().dim(); })
      .def_prop_ro("atom_count",
                   [](const Held& held) { return held.model().atom_count(); })
      .def_prop_ro("epsilon",
                   [](const Held& held) { return held.model().epsilon(); })
      .def("evaluate", evaluate<T>, nb::arg("queries").noconvert(),
           nb::arg("self_rows").none(), nb::arg("listener").none(),
           nb::arg("threads"))
      .def("evaluate_bank", evaluate_bank<T>, nb::arg("includes_self"),
           nb::arg("listener").none(), nb::arg("threads"))
      .def("evaluate_state", evaluate_state<T>, nb::arg("queries").noconvert(),
           nb::arg("self_rows").none(), nb::arg("first_block"),
           nb::arg("listener").none(), nb::arg("threads"))
      .def("gradient", gradient<T>, nb::arg("queries").noconvert(),
           nb::arg("is_on_sphere"), nb::arg("listener").none(),
           nb::arg("threads"))
      .def("gibbs_weights", weights_of<T>, nb::arg("query").noconvert())
      .def("perplexity", perplexity<T>, nb::arg("seed"),
           nb::arg("listener").none(), nb::arg("threads"));
  module.def("find_epsilon", find_temperature<T>, nb::arg("points").noconvert(),
             nb::arg("weights").none(), nb::arg("cost"),
             nb::arg("metric").none(), nb::arg("target"), nb::arg("seed"),
             nb::arg("listener").none(), nb::arg("threads"));
}

void bind_state(nb::module_& module) {
  nb::class_<EnergyState>(module, "EnergyState",
                          "Partial energies of queries over a range of blocks "
                          "of 256 atoms; ranges that touch are appended.")
      .def(nb::init<std::size_t, std::size_t>(), nb::arg("query_count"),
           nb::arg("first_block"))
      .def_prop_ro("query_count", &EnergyState::query_count)
      .def_prop_ro("first_block", &EnergyState::first_block)
      .def_prop_ro("end_block", &EnergyState::end_block)
      .def(
          "append",
          [](EnergyState& state, const EnergyState& next) {
            state.append(EnergyState(next));
          },
          nb::arg("next"))
      .def(
          "energies",
          [](const EnergyState& state, double epsilon) {
            require("epsilon", std::isfinite(epsilon) && epsilon > 0.0,
                    "a finite number above 0 is expected");
            return to_numpy(energies_of(state.fold(), epsilon));
          },
          nb::arg("epsilon"));
}

void bind_threshold(nb::module_& module) {
  module.def(
      "calibrate_threshold",
      [](const VectorIn<double>& energies, double level, double margin,
         bool is_conformal) {
        ThresholdOptions options;
        options.rule =
            is_conformal ? ThresholdRule::kConformal : ThresholdRule::kQuantile;
        options.level = level;
        options.margin = margin;
        return calibrate_threshold(span_of(energies), options).value;
      },
      nb::arg("energies"), nb::arg("level"), nb::arg("margin"),
      nb::arg("is_conformal"));
  module.def(
      "conformal_p_values",
      [](const VectorIn<double>& calibration,
         const VectorIn<double>& energies) {
        std::vector<double> values;
        for (const double energy : span_of(energies)) {
          values.push_back(conformal_p_value(span_of(calibration), energy));
        }
        return to_numpy(std::move(values));
      },
      nb::arg("calibration"), nb::arg("energies"));
}

}  // namespace

void bind_energy(nb::module_& module) {
  bind_state(module);
  bind_model<float>(module, "EnergyModelFloat");
  bind_model<double>(module, "EnergyModelDouble");
  bind_threshold(module);
  module.def("simd_target", simd_target);
  module.attr("block_atoms") = kBlockAtoms;
}

}  // namespace sbog::python
