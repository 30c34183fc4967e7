// SPDX-License-Identifier: Apache-2.0
// The room sample: outliers of arrays in memory, with their provenance.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "arrays.h"
#include "options.h"
#include "rooms.h"
#include "run_call.h"
#include "sbog/base/labels.h"
#include "sbog/data/check_finite.h"
#include "sbog/job/outlier_rarity.h"
#include "sbog/sample/sample_outliers.h"
#include "sbog/sample/sampler_option_table.h"

namespace sbog::python {
namespace {

using OptionalLabels = std::optional<VectorIn<std::int64_t>>;
using OptionalMatrix = std::optional<MatrixIn<double>>;
using OptionalVector = std::optional<VectorIn<double>>;

// What an array or a list holds of a member of Output.
std::int64_t plain(std::size_t count) {
  return static_cast<std::int64_t>(count);
}
double plain(double value) { return value; }

// One column of the table of provenance.
template <typename T, typename Member>
auto column(const OutlierSet<T>& set, Member member) {
  if constexpr (std::is_same_v<Member, OutputOrigin Output<T>::*>) {
    nb::list names;
    for (const Output<T>& o : set.outputs) names.append(to_string(o.*member));
    return names;
  } else {
    std::vector<decltype(plain(set.outputs.front().*member))> values;
    for (const Output<T>& o : set.outputs) values.push_back(plain(o.*member));
    return to_numpy(std::move(values));
  }
}

template <typename T>
nb::dict provenance(const OutlierSet<T>& set) {
  nb::dict table;
  table["class"] = to_numpy(std::vector<std::int64_t>(set.classes));
  visit_provenance<T>([&](const char* name, auto member) {
    table[name] = column(set, member);
  });
  return table;
}

// How rare each outlier is, by the scores of its class.
template <typename T>
void add_rarity(const OutlierSet<T>& set, const OptionalLabels& labels,
                std::uint64_t seed, nb::dict& table) {
  std::vector<double> estimate, low, high, bound;
  std::vector<std::int64_t> severity;
  if (!set.outputs.empty()) {
    std::span<const std::int64_t> marks;
    if (labels) marks = span_of(*labels);
    const ClassTails tails = job::tails_of(set, marks, seed);
    std::map<std::int64_t, std::size_t> number;
    for (const ClassReport& report : set.reports) {
      number.emplace(report.label, number.size());
    }
    for (std::size_t i = 0; i < set.outputs.size(); ++i) {
      const std::size_t c = number.at(set.classes[i]);
      const RarityEstimate rarity = tails.rarity(c, set.outputs[i].score);
      estimate.push_back(rarity.probability.value_or(
          std::numeric_limits<double>::quiet_NaN()));
      low.push_back(rarity.low);
      high.push_back(rarity.high);
      bound.push_back(rarity.bound);
      severity.push_back(tails.severity(c, set.outputs[i].score));
    }
  }
  table["rarity"] = to_numpy(std::move(estimate));
  table["rarity_low"] = to_numpy(std::move(low));
  table["rarity_high"] = to_numpy(std::move(high));
  table["rarity_bound"] = to_numpy(std::move(bound));
  table["severity"] = to_numpy(std::move(severity));
}

nb::list bands_of(const ClassReport& report) {
  nb::list bands;
  for (const BandReport& b : report.bands) {
    nb::dict band;
    band["severity"] = b.severity;
    band["requested"] = b.requested;
    band["produced"] = b.produced;
    band["limiting_test"] = to_string(b.binding);
    bands.append(band);
  }
  return bands;
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
    if (!r.bands.empty()) report["severities"] = bands_of(r);
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
  const Sampler<T> sampler(problem, options, context);
  OutlierSet<T> set;
  MemoryStore<T> store(sampler, set);
  PartPlan plan;
  plan.counts = counts;
  static_cast<SampleSummary&>(set) =
      sample_parts(sampler, plan, store, context);
  return set;
}

template <typename T>
Facts draw(const MatrixIn<T>& bank, const OptionalLabels& labels,
           const OptionalMatrix& anchors, const OptionalVector& losses,
           const OptionalMatrix& metric, const std::string& profile,
           const Given& given, const std::string& severities,
           const std::optional<std::vector<std::size_t>>& counts,
           const nb::object& listener, std::size_t threads) {
  SamplerOptions options = profile_options(profile);
  apply_given(sampler_option_table(), given, options);
  if (!severities.empty()) options.severities = parse_severities(severities);
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
  Facts result;
  result["status"] = to_string(set.status);
  result["latents"] = to_numpy(set.points(bank.shape(1)));
  nb::dict table = provenance(set);
  add_rarity(set, labels, options.seed, table);
  result["table"] = table;
  result["reports"] = reports_of(set);
  result["bank_scores"] = to_numpy(std::move(set.bank_scores));
  return result;
}

template <typename T>
void bind_draw(nb::module_& module) {
  module.def("sample_outliers", draw<T>, nb::arg("bank").noconvert(),
             nb::arg("labels").none(), nb::arg("class_anchors").none(),
             nb::arg("losses").none(), nb::arg("metric").none(),
             nb::arg("profile"), nb::arg("given"), nb::arg("severities"),
             nb::arg("counts").none(), nb::arg("listener").none(),
             nb::arg("threads"));
  module.def(
      "class_means",
      [](const MatrixIn<T>& bank, const VectorIn<std::int64_t>& labels) {
        check_label_count(span_of(labels), bank.shape(0), "class_means");
        check_finite(view_of(bank), "bank");
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
