// SPDX-License-Identifier: Apache-2.0
// The room certify: what a sample size can promise.
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
#include "sbog/certify/certify_outliers.h"
#include "sbog/certify/plain_sentences.h"
#include "sbog/certify/required_count.h"
#include "sbog/certify/uniform_bound.h"

namespace sbog::python {
namespace {

using OptionalLabels = std::optional<VectorIn<std::int64_t>>;
using OptionalVector = std::optional<VectorIn<double>>;

template <typename Value>
auto column(const Certificate& certificate, Value value) {
  std::vector<decltype(value(certificate.outliers.front()))> values;
  for (const OutlierCertificate& outlier : certificate.outliers) {
    values.push_back(value(outlier));
  }
  return to_numpy(std::move(values));
}

Facts to_dict(const Certificate& certificate) {
  using Row = const OutlierCertificate&;
  Facts out;
  out["epsilon"] = certificate.epsilon;
  out["delta"] = certificate.delta;
  out["level"] = certificate.level;
  out["pool"] = certificate.pool;
  out["is_certified"] = certificate.is_certified;
  out["caveat"] = certificate.caveat;
  out["sentences"] = plain_sentences(certificate);
  out["accepted"] = certificate.totals.accepted;
  out["certified_accept"] = certificate.totals.certified_accept;
  out["certified_reject"] = certificate.totals.certified_reject;
  out["undecided"] = certificate.totals.undecided;
  out["certified_share"] = certificate.totals.certified_share;
  out["factor_for_all"] = certificate.totals.factor_for_all;
  std::vector<double> thresholds;
  std::vector<std::int64_t> labels;
  for (const CertificateClass& c : certificate.classes) {
    thresholds.push_back(c.threshold);
    labels.push_back(c.label);
  }
  out["thresholds"] = to_numpy(std::move(thresholds));
  out["classes"] = to_numpy(std::move(labels));
  out["energies"] = column(certificate, [](Row o) { return o.energy; });
  out["energies_low"] =
      column(certificate, [](Row o) { return o.energies.low; });
  out["energies_high"] =
      column(certificate, [](Row o) { return o.energies.high; });
  out["p_values"] = column(certificate, [](Row o) { return o.p_value; });
  out["required_counts"] =
      column(certificate, [](Row o) { return o.required_count; });
  nb::list decisions;
  for (Row outlier : certificate.outliers) {
    decisions.append(to_string(outlier.label));
  }
  out["labels"] = decisions;
  return out;
}

template <typename T>
Facts certify(const MatrixIn<T>& reference, const MatrixIn<T>& calibration,
              const MatrixIn<T>& outliers, const OptionalVector& weights,
              const OptionalLabels& reference_labels,
              const OptionalLabels& calibration_labels,
              const OptionalLabels& outlier_labels,
              const OptionalVector& thresholds, const std::string& cost,
              double epsilon, double delta, double level, double margin,
              double pool, bool is_independent, const nb::object& listener,
              std::size_t threads) {
  CertifyProblem<T> problem;
  problem.reference = view_of(reference);
  problem.calibration = view_of(calibration);
  problem.outliers = view_of(outliers);
  if (weights) problem.weights = span_of(*weights);
  if (reference_labels) problem.reference_labels = span_of(*reference_labels);
  if (calibration_labels) {
    problem.calibration_labels = span_of(*calibration_labels);
  }
  if (outlier_labels) problem.outlier_labels = span_of(*outlier_labels);
  if (thresholds) problem.thresholds = span_of(*thresholds);
  CertifyOptions options;
  options.energy.cost = parse_ground_cost(cost);
  options.energy.epsilon = epsilon;
  options.delta = delta;
  options.level = level;
  options.margin = margin;
  options.pool = pool;
  options.is_independent = is_independent;
  Certificate certificate;
  run_call(threads, listener, [&](job::Events&, const Context& context) {
    certificate = certify_outliers(problem, options, context);
  });
  require_done(certificate.status == SolveStatus::kDone);
  return to_dict(certificate);
}

template <typename T>
void bind_type(nb::module_& module) {
  module.def(
      "certify_outliers", certify<T>, nb::arg("reference").noconvert(),
      nb::arg("calibration").noconvert(), nb::arg("outliers").noconvert(),
      nb::arg("weights").none(), nb::arg("reference_labels").none(),
      nb::arg("calibration_labels").none(), nb::arg("outlier_labels").none(),
      nb::arg("thresholds").none(), nb::arg("cost"), nb::arg("epsilon"),
      nb::arg("delta"), nb::arg("level"), nb::arg("margin"), nb::arg("pool"),
      nb::arg("is_independent"), nb::arg("listener").none(),
      nb::arg("threads"));
}

}  // namespace

void bind_certify(nb::module_& module) {
  bind_type<float>(module);
  bind_type<double>(module);
  module.def("certifiable_ceiling", certifiable_ceiling, nb::arg("epsilon"),
             nb::arg("count"), nb::arg("failure"));
  module.def("smallest_epsilon", smallest_epsilon, nb::arg("threshold"),
             nb::arg("count"), nb::arg("failure"));
  module.def("smallest_count", smallest_count, nb::arg("threshold"),
             nb::arg("epsilon"), nb::arg("failure"));
  module.def(
      "required_counts",
      [](double epsilon, double threshold, double margin, double pool,
         double delta) {
        const RequiredCounts counts =
            required_counts({epsilon, threshold, margin, pool, delta, {}});
        nb::typed<nb::dict, nb::str, double> out;
        out["hoeffding"] = counts.hoeffding;
        out["relative"] = counts.relative;
        out["one_sided"] = counts.one_sided;
        out["one_sided_closed"] = counts.one_sided_closed;
        return out;
      },
      nb::arg("epsilon"), nb::arg("threshold"), nb::arg("margin"),
      nb::arg("pool"), nb::arg("delta"));
}

}  // namespace sbog::python
