// SPDX-License-Identifier: Apache-2.0
// All jobs by one template: the options of a job are those of its table, its
// values travel as text, its result as JSON with the arrays beside it.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "options.h"
#include "rooms.h"
#include "run_call.h"
#include "sbog/job/certify.h"
#include "sbog/job/demo.h"
#include "sbog/job/detect_score.h"
#include "sbog/job/detect_train.h"
#include "sbog/job/dro.h"
#include "sbog/job/evaluate.h"
#include "sbog/job/files.h"
#include "sbog/job/generate.h"
#include "sbog/job/report.h"
#include "sbog/job/score.h"
#include "sbog/job/train_series.h"

namespace sbog::python {
namespace {

/// Arrays of a result that its JSON does not hold.
using NamedArrays = std::vector<std::pair<std::string, std::vector<double>>>;

/// Words of a result, one per row, that its JSON holds only in part.
using Words = std::vector<std::string>;

/// What a job leaves behind, without the types of the job.
struct Outcome {
  job::Status status = job::Status::kDone;
  std::string json;
  NamedArrays arrays;
  Words classes;
};

/// A job without its types.
struct JobEntry {
  std::string name;
  std::vector<OptionInfo> options;
  std::function<Outcome(const Given&, job::Events&, const Context&)> run;
};

template <typename Result>
NamedArrays arrays_of(Result& /*result*/) {
  return {};
}
NamedArrays arrays_of(job::ScoreResult& result) {
  return {{"energies", std::move(result.scores.energies)}};
}
NamedArrays arrays_of(job::DetectScoreResult& result) {
  if (result.points) {
    NamedArrays arrays = {{"scores", {}}, {"p_values", {}}};
    for (const job::PointVerdict& verdict : result.points->verdicts) {
      arrays[0].second.push_back(verdict.score);
      arrays[1].second.push_back(verdict.p_value);
    }
    return arrays;
  }
  return {{"scores", std::move(result.scores)},
          {"thresholds", std::move(result.thresholds)}};
}
NamedArrays arrays_of(job::DroResult& result) {
  NamedArrays arrays;
  for (job::DroOutcome& outcome : result.outcomes) {
    arrays.emplace_back("worst_case", std::move(outcome.solution.worst_case));
  }
  return arrays;
}

template <typename Result>
Words classes_of(const Result& /*result*/) {
  return {};
}
/// The class that each point would be taken for.
Words classes_of(const job::DetectScoreResult& result) {
  Words words;
  if (!result.points) return words;
  for (const job::PointVerdict& verdict : result.points->verdicts) {
    words.push_back(verdict.class_name);
  }
  return words;
}

template <typename Options>
Options options_of(const OptionTable<Options>& table, const Given& given) {
  Options options;
  apply_given(table, given, options);
  table.check_required(options);
  job::check_outputs(table.values(options));
  return options;
}

template <typename Options>
JobEntry job_entry(std::string name, const OptionTable<Options>& table,
                   std::vector<OptionInfo> infos) {
  auto work = [&table](const Given& given, job::Events& events,
                       const Context& context) {
    auto result = run(options_of(table, given), events, context);
    Outcome outcome;
    outcome.status = result.status;
    // What was stopped has no facts to tell, and no one to hear them.
    if (result.status == job::Status::kStopped) return outcome;
    const auto json = to_json(result);
    using Json = std::remove_cvref_t<decltype(json)>;
    outcome.json = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    outcome.arrays = arrays_of(result);
    outcome.classes = classes_of(result);
    return outcome;
  };
  return {std::move(name), std::move(infos), work};
}

template <typename Options>
JobEntry job_entry(std::string name, const OptionTable<Options>& table) {
  return job_entry(std::move(name), table, table.infos());
}

const std::vector<JobEntry>& all_jobs() {
  static const std::vector<JobEntry> kJobs = {
      job_entry("generate", job::generate_option_table(),
                job::generate_option_infos()),
      job_entry("score", job::score_option_table()),
      job_entry("merge", job::merge_option_table()),
      job_entry("evaluate", job::evaluate_option_table()),
      job_entry("certify", job::certify_option_table()),
      job_entry("dro", job::dro_option_table()),
      job_entry("train_series", job::train_series_option_table()),
      job_entry("detect_train", job::detect_train_option_table()),
      job_entry("detect_score", job::detect_score_option_table()),
      job_entry("report", job::report_option_table()),
      job_entry("demo", job::demo_option_table())};
  return kJobs;
}

const JobEntry& job_of(const std::string& name) {
  for (const JobEntry& entry : all_jobs()) {
    if (entry.name == name) return entry;
  }
  throw InvalidArgument("'" + name + "' is no job");
}

const char* to_text(OptionType type) {
  switch (type) {
    case OptionType::kFlag:
      return "flag";
    case OptionType::kSwitch:
      return "switch";
    case OptionType::kInteger:
      return "integer";
    case OptionType::kNumber:
      return "number";
    case OptionType::kText:
      return "text";
  }
  return "text";
}

const char* to_text(job::Status status) {
  switch (status) {
    case job::Status::kDone:
      return "done";
    case job::Status::kNotReached:
      return "not reached";
    case job::Status::kStopped:
      return "stopped";
  }
  return "done";
}

std::vector<std::string> kinds_of(const OptionInfo& option) {
  std::vector<std::string> kinds;
  if ((option.kinds & kForPoints) != 0) kinds.emplace_back("points");
  if ((option.kinds & kForSeries) != 0) kinds.emplace_back("series");
  if ((option.kinds & kForImages) != 0) kinds.emplace_back("images");
  if ((option.kinds & kForTables) != 0) kinds.emplace_back("tables");
  return kinds;
}

using NamedOutputs =
    nb::typed<nb::list, nb::typed<nb::tuple, nb::str, VectorOut<double>>>;
using Told = nb::typed<nb::tuple, nb::str, nb::str, NamedOutputs,
                       nb::typed<nb::list, nb::str>>;

Told run_job(const std::string& name, const Given& given,
             const nb::object& listener, std::size_t threads) {
  Outcome outcome;
  const JobEntry& entry = job_of(name);
  run_call(threads, listener, [&](job::Events& events, const Context& context) {
    outcome = entry.run(given, events, {context.pool, nullptr});
  });
  NamedOutputs arrays;
  for (auto& [key, values] : outcome.arrays) {
    arrays.append(nb::make_tuple(key, to_numpy(std::move(values))));
  }
  return Told(nb::make_tuple(to_text(outcome.status), outcome.json, arrays,
                             outcome.classes));
}

void bind_option_info(nb::module_& module) {
  nb::class_<OptionInfo>(module, "OptionInfo",
                         "Everything about an option of a job.")
      .def_ro("name", &OptionInfo::name)
      .def_ro("help", &OptionInfo::help)
      .def_prop_ro(
          "type", [](const OptionInfo& option) { return to_text(option.type); })
      .def_ro("is_list", &OptionInfo::is_list)
      .def_ro("stage", &OptionInfo::stage)
      .def_prop_ro("is_basic",
                   [](const OptionInfo& option) {
                     return option.level == OptionLevel::kBasic;
                   })
      .def_prop_ro("kinds", kinds_of)
      .def_ro("value_name", &OptionInfo::value_name)
      .def_ro("choices", &OptionInfo::choices)
      .def_ro("other_names", &OptionInfo::other_names)
      .def_ro("is_positional", &OptionInfo::is_positional)
      .def_ro("is_required", &OptionInfo::is_required)
      .def_ro("is_output", &OptionInfo::is_output)
      .def_ro("default_text", &OptionInfo::default_text);
}

}  // namespace

void bind_job(nb::module_& module) {
  bind_option_info(module);
  module.def("job_names", [] {
    std::vector<std::string> names;
    for (const JobEntry& entry : all_jobs()) names.push_back(entry.name);
    return names;
  });
  module.def(
      "job_options",
      [](const std::string& name) { return job_of(name).options; },
      nb::arg("name"));
  module.def("run_job", run_job, nb::arg("name"), nb::arg("given"),
             nb::arg("listener").none(), nb::arg("threads"),
             "Runs a job; gives its status, its result as JSON, its arrays by "
             "name and the classes of its rows.");
}

}  // namespace sbog::python
