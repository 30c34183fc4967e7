// SPDX-License-Identifier: Apache-2.0
// What a person looks at while choosing options: axes of a map, and what the
// sampler would do with a bank, fast enough to follow a slider.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "options.h"
#include "rooms.h"
#include "run_call.h"
#include "sbog/report/principal_axes.h"
#include "sbog/sample/sampler.h"
#include "sbog/sample/sampler_option_table.h"

namespace sbog::python {
namespace {

// Everything that is seen of one setting.
template <typename T>
struct Sight {
  std::vector<double> scores;      // per bank row
  std::vector<double> thresholds;  // per class
  std::vector<double> epsilons;
  std::vector<double> floors;
  std::vector<double> sigmas;
  std::vector<std::int64_t> anchor_rows;
  std::vector<std::int64_t> feasible;  // per anchor
  std::vector<Output<T>> outliers;
  std::size_t proposals = 0;  // in all
};

template <typename T>
void look_at_class(const ClassRun<T>& run, std::size_t dim,
                   std::size_t proposals, std::size_t outliers, Sight<T>& sight,
                   const Context& context) {
  for (std::size_t i = 0; i < run.rows().size(); ++i) {
    sight.scores[run.rows()[i]] = run.scores()[i];
  }
  sight.thresholds.push_back(run.plan().threshold);
  const ClassPlan& plan = run.plan();
  sight.epsilons.push_back(plan.epsilon);
  sight.floors.push_back(plan.semantic_floor);
  sight.sigmas.push_back(0.5 * (plan.radius_low + plan.radius_high) /
                         std::sqrt(static_cast<double>(dim)));
  std::vector<std::size_t> anchors(run.anchor_count());
  std::iota(anchors.begin(), anchors.end(), std::size_t{0});
  const Probe probe = run.probe(anchors, proposals, 0, context);
  if (probe.status != SolveStatus::kDone) return;
  const ClassReport report =
      run.report(0, std::vector<std::size_t>(run.band_count()), {},
                 std::vector<AnchorTally>(run.tally_count()));
  for (std::size_t a = 0; a < anchors.size(); ++a) {
    sight.anchor_rows.push_back(
        static_cast<std::int64_t>(report.anchor_rows[a]));
    sight.feasible.push_back(static_cast<std::int64_t>(probe.feasible[a]));
  }
  sight.proposals += anchors.size() * proposals;
  SampledRange<T> drawn = run.sample(0, outliers, context);
  for (Output<T>& output : drawn.outputs) {
    if (output.is_accepted) sight.outliers.push_back(std::move(output));
  }
}

template <typename T>
Matrix<T> points_of(const std::vector<Output<T>>& outputs, std::size_t dim) {
  Matrix<T> points(outputs.size(), dim);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    std::ranges::copy(outputs[i].point, points.row(i).begin());
  }
  return points;
}

template <typename T>
Facts look(const MatrixIn<T>& bank,
           const std::optional<VectorIn<std::int64_t>>& labels,
           const std::optional<MatrixIn<double>>& anchors,
           const std::string& profile, const Given& given,
           std::size_t proposals, std::size_t outliers,
           const nb::object& listener, std::size_t threads) {
  SamplerOptions options = profile_options(profile);
  apply_given(sampler_option_table(), given, options);
  SampleProblem<T> problem{view_of(bank), {}, {}, {}};
  if (labels) problem.labels = span_of(*labels);
  if (anchors) problem.class_anchors = view_of(*anchors);
  Sight<T> sight;
  sight.scores.resize(bank.shape(0));
  run_call(threads, listener, [&](job::Events&, const Context& context) {
    const Sampler<T> sampler(problem, options, context);
    for (std::size_t c = 0; c < sampler.labels().size(); ++c) {
      const Context quiet{context.pool, nullptr};
      look_at_class(sampler.prepare(c, quiet), bank.shape(1), proposals,
                    outliers, sight, quiet);
    }
  });
  Facts result;
  result["scores"] = to_numpy(std::move(sight.scores));
  result["thresholds"] = to_numpy(std::move(sight.thresholds));
  result["epsilons"] = to_numpy(std::move(sight.epsilons));
  result["floors"] = to_numpy(std::move(sight.floors));
  result["sigmas"] = to_numpy(std::move(sight.sigmas));
  result["anchor_rows"] = to_numpy(std::move(sight.anchor_rows));
  result["feasible"] = to_numpy(std::move(sight.feasible));
  result["proposals"] = sight.proposals;
  result["outliers"] = to_numpy(points_of(sight.outliers, bank.shape(1)));
  return result;
}

// Mean, one axis per row, and the share of the variance along each.
using Axes = nb::typed<nb::tuple, VectorOut<double>, MatrixOut<double>,
                       VectorOut<double>>;

template <typename T>
void bind_type(nb::module_& module) {
  module.def("look", look<T>, nb::arg("bank").noconvert(),
             nb::arg("labels").none(), nb::arg("class_anchors").none(),
             nb::arg("profile"), nb::arg("given"), nb::arg("proposals"),
             nb::arg("outliers"), nb::arg("listener").none(),
             nb::arg("threads"),
             "Scores, thresholds, feasible proposals of every anchor and some "
             "outliers.");
  module.def(
      "principal_axes",
      [](const MatrixIn<T>& points, std::size_t count) {
        PrincipalAxes found = principal_axes(view_of(points), count);
        return Axes(nb::make_tuple(to_numpy(std::move(found.mean)),
                                   to_numpy(std::move(found.axes)),
                                   to_numpy(std::move(found.explained))));
      },
      nb::arg("points").noconvert(), nb::arg("count"));
}

}  // namespace

void bind_explore(nb::module_& module) {
  bind_type<float>(module);
  bind_type<double>(module);
}

}  // namespace sbog::python
