// SPDX-License-Identifier: Apache-2.0
// The room sample: outliers of arrays in memory, with their provenance.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "options.h"
#include "rooms.h"
#include "run_call.h"
#include "sbog/base/labels.h"
#include "sbog/sample/sample_outliers.h"
#include "sbog/sample/sampler_option_table.h"

namespace sbog::python {
namespace {

using OptionalLabels = std::optional<VectorIn<std::int64_t>>;
using OptionalMatrix = std::optional<MatrixIn<double>>;
using OptionalVector = std::optional<VectorIn<double>>;

const char* to_text(OutputOrigin origin) {
  switch (origin) {
    case OutputOrigin::kRound:
      return "round";
    case OutputOrigin::kLangevin:
      return "langevin";
    case OutputOrigin::kSplitting:
      return "splitting";
    case OutputOrigin::kRival:
      return "rival";
  }
  return "round";
}

// One column of the table of provenance.
template <typename T, typename Value>
nb::object column(const OutlierSet<T>& set, Value value) {
  std::vector<decltype(value(set.outputs.front()))> values;
  for (const Output<T>& output : set.outputs) values.push_back(value(output));
  return to_numpy(std::move(values));
}

template <typename T>
nb::dict provenance(const OutlierSet<T>& set) {
  using Row = const Output<T>&;
  const auto integer = [](std::size_t n) {
    return static_cast<std::int64_t>(n);
  };
  nb::dict table;
  table["class"] = to_numpy(std::vector<std::int64_t>(set.classes));
  table["k"] = column(set, [&](Row o) { return integer(o.k); });
  table["anchor_row"] =
      column(set, [&](Row o) { return integer(o.anchor_row); });
  table["round"] = column(set, [&](Row o) { return integer(o.round); });
  table["proposal"] = column(set, [&](Row o) { return integer(o.proposal); });
  table["feasible"] = column(set, [&](Row o) { return integer(o.feasible); });
  table["energy"] = column(set, [](Row o) { return o.energy; });
  table["score"] = column(set, [](Row o) { return o.score; });
  table["margin"] = column(set, [](Row o) { return o.margin; });
  table["class_cosine"] = column(set, [](Row o) { return o.class_cosine; });
  table["anchor_cosine"] = column(set, [](Row o) { return o.anchor_cosine; });
  nb::list origins;
  for (Row output : set.outputs) origins.append(to_text(output.origin));
  table["origin"] = origins;
  return table;
}

nb::list reports_of(const SampleSummary& summary) {
  nb::list reports;
  for (const ClassReport& r : summary.reports) {
    nb::dict report;
    report["label"] = r.label;
    report["requested"] = r.requested;
    report["produced"] = r.produced;
    report["status"] = to_string(r.status);
    report["limiting_test"] = to_string(r.binding);
    report["threshold"] = r.plan.threshold;
    report["epsilon"] = r.plan.epsilon;
    report["radius"] = nb::make_tuple(r.plan.radius_low, r.plan.radius_high);
    report["semantic_floor"] = r.plan.semantic_floor;
    report["fill_rate"] = r.fill_anchors;
    report["acceptance"] = r.acceptance;
    report["acceptance_interval"] =
        nb::make_tuple(r.acceptance_interval.low, r.acceptance_interval.high);
    reports.append(report);
  }
  return reports;
}

/// Parts in memory, in the order in which they are kept: by class and then k.
template <typename T>
class MemoryStore : public PartStore<T> {
 public:
  MemoryStore(const Sampler<T>& sampler, OutlierSet<T>& set)
      : sampler_(sampler), set_(set) {}
  std::optional<OutlierPart<T>> find(const PartRange& /*range*/) override {
    return std::nullopt;
  }
  void keep(const PartRange& range, OutlierPart<T> part) override {
    for (Output<T>& output : part.outputs) {
      set_.outputs.push_back(std::move(output));
      set_.classes.push_back(sampler_.labels()[range.cls]);
    }
  }

 private:
  const Sampler<T>& sampler_;
  OutlierSet<T>& set_;
};

// As many outputs of each class as `counts` says.
template <typename T>
OutlierSet<T> draw_counts(const SampleProblem<T>& problem,
                          const SamplerOptions& options,
                          const std::vector<std::size_t>& counts,
                          const Context& context) {
  const Sampler<T> sampler(problem, options);
  OutlierSet<T> set;
  MemoryStore<T> store(sampler, set);
  PartPlan plan;
  plan.counts = counts;
  static_cast<SampleSummary&>(set) =
      sample_parts(sampler, plan, store, context);
  return set;
}

template <typename T>
nb::dict draw(const MatrixIn<T>& bank, const OptionalLabels& labels,
              const OptionalMatrix& anchors, const OptionalVector& losses,
              const OptionalMatrix& metric, const std::string& profile,
              const Given& given,
              const std::optional<std::vector<std::size_t>>& counts,
              const nb::object& listener, std::size_t threads) {
  SamplerOptions options = profile_options(profile);
  apply_given(sampler_option_table(), given, options);
  if (metric) options.energy.metric = view_of(*metric);
  SampleProblem<T> problem{view_of(bank), {}, {}, {}};
  if (labels) problem.labels = span_of(*labels);
  if (anchors) problem.class_anchors = view_of(*anchors);
  if (losses) problem.losses = span_of(*losses);
  OutlierSet<T> set;
  run_call(threads, listener, [&](job::Events&, const Context& context) {
    set = counts ? draw_counts(problem, options, *counts, context)
                 : sample_outliers(problem, options, context);
  });
  require_done(set.status != SolveStatus::kCancelled);
  nb::dict result;
  result["status"] = to_string(set.status);
  result["latents"] = to_numpy(set.points(bank.shape(1)));
  result["table"] = provenance(set);
  result["reports"] = reports_of(set);
  result["bank_scores"] = to_numpy(std::move(set.bank_scores));
  return result;
}

template <typename T>
void bind_draw(nb::module_& module) {
  module.def("sample_outliers", draw<T>, nb::arg("bank").noconvert(),
             nb::arg("labels").none(), nb::arg("class_anchors").none(),
             nb::arg("losses").none(), nb::arg("metric").none(),
             nb::arg("profile"), nb::arg("given"), nb::arg("counts").none(),
             nb::arg("listener").none(), nb::arg("threads"));
  module.def(
      "class_means",
      [](const MatrixIn<T>& bank, const VectorIn<std::int64_t>& labels) {
        check_label_count(span_of(labels), bank.shape(0), "class_means");
        return to_numpy(class_means(view_of(bank), span_of(labels)));
      },
      nb::arg("bank").noconvert(), nb::arg("labels"));
}

}  // namespace

void bind_sample(nb::module_& module) {
  bind_draw<float>(module);
  bind_draw<double>(module);
  module.def("sampler_options", [] {
    return sampler_option_table().infos(profile_options(kDefaultProfile));
  });
  module.def("profile_names", [] {
    std::vector<std::string> names;
    for (const std::string_view name : profile_names()) {
      names.emplace_back(name);
    }
    return names;
  });
}

}  // namespace sbog::python
